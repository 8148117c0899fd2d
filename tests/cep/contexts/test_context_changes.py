"""Windows of a partition as values."""

from __future__ import annotations

from kaicep.cep.contexts import HeldWindow
from kaicep.cep.contexts.context_changes import PartitionHistory
from kaicep.cep.partitions import NO_END


def test_at_most_one_window_of_a_context_is_open() -> None:
    ended, jam, other = (
        HeldWindow(c, "1", s, u, s, u) for c, s, u in (("jam", 1, 2), ("jam", 3, NO_END), ("x", 4, NO_END))
    )
    partition = PartitionHistory((1,), (ended,), (jam, other))
    assert partition.windows == (ended, jam, other)
    assert partition.open_of("jam") is jam
    assert partition.open_of("storm") is None
