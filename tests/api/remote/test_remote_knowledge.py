"""Modules and what is kept become values from the JSON of a server, and the same JSON again."""

from __future__ import annotations

from datetime import UTC, datetime

from kaicep.api.remote import RemoteArchive, RemoteGraph
from pydantic import TypeAdapter

EIGHT, NINE = datetime(2026, 6, 1, 8, tzinfo=UTC), datetime(2026, 6, 1, 9, tzinfo=UTC)


def test_a_graph() -> None:
    told = {"module": "rooms.ttl", "triples": 3, "from": "project", "version": 1, "batch": 7, "since": EIGHT}
    assert TypeAdapter(RemoteGraph).validate_python(told) == RemoteGraph("rooms.ttl", 3, "project", 1, 7, EIGHT)


def test_an_archive() -> None:
    times = {"from": "2026-06-01T08:00:00Z", "to": "2026-06-01T09:00:00Z"}
    gap = [*times.values(), "segments are in quarantine"]
    stream = {"name": "air", "events": 2, **times, "covered": [list(times.values())], "gaps": [gap]}
    told = {"events": 2, "bytes": 180, **times, "streams": [stream]}
    reader = TypeAdapter(RemoteArchive)
    found = reader.validate_python(told)
    assert (found.start, found.streams[0].gaps) == (EIGHT, ((EIGHT, NINE, "segments are in quarantine"),))
    assert reader.dump_python(found, mode="json", by_alias=True) == told
