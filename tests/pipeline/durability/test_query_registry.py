"""Which queries are registered, and since when, survives without a snapshot."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from kaicep.pipeline.durability.query_registry import QueryRegistry
from support.living import IN_OFFICES, project


def test_registrations_keep_their_moment_as_long_as_the_query_is_the_same(tmp_path: Path) -> None:
    asked = project(tmp_path)
    (offices,) = asked.registrations(IN_OFFICES, "offices")
    (changed,) = asked.registrations(IN_OFFICES.replace("Office", "Store"), "offices")
    (other,) = asked.registrations(IN_OFFICES, "other")
    registry = QueryRegistry(tmp_path / "queries" / "registrations.json")
    assert registry.read([offices]) == []
    now = datetime(2026, 1, 1, tzinfo=UTC)
    registry.write([replace(offices, now=now), other])
    assert [(r.label, r.now) for r in registry.read([other, offices])] == [("other", None), ("offices", now)]
    assert registry.read([changed]) == []
