"""The events of a batch lie in the windows that hold them, partition by partition, whatever their order."""

from __future__ import annotations

import numpy as np
import polars as pl
from hypothesis import given
from hypothesis import strategies as st
from kaicep.cep.contexts import Change, ContextHistory
from kaicep.cep.contexts.partition_key import PartitionCodes
from kaicep.cep.contexts.window_ranges import EventRanges, listed_windows
from kaicep.cep.order import Interval
from kaicep.cep.partitions import NO_END, NO_START
from kaicep.language.nodes import (
    DEFAULT_BOUNDS,
    Calendar,
    CalendarStretch,
    ChangeKind,
    Context,
    ContextKey,
    ContextSet,
    ValueType,
)
from kaicep.language.source_text import Span

MINUTE = 60_000_000
NOON = Calendar((CalendarStretch(tuple(range(7)), 5, 10), CalendarStretch(tuple(range(7)), 20, 22)), "UTC")
KEY = (ContextKey("seg", ValueType.INTEGER),)
NAMES = ("clear", "jam", "accident")

changes = st.lists(
    st.tuples(
        st.integers(0, 25),
        st.sampled_from([ChangeKind.INITIATE, ChangeKind.TERMINATE]),
        st.sampled_from(NAMES[1:]),
        st.sampled_from("12"),
    ),
    max_size=10,
)
events = st.lists(st.tuples(st.integers(0, 30), st.sampled_from(["1", "2", "3", None])), max_size=14)


def history_of(drawn: list[tuple[int, ChangeKind, str, str]], *, calendar: bool) -> ContextHistory:
    """A set, with a calendar or without, after changes in the order of time."""
    contexts = [*map(Context, NAMES), *([Context("open", NOON)] if calendar else [])]
    history = ContextHistory(ContextSet("road", tuple(contexts), KEY, DEFAULT_BOUNDS, "", Span(0, 0)))
    for minute, kind, context, key in sorted(drawn, key=lambda one: one[0]):
        history.make([Change(minute * MINUTE, kind, context, key, (int(key),))])
    return history


@given(changes, events, st.booleans(), st.tuples(st.integers(0, 10), st.integers(15, 30)))
def test_ranges_are_what_every_window_holds(
    drawn: list[tuple[int, ChangeKind, str, str]],
    came: list[tuple[int, str | None]],
    calendar: bool,
    bounds: tuple[int, int],
) -> None:
    """Of each context: its windows, one by one, and the events that lie in them."""
    history = history_of(drawn, calendar=calendar)
    times = np.array([minute * MINUTE for minute, _ in came], dtype=np.int64)
    first, last = (moment * MINUTE for moment in bounds)
    ranges = EventRanges(
        PartitionCodes.of(pl.Series([key for _, key in came], dtype=pl.String)), times, Interval(first, last)
    )
    for context in [*NAMES, *history.calendars]:
        found = ranges.of(history, context)
        rows = np.split(found.rows(ranges.order), np.cumsum(found.sizes)[:-1]) if len(found) else []
        lying = {
            (n, k, s): sorted(r.tolist())
            for n, k, s, r in zip(found.numbers.tolist(), found.keys, found.since.tolist(), rows, strict=True)
        }
        expected: dict[tuple[int, str, int], list[int]] = {}
        for key in "123":
            for window in (
                history.windows(context, key, NO_START, 31 * MINUTE)
                if not calendar
                else history.windows(context, key, 0, 31 * MINUTE)
            ):
                inside = [
                    i
                    for i, (t, (_, own)) in enumerate(zip(times.tolist(), came, strict=True))
                    if own == key and window.since < t <= window.until and first <= t <= last
                ]
                if inside:
                    expected[history.number(window), key, window.since] = inside
        assert lying == expected
    numbers, placed = ranges.partitions(history, len(came))
    assert placed.tolist() == [
        key is not None and first <= t <= last for t, (_, key) in zip(times.tolist(), came, strict=True)
    ]
    assert [n for n, p in zip(numbers.tolist(), placed.tolist(), strict=True) if p] == [
        history.partition_number(key or "") for (_, key), p in zip(came, placed.tolist(), strict=True) if p
    ]
    assert ranges.unplaced == sum(key is None for _, key in came)


def test_ranges_follow_what_changes() -> None:
    """What is known of windows is asked again once something has changed."""
    history = history_of([], calendar=False)
    ranges = EventRanges(PartitionCodes.of(pl.Series(["1", "1"])), np.array([2 * MINUTE, 4 * MINUTE]), Interval())
    assert ranges.of(history, "clear") is ranges.of(history, "clear")
    mark = history.mark()
    history.make([Change(3 * MINUTE, ChangeKind.INITIATE, "jam", "1", (1,))])
    assert ranges.of(history, "jam").rows(ranges.order).tolist() == [1]
    assert ranges.of(history, "clear").until.tolist() == [3 * MINUTE]
    history.rewind(mark)
    assert not len(ranges.of(history, "jam"))
    assert ranges.of(history, "clear").until.tolist() == [NO_END]


def test_windows_are_listed_without_events() -> None:
    """Those that have ended are told of, too."""
    history = history_of([(3, ChangeKind.INITIATE, "jam", "1")], calendar=False)
    (ended,) = history.ended
    listed = listed_windows(history, "clear", [ended])
    assert (listed.numbers.tolist(), listed.until.tolist()) == ([history.number(ended)], [3 * MINUTE])


def test_between_events_far_apart_no_calendar_is_asked() -> None:
    """One event may be of a clock that was never set."""
    history = history_of([(30, ChangeKind.INITIATE, "jam", "1")], calendar=True)
    years = 2000 * 365 * 24 * 60 * MINUTE
    times = np.array([7 * MINUTE, 15 * MINUTE, years + 15 * MINUTE], dtype=np.int64)
    ranges = EventRanges(PartitionCodes.of(pl.Series(["1", "1", "2"])), times, Interval())
    assert ranges.of(history, "open").since.tolist() == [5 * MINUTE - 1]
    clear = ranges.of(history, "clear")
    assert sorted(clear.since.tolist()) == [10 * MINUTE - 1, years + 10 * MINUTE - 1]
    assert len(ranges.of(history, "jam")) == 0


def test_what_one_thread_looks_through_no_other_changes() -> None:
    """Queries ask on several threads at once: what was found is added to a copy."""
    history = history_of([(1, ChangeKind.INITIATE, "jam", "1")], calendar=False)
    ranges = EventRanges(
        PartitionCodes.of(pl.Series(["1", "1"])), np.array([0, 2 * MINUTE], dtype=np.int64), Interval(0, NO_END)
    )
    found = ranges.of(history, "jam")
    looked_through = ranges._found
    before = dict(looked_through)
    ranges.of(history, "clear")
    assert looked_through == before
    assert ranges.of(history, "jam") is found
