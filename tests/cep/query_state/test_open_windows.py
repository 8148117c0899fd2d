"""What windows hold at a moment."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
import polars as pl
import pytest
from kaicep import Project
from kaicep.cep.query_state import held_by_windows, held_together, in_sliding_windows, latest_completion
from kaicep.expressions import Ints
from support.context_examples import examples

PROJECT = Project.parse(examples("state_examples")[0].content)
BEGIN = 1_704_067_200_000_000
TIMES = [datetime(2024, 1, 1, 0, minute, tzinfo=UTC) for minute in (0, 5, 9)]
EVENTS = pl.DataFrame({"_time": TIMES, "_id": ["a", "b", "c"]}).with_columns(pl.col("_time").dt.cast_time_unit("us"))


def of_one_group(frame: pl.DataFrame) -> Ints:
    return np.zeros(frame.height, dtype=np.int64)


@pytest.mark.parametrize(("count", "held"), [(1, 1), (2, 0), (3, 0)])
def test_events_between_counted_windows_are_held_by_none(count: int, held: int) -> None:
    (query,) = PROJECT.compile("SELECT COUNT(?m) AS n FROM (?m, MTR) WINDOW (?m, hopping, 2 events, 4 events)")
    state = held_by_windows(query, EVENTS[:count], BEGIN, of_one_group)
    assert [len(of.row) for of in state.bound.values()] == ([held] if held else [])


def test_all_that_has_still_to_come_is_bounded_by_windows() -> None:
    (query,) = PROJECT.compile(
        "SELECT ?a.id FROM (?a, MTR), (?b, MTR), (?c, MTR) SEQ (?a, ?b, ?c) WINDOW (?a, ?b, 5s) WINDOW (?b, ?c, 3s)"
    )
    minute = 60_000_000
    assert latest_completion(query, {"a": np.array([0, minute])}).tolist() == [5_000_000, minute + 5_000_000]
    assert latest_completion(query, {"a": np.array([0]), "b": np.array([1_000_000])}).tolist() == [4_000_000]


@pytest.mark.parametrize(("minutes", "held"), [(9, 3), (10, 2), (14, 2), (15, 1), (19, 0)])
def test_a_sliding_window_lets_go_of_what_is_as_old_as_it_is_long(minutes: int, held: int) -> None:
    (query,) = PROJECT.compile("SELECT COUNT(?m) AS n FROM (?m, MTR) WINDOW (?m, sliding, 10min)")
    state = held_by_windows(query, EVENTS, BEGIN + minutes * 60_000_000, of_one_group)
    assert [len(of.row) for of in state.bound.values()] == ([held] if held else [])


def test_partial_matches_lie_in_all_sliding_windows() -> None:
    text = "SELECT ?a.id FROM (?a, MTR), (?b, MTR) JOIN (?a.reading = ?b.reading)"
    windows = "WINDOW (?a, sliding, 10min) WINDOW (?b, sliding, 2 events)"
    (query,) = PROJECT.compile(f"{text} {windows}")
    never = np.array([2**62] * 2)
    parts = [({"a": np.array([0, 1])}, never), ({"b": np.array([0, 1])}, never)]
    both = {"a": np.array([1]), "b": np.array([2])}, never[:1]
    state = held_together({"a": EVENTS, "b": EVENTS}, [*parts, both])
    found = in_sliding_windows(query, state, BEGIN + 10 * 60_000_000)
    assert {v: (of.match.tolist(), of.row.tolist()) for v, of in found.bound.items()} == {
        "a": ([0], [1]),
        "b": ([1], [1]),
    }
    assert found.until.tolist() == [BEGIN + 15 * 60_000_000, 2**62]
