"""What an operator holds."""

from __future__ import annotations

from kaicep.cep.query_state import HeldState


def test_a_state_may_be_empty() -> None:
    assert (HeldState().rows, HeldState().until, dict(HeldState().candidates)) == ((), (), {})
