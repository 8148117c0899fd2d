"""A partial match in a final state is a match if that asks nothing, or what it asks holds."""

from __future__ import annotations

from typing import Any

from kaicep.cep.nfa.compiler import FinalState
from kaicep.cep.nfa.negation_buffer import PartitionBuffers
from kaicep.cep.nfa.runtime import AcceptedMatch

BUFFERS = PartitionBuffers((None,), {}, {})


def accepted(holds: Any = None, rest: Any = None) -> AcceptedMatch:
    final = FinalState((0, 0), frozenset(), holds, None, None, rest, ())
    return AcceptedMatch((5, 1), (1, None, 0, (5, 1, 0, 0)), 5, final, BUFFERS)


def test_what_asks_nothing_holds() -> None:
    assert accepted().holds
    assert accepted().rest == (None, ())


def test_what_is_asked_gets_the_registers_the_time_the_buffers_and_the_moment() -> None:
    assert accepted(lambda *given: given == ((5, 1), 5, BUFFERS, 0, 0)).holds
    assert not accepted(lambda *_: False).holds
    assert accepted(rest=lambda *_: ({1}, ((),))).rest == ({1}, ((),))
