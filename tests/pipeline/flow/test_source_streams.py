"""Source streams: what is admitted, and how far their watermarks are."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from kaicep import Project
from kaicep.cep import END_OF_TIME
from kaicep.pipeline.flow import StreamResult, live_batch
from kaicep.pipeline.flow.source_streams import SourceStreams, admission_of
from kaicep.pipeline.sources import raw_table

START = datetime(2026, 1, 1, tzinfo=UTC)
STREAM = {"event_type": "<urn:R>", "time": {"attribute": "at"}, "attributes": {"x": {"datatype": "xsd:integer"}}}
NO_LATENESS = {"air": timedelta(0), "door": timedelta(0)}


@pytest.fixture
def project() -> Project:
    return Project.parse({"streams": {"air": {**STREAM, "identity": ["x"]}, "door": STREAM}})


def admitted(streams: SourceStreams, project: Project, *seconds: int) -> StreamResult:
    tuples: list[dict[str, Any]] = [{"at": (START + timedelta(seconds=s)).isoformat(), "x": s} for s in seconds]
    return streams.admit("air", live_batch(project.judgement.annotators, {"air": raw_table(tuples)}).events["air"])


def test_each_stream_has_its_own_time(project: Project) -> None:
    streams = SourceStreams(project.judgement.annotators, {**NO_LATENESS, "air": timedelta(seconds=2)})
    assert streams.watermarks == {"air": None, "door": None}
    result = admitted(streams, project, 3, 1, 0, 3)
    assert (result.events["x"].to_pylist(), result.late["x"].to_pylist(), result.duplicates) == ([3, 1], [0], 1)
    assert streams.begun == {"air"}
    assert streams.greatest == {"air": START + timedelta(seconds=3), "door": None}
    streams.advance({"door": START})
    assert streams.watermarks == {"air": START + timedelta(seconds=1), "door": START}
    again = SourceStreams(project.judgement.annotators, {**NO_LATENESS, "air": timedelta(seconds=2)})
    again.restore(streams.snapshot())
    assert again.watermarks == streams.watermarks
    assert again.end() == {"air": END_OF_TIME, "door": END_OF_TIME}


def test_what_is_forgotten_of_identities_is_said_once(project: Project, caplog: pytest.LogCaptureFixture) -> None:
    streams = SourceStreams(project.judgement.annotators, NO_LATENESS, identities=3)
    for second in range(6):
        admitted(streams, project, second)
    said = "'air' has had more than 3 identities, and the earliest are forgotten: a record that comes again after "
    hint = "so many others is new; let its identity have the time stamp, or raise identities under [engine]"
    assert [record.message for record in caplog.records] == [said + hint]


def test_an_identity_without_time_is_kept_beyond_the_watermark(project: Project) -> None:
    air, door = (project.judgement.annotators[name] for name in ("air", "door"))
    for annotator, kept in ((air, 1), (door, 0)):
        admission = admission_of(annotator, timedelta(0))
        first = live_batch({"s": annotator}, {"s": raw_table([{"at": START.isoformat(), "x": 7}])}).events["s"].events
        admission.admit(first)
        admission.advance(START + timedelta(hours=1))
        found = admission.admit(first)
        assert (found.duplicates, found.late.num_rows) == (kept, 1 - kept)
