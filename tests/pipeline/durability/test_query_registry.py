"""Which queries are registered, and since when, survives without a snapshot."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from kaicep.pipeline.durability.query_registry import QueryRegistry, RequestedQueries
from kaicep.storage import read_mirrored, remove_mirrored
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
    remove_mirrored(path)
    path.write_text(content)
    assert [registry.read([offices]), registry.read([offices])] == [[], []]
    (line,) = told
    assert line.startswith(f"recovery: {path} cannot be read (")
    assert line.endswith("); it is made anew from the snapshots")
    assert registry.damaged
    registry.write([offices])
    assert not registry.damaged
    assert QueryRegistry(path).read([offices]) == [offices]


@pytest.mark.parametrize("which", ["registrations.json", ".registrations.json.copy"])
@pytest.mark.parametrize("harm", [lambda _: b"", lambda content: content[:70], lambda content: content[:-9] + b"?" * 9])
def test_what_is_damaged_is_read_from_its_mirror(tmp_path: Path, which: str, harm: Callable[[bytes], bytes]) -> None:
    """And where both are, that is told."""
    (offices,) = project(tmp_path).registrations(IN_OFFICES, "offices")
    told = list[str]()
    registry = QueryRegistry(tmp_path / "registrations.json", told.append)
    registry.write([offices])
    harmed = tmp_path / which
    harmed.write_bytes(harm(harmed.read_bytes()))
    assert registry.read([offices]) == [offices]
    assert (told, registry.damaged) == ([], False)
    for path in tmp_path.iterdir():
        path.write_bytes(harm(path.read_bytes()))
    assert registry.read([offices]) == []
    assert (len(told), registry.damaged) == (1, True)


def test_the_plain_file_of_an_earlier_version_is_read(tmp_path: Path) -> None:
    (offices,) = project(tmp_path).registrations(IN_OFFICES, "offices")
    path = tmp_path / "registrations.json"
    QueryRegistry(path).write([offices])
    plain = read_mirrored(path)
    remove_mirrored(path)
    path.write_bytes(plain)
    assert QueryRegistry(path).read([offices]) == [offices]


def test_what_was_asked_of_queries_is_known_until_it_is_done(tmp_path: Path) -> None:
    """A file that cannot be read asks for nothing."""
    path = tmp_path / "queries" / "parkings.json"
    asked = RequestedQueries(path)
    assert asked.read() == {}
    asked.add({"high": "Ada"})
    asked.add({"mean": None})
    assert RequestedQueries(path).read() == {"high": "Ada", "mean": None}
    asked.remove(["high"])
    assert asked.read() == {"mean": None}
    asked.remove(["mean", "other"])
    assert not path.exists()
    path.write_text('["high"]')
    assert asked.read() == {}
