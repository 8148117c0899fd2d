"""WITHIN: `(` and `)` include their bound, `[` and `]` exclude it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kaicep.errors import PlanError
from kaicep.language.nodes.bounds import Bounds, Instant
from kaicep.planner.backfill_chunks import TimeRange, covering_range
from kaicep.planner.within_bounds import Range, bounds_in_words, duration_in_words, resolve_bounds

NINE = datetime(2012, 5, 7, 9, tzinfo=UTC)
HOUR = timedelta(hours=1)
NOW = Instant(None, timedelta(0), inclusive=False)
DEFAULT = Bounds(NOW, None, None)


def span(lower: datetime | None, upper: datetime | None, *, inclusive: tuple[bool, bool]) -> Range:
    return Range(lower, inclusive[0], upper, inclusive[1])


def table(*moments: datetime) -> pa.Table:
    return pa.table({"_time": pa.array(moments, pa.timestamp("us", tz="UTC")), "row": range(len(moments))})


def rows(kept: pa.Table) -> list[int]:
    return list(kept["row"].to_pylist())


instants = st.none() | st.builds(
    Instant,
    st.none() | st.integers(-6, 6).map(lambda h: NINE + h * HOUR),
    st.integers(-4, 4).map(lambda h: h * HOUR),
    st.booleans(),
)
moments = st.lists(st.integers(-8, 8).map(lambda h: NINE + h * HOUR), max_size=12)


def lies_within(moment: datetime, bounds: Bounds, now: datetime) -> bool:
    """docs/semantics.md 3.15, one moment at a time."""

    def at(instant: Instant) -> datetime:
        return instant.moment if instant.moment is not None else now + instant.offset

    low, high = bounds.lower, bounds.upper
    above = low is None or moment > at(low) or (low.inclusive and moment == at(low))
    below = high is None or moment < at(high) or (high.inclusive and moment == at(high))
    return above and below


@given(instants, instants, moments)
def test_selects_what_lies_within_in_order(lower: Instant | None, upper: Instant | None, times: list[datetime]) -> None:
    bounds = Bounds(lower, upper, None)
    expected = [i for i, t in enumerate(times) if lies_within(t, bounds, NINE)]
    assert rows(resolve_bounds(bounds, NINE).select(table(*times))) == expected


@given(instants, instants, moments, st.integers(-8, 8))
def test_closed_means_that_nothing_from_the_watermark_on_lies_within(
    lower: Instant | None, upper: Instant | None, times: list[datetime], hours: int
) -> None:
    within = resolve_bounds(Bounds(lower, upper, None), NINE)
    watermark = NINE + hours * HOUR
    later = [t for t in times if t >= watermark]
    if within.closed(watermark):
        assert within.select(table(*later)).num_rows == 0
    elif within.upper is not None and not within.empty:
        assert within.upper >= watermark


@given(instants, instants, moments)
def test_an_empty_range_selects_nothing_and_is_closed_from_the_start(
    lower: Instant | None, upper: Instant | None, times: list[datetime]
) -> None:
    within = resolve_bounds(Bounds(lower, upper, None), NINE)
    if within.empty:
        assert within.select(table(*times)).num_rows == 0
        assert within.closed(None)


def test_the_default_is_everything_after_now() -> None:
    assert resolve_bounds(DEFAULT, NINE) == span(NINE, None, inclusive=(False, False))
    assert rows(resolve_bounds(DEFAULT, NINE).select(table(NINE - HOUR, NINE, NINE + HOUR))) == [2]


def test_before_the_first_event_now_lies_before_every_event() -> None:
    assert resolve_bounds(DEFAULT, None).select(table(NINE)).num_rows == 1
    later = Bounds(Instant(None, HOUR, inclusive=False), None, None)
    assert resolve_bounds(later, None).select(table(NINE)).num_rows == 1
    past = Bounds(None, Instant(None, HOUR, inclusive=True), None)
    assert resolve_bounds(past, None).empty
    assert resolve_bounds(past, None).select(table(NINE)).num_rows == 0


def test_what_is_wholly_within_is_not_copied() -> None:
    events = table(NINE, NINE + HOUR)
    assert resolve_bounds(Bounds(None, None, None), NINE).select(events) is events
    assert resolve_bounds(DEFAULT, NINE - HOUR).select(events) is events


def test_microseconds_decide() -> None:
    tick = timedelta(microseconds=1)
    within = resolve_bounds(Bounds(Instant(NINE, timedelta(0), inclusive=False), None, None), None)
    assert rows(within.select(table(NINE, NINE + tick))) == [1]


def test_bounds_in_another_zone_are_the_same_moments() -> None:
    zone = timezone(timedelta(hours=2))
    there = Instant(datetime(2012, 5, 7, 11, tzinfo=zone), timedelta(0), inclusive=True)
    assert resolve_bounds(Bounds(there, None, None), None).lower == NINE
    assert str(resolve_bounds(Bounds(there, None, None), None)) == "from 2012-05-07T09:00:00Z (inclusive) on"


def test_durations_beyond_the_calendar_are_cut() -> None:
    ages = timedelta(days=900_000)
    far = resolve_bounds(
        Bounds(Instant(None, -ages, inclusive=True), Instant(None, 4 * ages, inclusive=True), None), NINE
    )
    assert (far.lower, far.upper) == (None, None)
    assert resolve_bounds(Bounds(None, Instant(None, -ages, inclusive=True), None), NINE).empty


def test_a_moment_without_zone_is_refused() -> None:
    with pytest.raises(PlanError) as error:
        resolve_bounds(DEFAULT, datetime(2012, 5, 7))  # noqa: DTZ001  # the mistake
    assert str(error.value) == "the moment of registration 2012-05-07T00:00:00 has no zone: give it tzinfo=UTC"


def at(moment: datetime | None, offset: timedelta = timedelta(0), *, inclusive: bool = False) -> Instant:
    return Instant(moment, offset, inclusive)


@pytest.mark.parametrize(
    ("bounds", "words"),
    [
        (Bounds(at(NINE, inclusive=True), None, None), "from 2012-05-07T09:00:00Z (inclusive) on"),
        (DEFAULT, "from now (exclusive) on"),
        (Bounds(None, at(None, inclusive=True), None), "up to now (inclusive)"),
        (Bounds(None, None, None), "all of time"),
        (
            Bounds(at(None, -5 * timedelta(minutes=1), inclusive=True), at(None, HOUR), None),
            "from now - 5min (inclusive) to now + 1h (exclusive)",
        ),
    ],
)
def test_bounds_in_words(bounds: Bounds, words: str) -> None:
    assert bounds_in_words(bounds) == words


@pytest.mark.parametrize(
    ("within", "words"),
    [
        (
            span(NINE, NINE + HOUR, inclusive=(True, False)),
            "from 2012-05-07T09:00:00Z (inclusive) to 2012-05-07T10:00:00Z (exclusive)",
        ),
        (span(NINE, NINE, inclusive=(True, False)), "nothing: no moment lies within"),
        (span(None, NINE, inclusive=(False, True)), "up to 2012-05-07T09:00:00Z (inclusive)"),
    ],
)
def test_ranges_in_words(within: Range, words: str) -> None:
    assert str(within) == words


@pytest.mark.parametrize(
    ("duration", "words"),
    [
        (timedelta(weeks=2), "2week"),
        (timedelta(days=1), "1d"),
        (timedelta(minutes=90), "90min"),
        (timedelta(seconds=90), "90s"),
        (timedelta(milliseconds=1500), "1500ms"),
        (timedelta(microseconds=1500), "1.5ms"),
        (timedelta(0), "0ms"),
    ],
)
def test_durations_in_words(duration: timedelta, words: str) -> None:
    assert duration_in_words(duration) == words


def test_a_span_has_just_the_moments_of_its_ranges() -> None:
    ten, tick = NINE + HOUR, timedelta(microseconds=1)
    assert covering_range([span(NINE, ten, inclusive=(True, True))]) == TimeRange(NINE, ten + tick)
    assert covering_range([span(NINE, ten, inclusive=(False, False))]) == TimeRange(NINE + tick, ten)
    open_ended = span(NINE, None, inclusive=(False, False))
    assert covering_range([open_ended, span(ten, ten, inclusive=(True, True))]) == TimeRange(NINE + tick, None)


@given(a=instants, b=instants, c=instants, d=instants, of=moments)
def test_what_two_ranges_share_lies_in_both(
    a: Instant | None, b: Instant | None, c: Instant | None, d: Instant | None, of: list[datetime]
) -> None:
    one, other = (resolve_bounds(Bounds(*pair, None), NINE) for pair in ((a, b), (c, d)))
    assert rows(one.meet(other).select(table(*of))) == rows(other.select(one.select(table(*of))))
