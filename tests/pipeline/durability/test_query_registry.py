"""Which queries are registered, and since when, survives without a snapshot."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
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


@pytest.mark.parametrize("content", ["", "{", "[]", '{"offices": {}}', '{"offices": {"query": "x", "now": "y"}}'])
def test_a_damaged_file_is_told_once_and_written_anew(tmp_path: Path, content: str) -> None:
    (offices,) = project(tmp_path).registrations(IN_OFFICES, "offices")
    path, told = tmp_path / "queries" / "registrations.json", list[str]()
    registry = QueryRegistry(path, told.append)
    registry.write([offices])
    path.write_text(content)
    assert [registry.read([offices]), registry.read([offices])] == [[], []]
    (line,) = told
    assert line.startswith(f"recovery: {path} cannot be read (")
    assert line.endswith("); it is made anew from the snapshots")
    assert registry.damaged
    registry.write([offices])
    assert not registry.damaged
    assert QueryRegistry(path).read([offices]) == [offices]
