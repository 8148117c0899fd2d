"""Streams, contexts and alarms of a server, as calls."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from kaicep import Client, PipelineError
from kaicep.config import Settings
from support.alarming import alarming_project, keep_changes
from support.archives import NINE, SECOND, archived_project
from support.servers import serving

CONTEXTS = """CREATE CONTEXTS air (calm DEFAULT, windy);
INITIATE CONTEXT windy FROM (?e, airflowReport) FILTER (?e.flowrate = 20);
TERMINATE CONTEXT windy FROM (?e, airflowReport) FILTER (?e.flowrate = 30)"""
BEGAN = datetime(2026, 1, 1, 9, tzinfo=UTC)
ATTRIBUTES = '[streams.airflowReport.attributes]\nflowrate = { datatype = "xsd:double" }\n'


def test_streams_their_events_and_what_held(tmp_path: Path) -> None:
    archived_project(tmp_path)
    (tmp_path / "air.chi").write_text(CONTEXTS)
    file = tmp_path / "kaicep.toml"
    file.write_text('[queries]\nfiles = ["air.chi"]\n' + file.read_text() + ATTRIBUTES)
    with serving(Settings.load(tmp_path)) as url:
        client = Client(url)
        (stream,) = client.streams()
        assert (stream.name, stream.event_type, stream.records) == ("airflowReport", "e:AirflowReport", 0)
        schema = client.stream("airflowReport")
        assert (schema.time, {one.name: one.type for one in schema.attributes}["flowrate"]) == ("timestamp", "double")
        assert schema.mapping is not None
        assert schema.mapping["streams"][0]["events"] == 150
        assert [event["flowrate"] for event in client.events("airflowReport", last=2)] == [74.0, 74.5]
        (known,) = client.contexts(last="1h")
        (windy,) = [window for window in known.windows if window.context == "windy"]
        assert (windy.start, windy.end) == (NINE + 40 * SECOND, NINE + 60 * SECOND)
        assert (known.start, known.end) == (NINE, NINE + 149 * SECOND)
        assert {one.name for one in known.contexts if one.default} == {"calm"}
        with pytest.raises(PipelineError, match="did you mean 'airflowReport'"):
            client.stream("airflowReprt")


def test_alarms_are_acknowledged(tmp_path: Path) -> None:
    settings = alarming_project(tmp_path)
    keep_changes(settings, ("B1", "raised", "started"), ("B2", "raised", "started"), ("B2", "raised", "ended"))
    with serving(settings) as url:
        client = Client(url)
        raised, over = client.alarms()
        assert (raised.key, raised.state, raised.raised, raised.by) == ({"room": "B1"}, "raised", BEGAN, "desk")
        assert (over.state, over.cleared, client.alarms(limit=1)) == ("cleared", BEGAN + 2 * SECOND, (raised,))
        event = client.acknowledge(raised.id, "Ada")
        assert (event["says"], event["room"], event["who"]) == ("seen", "B1", "Ada")
        with pytest.raises(PipelineError, match="the alarm is cleared already"):
            client.acknowledge(over.id)
    (file,) = (tmp_path / "desk").glob("*.jsonl")
    assert json.loads(file.read_text()) == event
