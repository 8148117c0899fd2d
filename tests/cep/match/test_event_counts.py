"""Counts per event, held against ceilings, and taken only when the sum over all events may be above them."""

from __future__ import annotations

from functools import partial

import numpy as np
import polars as pl
import pytest
from kaicep.cep.limits import Ceilings, Limits
from kaicep.cep.match import EventCounts, JoinKey, NewEvents, largest_partition
from kaicep.cep.order import Candidates
from kaicep.errors import CeilingError
from kaicep.expressions import Ints
from support.frames import frame_at
from support.letter_readings import text_of
from support.operators import compiled


def counted(most: int, *numbers: list[int]) -> list[int]:
    """The counts that were looked at, of events 10 to 14."""
    looked: list[int] = []
    counts = EventCounts(10, 5, most, looked.append)
    for of in numbers:
        counts.add(len(of), partial(np.array, of))
    return looked


def test_nothing_is_counted_while_all_together_are_below_the_ceiling() -> None:
    assert counted(4, [10, 10], [14, 14]) == []


def test_the_greatest_count_of_one_event_is_looked_at() -> None:
    assert counted(4, [10, 11, 12], [10, 14, 14], [14]) == [2]
    assert counted(2, [10, 10, 11], [10]) == [2, 3]


def test_weights_say_how_much_there_is_of_each() -> None:
    looked: list[int] = []
    counts = EventCounts(0, 3, 10, looked.append)
    counts.add(12, lambda: np.array([0, 1, 1]), np.array([5, 4, 3]))
    assert looked == [7]


def candidates(numbers: list[int], first_new: int, codes: dict[int, Ints] | None = None) -> Candidates:
    made = Candidates(frame_at(numbers), np.array(numbers), first_new)
    made.codes |= codes or {}
    return made


def test_new_events_are_those_of_all_variables() -> None:
    query = compiled(text_of("?a ->> ?b"))
    found = NewEvents.among([candidates([1, 5, 9], 1), candidates([2, 3], 1), candidates([4], 1)], Ceilings(query))
    assert (found.first, found.events) == (3, 7)
    assert NewEvents.among([candidates([1], 1)], Ceilings(query)).events == 1


def test_partial_matches_that_wait_are_counted_by_keys() -> None:
    keys = [JoinKey({"a": pl.col("x"), "b": pl.col("x")}, nulls_match=False)]
    own = {"a": candidates([0, 1, 2, 3], 0, {0: np.array([7, 7, 7, 8])}), "b": candidates([4], 0, {0: np.array([7])})}
    rows = {"a": np.array([0, 1, 2, 3])}
    assert largest_partition(keys, own, rows) == 3
    assert largest_partition([], own, rows) == 4
    two = [*keys, JoinKey({"a": pl.col("y")}, nulls_match=True)]
    own["a"].codes[1] = np.array([0, 1, 1, 1])
    assert largest_partition(two, own, rows) == 2
    new = NewEvents.among(
        own.values(), Ceilings(compiled(text_of("?a ->> ?b")), Limits(partial_matches_per_partition=2))
    )
    new.check_waiting(two, own, rows)
    with pytest.raises(CeilingError, match="more than 2 partial matches are under way in one partition"):
        new.check_waiting(keys, own, rows)
