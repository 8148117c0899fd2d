"""Which windows a clause makes, how many hold an event, and when the next one ends (docs/semantics.md 3.14)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Literal

import numpy as np
import pytest
from kaicep.cep.windows.window_assigner import WindowAssigner, WindowClause, windows_per_event
from kaicep.cep.windows.window_frames import WindowRows
from kaicep.errors import OperatorError
from kaicep.language.nodes import BatchWindow, CumulateWindow, HoppingWindow, SessionWindow, SlidingWindow
from support.operators import compiled

SPAN = compiled("SELECT ?e FROM (?e, readings)").span
SECOND = 10**6


def seconds(count: float) -> timedelta:
    return timedelta(seconds=count)


def rows(*times: int) -> WindowRows:
    return WindowRows(np.array(times) * SECOND, None, None, 0)


SLIDING = SlidingWindow("e", seconds(5), SPAN)
BATCH = BatchWindow("e", seconds(5), None, SPAN)
HOPPING = HoppingWindow("e", seconds(5), seconds(2), SPAN)
CUMULATE = CumulateWindow("e", seconds(6), seconds(2), SPAN)
SESSION = SessionWindow("e", seconds(2), SPAN)


@pytest.mark.parametrize(
    ("window", "ends"),
    [(SLIDING, [1, 3, 8]), (BATCH, [5]), (HOPPING, [3, 5, 7]), (CUMULATE, [2, 4, 6]), (SESSION, [3, 5])],
)
def test_windows_are_those_of_their_kind_that_the_watermark_has_passed(window: WindowClause, ends: list[int]) -> None:
    found = WindowAssigner(window).windows(rows(1, 3, 8), SECOND, 0, 8 * SECOND)
    assert (found.upper / SECOND).tolist() == ends


@pytest.mark.parametrize(("window", "due"), [(SLIDING, None), (BATCH, 5), (HOPPING, 3), (CUMULATE, 2), (SESSION, 3)])
def test_the_next_end_is_when_the_watermark_makes_the_first_window(window: WindowClause, due: int | None) -> None:
    held, assigner = rows(1, 7), WindowAssigner(window)
    found = assigner.due(lambda: held, SECOND, SECOND, 0)
    assert found == (None if due is None else due * SECOND)
    if found is not None:
        assert not len(assigner.windows(held, SECOND, 0, found - 1).start)
        assert len(assigner.windows(held, SECOND, 0, found).start) == 1


@pytest.mark.parametrize(
    ("start", "end"),
    [(None, 10), ("first", 12), (datetime.fromtimestamp(1, UTC), 11)],
    ids=["epoch", "first", "moment"],
)
def test_batch_windows_begin_where_their_clause_says(start: Literal["first"] | datetime | None, end: int) -> None:
    assigner = WindowAssigner(BatchWindow("e", seconds(5), start, SPAN))
    assert assigner.first_end(7 * SECOND, first=2 * SECOND) == end * SECOND


@pytest.mark.parametrize(
    ("window", "count"),
    [(SLIDING, 1), (BATCH, 1), (HOPPING, 3), (CUMULATE, 3), (SESSION, 1), (HoppingWindow("e", 7, 2, SPAN), 4)],
)
def test_an_event_lies_in_so_many_windows(window: WindowClause, count: int) -> None:
    assert windows_per_event(window) == count


@pytest.mark.parametrize("window", [HOPPING, CUMULATE])
def test_how_many_windows_there_are_is_told_before_they_are_made(window: WindowClause) -> None:
    told: list[int] = []
    found = WindowAssigner(window, told.append).windows(rows(1, 3, 8), SECOND, 0, 20 * SECOND)
    assert told == [len(found.start)]


def test_size_and_step_are_both_durations_or_both_numbers() -> None:
    with pytest.raises(OperatorError) as caught:
        WindowAssigner(HoppingWindow("e", seconds(1), 2, SPAN)).windows(rows(1), SECOND, 0, SECOND)
    assert str(caught.value) == "size and step are of different kinds: give both as durations or as events"
