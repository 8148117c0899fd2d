"""What `explain` says of the past: what the planner would choose now, and why."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from kaicep import Project
from kaicep.archive import Archive
from kaicep.explain import explain_registrations, plan_text
from support.archives import NINE, SECOND
from support.batches import processed

PROJECT = """
[prefixes]
e = "http://e/"
[knowledge]
modules = ["rooms.ttl"]
[streams.air]
event_type = "e:Report"
time       = { attribute = "at" }
identity   = ["sensor", "at"]
lateness   = "2s"
[streams.air.attributes]
sensor = { property = "e:sensor", key = "e:name" }
flow   = { datatype = "xsd:double" }
"""
ROOMS = '@prefix e: <http://e/> . e:S0 e:name "s0" ; e:in e:Room . e:S1 e:name "s1" .'
RECENT = """CREATE QUERY recent AS SELECT ?e.flow WITHIN (now - 30s, )
PATH { ?e e:sensor ?s . ?s e:in e:Room }"""
READER = "CREATE QUERY reader AS SELECT COUNT(?r) AS n FROM (?r, recent) WITHIN (now - 20s, ) WINDOW (?r, sliding, 5s)"
LIVE = "CREATE QUERY live AS SELECT ?e.flow"
QUICK = "kaicep.planner.strategy_choice._QUICK"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    (tmp_path / "kaicep.toml").write_text(PROJECT, encoding="utf-8")
    (tmp_path / "rooms.ttl").write_text(ROOMS, encoding="utf-8")
    return Project.load(tmp_path)


@pytest.fixture
def engine(project: Project) -> Iterator[Archive]:
    """An engine's archive of 120 readings, one a second."""
    tuples = [{"sensor": f"s{n % 2}", "at": (NINE + n * SECOND).isoformat(), "flow": n} for n in range(120)]
    with Archive(project.settings, project.knowledge, project.shapes) as archive:
        steps = processed(project.dataflow(), {"air": tuples}).streams
        archive.append(0, {name: step.archived for name, step in steps.items()})
        archive.flush()
        yield archive


def explained(project: Project, *queries: str) -> list[list[str]]:
    told = explain_registrations(project, project.registrations(";".join(queries), "query"))
    return [plan_text(plan, project.knowledge.prefixes).splitlines() for plan in told]


def past(lines: list[str]) -> list[str]:
    """Which bounds and which strategy."""
    return [line.strip() for line in lines if line.startswith(("  within", "  past"))]


def test_the_choice_is_told_beside_a_running_engine(
    project: Project, engine: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    bounds = "within: from now - 30s (inclusive) on, which is from 2012-05-07T09:01:29Z (inclusive) on"
    assert past(explained(project, RECENT)[0]) == [bounds, "past by replay: about 0.00042 s (30 events in 1 segment)"]
    monkeypatch.setattr(QUICK, 0)
    compared = past(explained(project, RECENT)[0])[1]
    assert compared.startswith("past by replay: replay about 0.00042 s (30 events in 1 segment); ")
    assert "hybrid about" in compared
    assert "candidates)" in compared
    assert "rewrite about" in compared
    assert engine.lag.batches == 0


def test_a_query_reads_the_output_of_another(project: Project, engine: Archive) -> None:
    engine.close()
    recent, reader, live = explained(project, RECENT, READER, LIVE)
    assert past(recent)[1].startswith("past by replay: ")
    assert past(reader)[0].endswith("which is from 2012-05-07T09:01:39Z (inclusive) on")
    assert past(reader)[1].startswith("past by replay: ")
    assert past(live) == ["within: from now (exclusive) on, which is from 2012-05-07T09:01:59Z (exclusive) on"]


def test_without_an_archive_there_is_nothing_to_choose_by(project: Project) -> None:
    (lines,) = explained(project, RECENT)
    assert past(lines) == ["within: from now - 30s (inclusive) on, which is all of time"]
    assert "  strategies for the past:" in lines


def test_an_archive_that_cannot_be_read_is_told(project: Project, engine: Archive) -> None:
    engine.close()
    (engine.path / "format.json").write_text('{"version": 99}', encoding="utf-8")
    (recent, live) = explained(project, RECENT, LIVE)
    (told,) = [line for line in recent if line.startswith("  past")]
    assert told.startswith("  past: the archive tells nothing: ")
    assert past(live) == ["within: from now (exclusive) on, which is all of time"]


def test_nothing_of_the_past_needs_no_archive(project: Project, engine: Archive) -> None:
    engine.close()
    (engine.path / "format.json").write_text('{"version": 99}', encoding="utf-8")
    assert past(explained(project, LIVE)[0]) == ["within: from now (exclusive) on, which is all of time"]
