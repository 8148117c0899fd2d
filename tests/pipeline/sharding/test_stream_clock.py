"""The time of a stream that is read in splits."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from kaicep.pipeline.sharding.split_part import Split, SplitReport
from kaicep.pipeline.sharding.stream_clock import StreamClock, latest
from support.shards import hosted_of


def at(second: int) -> datetime:
    return datetime(2024, 1, 1, 0, 0, second, tzinfo=UTC)


def report(place: int, greatest: datetime | None) -> SplitReport:
    return SplitReport(Split("P", place, Path("p.json")), f"{place}.parts", 1, greatest, 0, 0, 0, ())


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


def test_the_latest_of_moments() -> None:
    assert latest([None, at(1), at(3), None]) == at(3)
    assert latest([]) is None
