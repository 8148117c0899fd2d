"""The time of a stream that is read in splits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path

from hypothesis import example, given
from hypothesis import strategies as st
from kaicep.pipeline.sharding.split_part import Split, SplitReport
from kaicep.pipeline.sharding.stream_clock import StreamClock, latest
from support.shards import hosted_of


def at(second: int) -> datetime:
    return datetime(2024, 1, 1, 0, 0, second, tzinfo=UTC)


def report(place: int, greatest: datetime | None) -> SplitReport:
    return SplitReport(Split("P", place, Path("p.json")), f"{place}.parts", 1, greatest, 0, 0, 0, ())


def split_of(place: int, seconds: Sequence[int]) -> SplitReport:
    """What is told of a split whose events have these times, in order of arrival."""
    if not seconds:
        return report(place, None)
    lag = max(max(seconds[: i + 1]) - second for i, second in enumerate(seconds))
    found = report(place, at(max(seconds)))
    return replace(found, least=at(min(seconds)), lag=timedelta(seconds=lag))


LATENESS = 3
"""Seconds, of the stream."""
QUERIES = hosted_of()
SPLITS = st.lists(st.lists(st.integers(0, 30), max_size=4), max_size=4)


def test_each_split_knows_what_came_before_it() -> None:
    """In the order of arrival, whatever the order in which tasks end."""
    clock = StreamClock(hosted_of(), "P", (at(4), None))
    read = clock.read([report(2, at(8)), report(0, at(6)), report(1, None), report(3, at(5))])
    assert [(split.place, split.start) for split in read] == [(0, at(4)), (1, at(6)), (2, at(6)), (3, at(8))]


def test_the_watermark_lies_behind_the_greatest_time_stamp() -> None:
    clock = StreamClock(hosted_of(), "P")
    found = [clock.watermark]
    clock.pass_to([None, at(9), at(7)])
    found.append(clock.watermark)
    clock.advance(at(8))
    clock.pass_to([at(5)])
    assert [*found, clock.watermark] == [None, at(6), at(8)]
    assert clock.moments == (at(9), at(8))


def test_where_the_watermark_will_be_behind_splits() -> None:
    """As far as their events count; the clock stays where it is."""
    clock = StreamClock(hosted_of(), "P", (at(9), at(7)))
    assert clock.watermark_behind([report(0, at(6)), report(1, None)]) == at(7)
    assert clock.watermark_behind([report(0, at(20))]) == at(17)
    assert clock.watermark == at(7)


@given(splits=SPLITS, before=st.none() | st.integers(0, 30), floor=st.none() | st.integers(0, 20))
@example(splits=[[4, 5], [], [6, 9]], before=3, floor=2)
@example(splits=[[4, 7, 4], [8]], before=3, floor=None)
@example(splits=[[8, 9], [6, 7]], before=5, floor=None)
def test_splits_are_clear_where_nothing_can_be_late_or_have_an_equal(
    splits: list[list[int]], before: int | None, floor: int | None
) -> None:
    """What was seen has any time up to the greatest before: so each event has to be above that."""
    moments = None if before is None else at(before), None if floor is None else at(floor)
    clock = StreamClock(QUERIES, "P", moments)
    clear = clock.is_clear([split_of(place, seconds) for place, seconds in enumerate(splits)])
    greatest, late = before, False
    for second in (second for seconds in splits for second in seconds):
        late |= greatest is not None and second < greatest - LATENESS
        late |= floor is not None and second < floor
        greatest = second if greatest is None else max(greatest, second)
    spans = sorted((min(seconds), max(seconds)) for seconds in splits if seconds)
    apart = all(end < start for (_, end), (start, _) in pairwise(spans))
    fresh = before is None or all(start > before for start, _ in spans)
    assert clear == (not late and apart and fresh)


def test_splits_whose_identities_say_nothing_of_time_are_never_clear() -> None:
    splits = [split_of(0, [1]), split_of(1, [2])]
    assert StreamClock(hosted_of(), "P").is_clear(splits)
    assert not StreamClock(hosted_of(), "Q").is_clear(splits)


def test_the_latest_of_moments() -> None:
    assert latest([None, at(1), at(3), None]) == at(3)
    assert latest([]) is None
