"""What an operator is told of context windows, and for how long it remembers it."""

from __future__ import annotations

import numpy as np
import pytest
from kaicep.cep.partitions import NO_END, NO_START, PartitionWindows
from kaicep.errors import OperatorError
from support.context_queries import ContextSpan, told

FIRST = ContextSpan(7, "jam", "s", 0, 10)
SECOND = ContextSpan(-3, "accident", "t", 5, 20)


def windows(*spans: ContextSpan, watermark: int | None = None) -> PartitionWindows:
    known = PartitionWindows()
    known.update(told(spans, watermark=watermark))
    return known


def test_what_is_told_later_of_a_window_is_so() -> None:
    known = windows(FIRST, SECOND, watermark=10)
    assert known.of("until", np.array([7, -3])).tolist() == [NO_END, NO_END]
    assert known.ended(NO_END).tolist() == []
    known.update(told([FIRST], watermark=11))
    assert known.of("until", np.array([7, -3])).tolist() == [10, NO_END]
    assert known.ended(11).tolist() == [7]
    assert known.names(np.array([-3, 7, -3])) == ["accident", "jam", "accident"]


def test_a_window_that_was_never_told_of_is_an_error() -> None:
    with pytest.raises(OperatorError, match="not told of"):
        windows(FIRST).of("until", np.array([8]))


def test_windows_that_ended_before_a_moment_are_forgotten() -> None:
    known = windows(FIRST, SECOND)
    known.forget(10)
    assert len(known) == 2
    known.forget(11)
    assert known.column("window").tolist() == [-3]


def test_the_next_end_is_the_first_that_is_known_and_to_come() -> None:
    calendar = ContextSpan(1, "jam", "s", 0, 30, calendar=True)
    known = windows(FIRST, calendar, watermark=5)
    assert known.next_end == 31
    known.passed = 31
    assert known.next_end is None


def test_ties_go_by_context_key_and_start() -> None:
    rank, key, start = windows(FIRST, SECOND).order(np.array([-3, 7]))
    assert (rank.to_list(), key.to_list(), start.to_list()) == ([1, 0], ["t", "s"], [5, 0])


def test_the_first_candidate_of_a_window_stays_the_first() -> None:
    known = windows(FIRST, SECOND)
    assert known.note_first(np.array([7, -3, 7]), np.array([1, 6, 7])).tolist() == [1, 6, 1]
    assert known.note_first(np.array([-3]), np.array([9])).tolist() == [6]


def test_the_state_goes_on_elsewhere() -> None:
    known = windows(FIRST, ContextSpan(2, "jam", "u", NO_START, 30, unbegun=True))
    known.note_first(np.array([7]), np.array([3]))
    other = PartitionWindows()
    other.load(known.tables(), 12)
    assert other.of("start", np.array([2, 7])).tolist() == [NO_START, 0]
    assert other.names(np.array([7])) == ["jam"]
    assert (other.firsts, other.passed) == ({7: 3}, 12)
