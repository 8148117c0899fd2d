"""Streams and contexts become values from the JSON of a server, whose names Python has not."""

from __future__ import annotations

from datetime import UTC, datetime

from kaicep.api.remote import RemoteStream, RemoteWindow
from pydantic import TypeAdapter

EIGHT = datetime(2026, 6, 1, 8, tzinfo=UTC)


def test_a_stream() -> None:
    counts = dict.fromkeys(("records", "late", "duplicates", "dead", "unlinked"), 3)
    told = {"name": "air", "class": "ex:Reading", "rate": 20, "lag_s": 1.5, "newest": "2026-06-01T08:00:00Z"}
    found = TypeAdapter(RemoteStream).validate_python(told | counts | {"source": "none", "of a newer server": 1})
    assert (found.event_type, found.lag, found.newest, found.dead) == ("ex:Reading", 1.5, EIGHT, 3)


def test_a_window() -> None:
    told = {"context": "open", "key": {"room": "r1"}, "from": "2026-06-01T08:00:00Z", "to": None}
    assert TypeAdapter(RemoteWindow).validate_python(told) == RemoteWindow("open", {"room": "r1"}, EIGHT, None)
