"""Reasons and charts become values from the JSON of a server."""

from __future__ import annotations

from datetime import UTC, datetime

from kaicep.api.remote import RemoteChart, RemoteMark, RemoteReasons, RemoteSeries
from pydantic import TypeAdapter

EIGHT = datetime(2026, 6, 1, 8, tzinfo=UTC)


def test_reasons() -> None:
    event = {"id": "urn:ex:1", "stream": "air", "time": None, "attributes": {"flow": 60.5}, "variable": "e"}
    told = {"match": {"flow": 60.5}, "events": [event], "reasons": [], "contexts": None, "notes": ["n"]}
    found = TypeAdapter(RemoteReasons).validate_python(told)
    assert (found.events[0].attributes["flow"], found.events[0].time, found.notes) == (60.5, None, ("n",))


def test_a_chart() -> None:
    eight = "2026-06-01T08:00:00Z"
    told = {
        "series": [{"name": "flow s1", "unit": None, "points": [[eight, 40.0]]}],
        "threshold": [50.0],
        "matches": [{"id": "a", "time": eight}],
        "from": eight,
        "to": None,
    }
    series = RemoteSeries("flow s1", None, ((EIGHT, 40.0),))
    expected = RemoteChart((series,), (50.0,), (RemoteMark("a", EIGHT),), EIGHT, None)
    assert TypeAdapter(RemoteChart).validate_python(told) == expected
