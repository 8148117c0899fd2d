"""What a query takes of its events: what its past has not given, a share, and later what it has to wait with."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pyarrow as pa
from kaicep import Project
from kaicep.pipeline.flow.queries.candidates import EventBatch
from kaicep.pipeline.flow.queries.intake import EventIntake, EventSplits
from kaicep.planner import BackfillChunk, Seam

START = datetime(2026, 1, 1, tzinfo=UTC)
STREAM = {"event_type": "<urn:R>", "time": {"attribute": "at"}, "attributes": {"x": {"datatype": "xsd:integer"}}}
PROJECT = Project.parse({"streams": {"air": STREAM, "sun": STREAM}})
QUERY = PROJECT.compile("SELECT ?e.x AS x FROM (?e, air)")[0]


def events(first: int, last: int) -> dict[str, EventBatch]:
    """Of each of these seconds one, in both streams."""
    times = pa.array([START + timedelta(seconds=s) for s in range(first, last)], pa.timestamp("us", "UTC"))
    return {
        name: EventBatch(pa.table({"_id": [f"{name}-{s}" for s in range(first, last)], "_time": times}))
        for name in ("air", "sun")
    }


def taken(intake: EventIntake, first: int, last: int, watermark: datetime | None = None) -> dict[str, int]:
    found = intake.taken(events(first, last), watermark)
    return {stream: batch.table.num_rows for stream, batch in found.items()}


def given(first: int, last: int) -> Seam:
    """A past that gave these seconds of its stream, all of which may come again."""
    seam = Seam({"air": START})
    seam.note(BackfillChunk({}, events={"air": events(first, last)["air"].table}))
    return seam


def test_without_a_past_and_a_share_everything_is_taken() -> None:
    intake, some = EventIntake(QUERY, None), events(0, 5)
    assert intake.is_whole(None)
    assert intake.taken(some, None) is some
    assert intake.left(some) is some


def test_what_the_past_gave_is_not_taken_again_until_none_of_it_can_come() -> None:
    intake = EventIntake(QUERY, None)
    intake.seam = given(0, 8)
    assert not intake.is_whole(START)
    assert taken(intake, 5, 10, START) == {"air": 2}
    assert intake.is_whole(START + timedelta(seconds=8))
    assert taken(intake, 5, 10) == {"air": 5, "sun": 5}


def test_a_share_is_taken_of_what_it_reads_alone() -> None:
    intake = EventIntake(QUERY, 0.5)
    assert not intake.is_whole(None)
    found = taken(intake, 0, 100)
    assert 0 < found["air"] < 100
    assert found["sun"] == 100
    assert intake.shed is not None
    assert (intake.shed.read, intake.shed.passed) == (100, 100 - found["air"])


def test_what_it_has_waited_with_is_taken_once() -> None:
    intake = EventIntake(QUERY, None)
    intake.seam = given(0, 8)
    intake.hold(events(5, 10), START)
    released = intake.release(START + timedelta(seconds=9), EventSplits())
    assert {stream: batch.table["_id"].to_pylist() for stream, batch in released.items()} == {"air": ["air-8"]}
    again = events(0, 3)
    assert intake.answered(again, START) is again  # what is released has met the seam already
    assert intake.held.earliest == START + timedelta(seconds=9)
