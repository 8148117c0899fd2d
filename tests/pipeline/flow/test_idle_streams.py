"""Silent streams: how far the clock moves their watermarks (docs/semantics.md 1.5)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from kaicep.pipeline.flow.idle_streams import IdleStreams
from support.clock import Clock

START = datetime(2026, 1, 1, tzinfo=UTC)
TIMEOUT = timedelta(seconds=30)
LAST = datetime.max.replace(tzinfo=UTC)


def at(seconds: float) -> datetime:
    return START + timedelta(seconds=seconds)


def test_the_watermark_goes_on_from_where_it_was_at_the_pace_of_the_clock() -> None:
    clock = Clock()
    idleness = IdleStreams({"air": TIMEOUT}, clock)
    idleness.heard(["air"])
    watermark, moved = at(0), []
    for _ in range(5):
        clock.seconds += 15
        found = idleness.advances({"air": watermark}, {"air": watermark}, ["air"])
        watermark = found.get("air", watermark)
        moved.append(found)
    assert moved == [{}, {}, {"air": at(15)}, {"air": at(30)}, {"air": at(45)}]


def test_an_event_begins_the_silence_anew() -> None:
    clock = Clock()
    idleness = IdleStreams({"air": TIMEOUT, "door": TIMEOUT}, clock)
    clock.seconds = 29
    idleness.heard(["air"])
    clock.seconds = 31
    watermarks: dict[str, datetime | None] = {"air": at(0), "door": at(0)}
    due = {"air": at(0), "door": at(0)}
    assert idleness.advances(due, watermarks, watermarks) == {"door": at(1)}
    clock.seconds = 60
    assert idleness.advances(due, watermarks, watermarks) == {"air": at(1), "door": at(30)}


def test_nothing_moves_that_nobody_waits_for() -> None:
    """Nor before the watermark that is waited for would be reached."""
    clock = Clock()
    idleness = IdleStreams({"air": TIMEOUT}, clock)
    clock.seconds = 50
    assert idleness.advances({}, {"air": at(0)}, ["air"]) == {}
    assert idleness.advances({"air": at(20.1)}, {"air": at(0)}, ["air"]) == {}
    assert idleness.advances({"air": at(20)}, {"air": at(0)}, ["air"]) == {"air": at(20)}


def test_a_watermark_never_goes_back() -> None:
    clock = Clock()
    idleness = IdleStreams({"air": TIMEOUT}, clock)
    clock.seconds = 40
    assert idleness.advances({"air": at(0)}, {"air": at(0)}, ["air"]) == {"air": at(10)}
    clock.seconds = 39
    assert idleness.advances({"air": at(0)}, {"air": at(10)}, ["air"]) == {}


def test_a_stream_that_has_not_begun_follows_the_slowest_other() -> None:
    clock = Clock()
    idleness = IdleStreams({"air": TIMEOUT, "door": timedelta(seconds=10), "gate": TIMEOUT}, clock)
    watermarks: dict[str, datetime | None] = {"air": at(100), "door": None, "gate": at(60)}
    clock.seconds = 11
    assert idleness.advances({"door": at(0)}, watermarks, ["air", "gate"]) == {"door": at(50)}
    clock.seconds = 40  # the others are silent as well, and go on
    found = idleness.advances({"door": at(0), "gate": at(0)}, watermarks, ["air", "gate"])
    assert found == {"door": at(60), "gate": at(70)}


def test_it_follows_one_that_nobody_waits_for_as_well() -> None:
    """One reading, and a desk that nobody has sat at yet: the reading's rows wait for the desk alone."""
    clock = Clock()
    idleness = IdleStreams({"air": TIMEOUT, "desk": TIMEOUT}, clock)
    watermarks: dict[str, datetime | None] = {"air": at(1), "desk": None}
    clock.seconds = 59
    assert idleness.advances({"desk": at(0)}, watermarks, ["air"]) == {"desk": at(0)}
    watermarks["desk"] = at(0)
    clock.seconds = 69
    assert idleness.advances({"desk": at(1)}, watermarks, ["air"]) == {"desk": at(10)}


def test_where_no_stream_has_begun_there_is_no_time() -> None:
    clock = Clock()
    idleness = IdleStreams({"air": TIMEOUT, "door": TIMEOUT}, clock)
    clock.seconds = 1e6
    assert idleness.advances({"air": at(0), "door": at(0)}, {"air": None, "door": None}, []) == {}


def test_never_is_never() -> None:
    clock = Clock()
    idleness = IdleStreams({"air": timedelta.max, "door": TIMEOUT}, clock)
    clock.seconds = 1e9
    assert idleness.advances({"air": at(0)}, {"air": at(0)}, ["air"]) == {}
    assert idleness.patience == TIMEOUT


def test_a_stream_at_the_end_of_the_calendar_stays_there() -> None:
    clock = Clock()
    idleness = IdleStreams({"air": TIMEOUT}, clock)
    clock.seconds = 60
    near = LAST - timedelta(seconds=1)
    assert idleness.advances({"air": near}, {"air": near}, ["air"]) == {"air": LAST}


def test_a_stream_is_silent_only_as_far_as_the_batch_at_work_can_tell() -> None:
    """What comes while it takes its time is in the next one."""
    clock = Clock()
    idleness = IdleStreams({"air": TIMEOUT}, clock)
    waiting = {"air": at(0)}
    with idleness.delivery():
        idleness.heard(["air"])
        clock.seconds += 20
    with idleness.delivery():
        clock.seconds += 100
        assert idleness.advances(waiting, waiting, ["air"]) == {}
    assert idleness.advances(waiting, waiting, ["air"]) == {"air": at(90)}  # the heart beats
    clock.seconds += 5
    idleness.ask()
    clock.seconds += 1000
    with idleness.delivery():
        assert idleness.advances(waiting, waiting, ["air"]) == {"air": at(95)}
