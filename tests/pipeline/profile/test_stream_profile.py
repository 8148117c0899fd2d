"""What tuples hold is counted while they pass, whatever the batches."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from kaicep import Project
from kaicep.annotator import AnnotatedBatch
from kaicep.pipeline.profile import StreamProfile, StreamProfiler, stream_profile
from kaicep.pipeline.sources import raw_table

STREAM = {
    "event_type": "<urn:Reading>",
    "time": {"attribute": "at"},
    "attributes": {
        "sensor": {"property": "<urn:sensor>", "individual": "<urn:{}>"},
        "room": {"property": "<urn:room>", "key": "<urn:number>"},
        "flow": {"datatype": "xsd:double"},
        "note": {"datatype": "xsd:string"},
    },
}
PROJECT = Project.parse({"streams": {"air": STREAM}})


def row(second: int, **values: object) -> dict[str, object]:
    return {"at": f"2026-01-01T00:00:{second:02d}Z", **values}


ROWS = [
    row(1, sensor="s1", flow=4.5, room="7", more=1),
    row(2, sensor="s2", flow=-1),
    row(3, sensor="s1", room="8", more=2),
    row(4, flow="x"),
    row(5, sensor="s3", flow=2),
]


def profile(*batches: list[dict[str, Any]]) -> StreamProfile:
    annotator = PROJECT.annotators["air"]
    profiler = StreamProfiler(annotator.shape)
    for batch in batches:
        profiler.note(annotator.annotate(raw_table(batch)))
    return profiler.profile


def test_names_values_ranges_and_individuals_are_counted() -> None:
    found = profile(ROWS)
    assert (found.events, found.rejected) == (4, 1)
    assert found.names == {"at": 5, "sensor": 4, "flow": 4, "room": 2, "more": 2}
    assert {name: a.values for name, a in found.attributes.items()} == {
        "at": 4, "sensor": 4, "room": 2, "flow": 3, "note": 0,
    }  # fmt: skip
    flow, at = found.attributes["flow"], found.attributes["at"]
    assert (flow.least, flow.greatest) == (-1.0, 4.5)
    assert (at.least, at.greatest) == tuple(datetime(2026, 1, 1, 0, 0, s, tzinfo=UTC) for s in (1, 5))
    assert found.individuals["sensor"] == {"urn:s1": 2, "urn:s2": 1, "urn:s3": 1}


def test_values_that_name_nobody_are_counted_as_they_are() -> None:
    found = profile(ROWS)
    assert found.individuals["room"] == {}
    assert found.unnamed == {"sensor": {}, "room": {"7": 1, "8": 1}}


def test_the_counts_do_not_depend_on_the_batches() -> None:
    one = [[each] for each in ROWS]
    assert profile(*one) == profile(ROWS[:2], ROWS[2:]) == profile(ROWS)


def test_events_of_long_ago_are_not_counted() -> None:
    """A replay has them without their tuples."""
    annotator = PROJECT.annotators["air"]
    profiler = StreamProfiler(annotator.shape)
    profiler.note(AnnotatedBatch.of_events(annotator.annotate(raw_table(ROWS)).events))
    assert profiler.profile.events == 0


def test_of_too_many_individuals_the_first_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream_profile, "_MOST_IDS", 2)
    found = profile(ROWS[:3], ROWS[4:])
    assert found.individuals["sensor"] == {"urn:s1": 2, "urn:s2": 1}
    assert found.uncounted == {"sensor"}
