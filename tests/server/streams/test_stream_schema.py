"""The schema of a stream, and how its newest events go with the model."""

from __future__ import annotations

from pathlib import Path

import pyoxigraph as ox
from kaicep.config import Settings
from kaicep.server.streams.stream_schema import stream_schema
from support.archives import archived_project

NONE = ox.Store()


def test_what_the_events_of_a_stream_are(plain: Settings) -> None:
    found = stream_schema(NONE, plain, "air")
    assert (found["name"], found["identity"], found["lateness"]) == ("air", ["sensor", "at"], "0s")
    assert {one["name"]: (one["type"], one["property"], one["individual"]) for one in found["attributes"]} == {
        "sensor": ("string", "urn:ex:sensor", True),
        "flow": ("double", "urn:ex:flow", False),
        "at": ("dateTime", "urn:ex:at", False),
    }
    assert found["mapping"] is None


def test_with_events_there_is_a_mapping_report(tmp_path: Path) -> None:
    archived_project(tmp_path)
    with (tmp_path / "kaicep.toml").open("a") as file:
        file.write('[streams.airflowReport.attributes]\nflowrate = { datatype = "xsd:double" }\n')
    found = stream_schema(NONE, Settings.load(tmp_path), "airflowReport")
    (stream,) = found["mapping"]["streams"]
    assert (stream["stream"], stream["events"]) == ("airflowReport", 150)
