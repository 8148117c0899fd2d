"""Queries of low priority wait while batches are late, and come back with the rows of who never waited."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from kaicep import Project
from kaicep.archive import Archive
from kaicep.pipeline.durability.checkpointed_flow import CheckpointedFlow
from kaicep.pipeline.durability.generations import Generation
from kaicep.pipeline.flow.idle_streams import IdleStreams
from kaicep.pipeline.sinks.callback_sink import CallbackSink
from kaicep.pipeline.sources.memory_source import raw_table
from kaicep.pipeline.sources.records import RawBatch
from support.quick_archives import quick_archives

START = datetime(2026, 3, 1, tzinfo=UTC)
STREAM = {"event_type": "<urn:E>", "time": {"attribute": "t"}, "attributes": {"x": {"datatype": "xsd:integer"}}}
DOCUMENT = """
CREATE QUERY pairs AS SELECT ?a.x AS a, ?b.x AS b FROM (?a, air), (?b, air) SEQ (?a, ?b) WINDOW (?a, ?b, 3s);
CREATE QUERY read AS SELECT COUNT(?p) AS n FROM (?p, pairs) WINDOW (?p, batch, 4s);
CREATE QUERY mean AS SELECT COUNT(?e) AS n FROM (?e, air) WINDOW (?e, sliding, 5s);
CREATE QUERY alarm AS SELECT ?e.x AS x FROM (?e, air) FILTER (?e.x > 5)
"""
QUERIES = {"alarm": {"latency": "1s", "priority": 2}, "read": {"priority": 1}}
LABELS = ("pairs", "read", "mean", "alarm")


@pytest.fixture(autouse=True, scope="module")
def _quickly() -> Iterator[None]:
    with quick_archives():
        yield


class Engine:
    """An engine without Spark, whose batches take as long as one likes."""

    def __init__(self, folder: Path, **archive: object) -> None:
        kept = {"enabled": True, "store": False, **archive}
        self._folder, self._content = folder, {"streams": {"air": STREAM}, "archive": kept, "queries": QUERIES}
        self.said: list[str] = []
        self.rows: dict[str, list[dict[str, Any]]] = {}
        self.start()

    def start(self) -> None:
        project = Project.parse(self._content, root=self._folder)
        self.archive = Archive(project.settings, project.knowledge, project.shapes)
        sink = CallbackSink(lambda label, row: self.rows.setdefault(label, []).append(row))
        self.flow = CheckpointedFlow(project, self._folder / "state", [sink], self.archive, say=self.said.append)
        self.flow.queries.submit(project.registrations(DOCUMENT, "document"))
        self.flow.begin(Generation(self._folder / "none", 0, self._folder / "none"))
        self.idle = IdleStreams(project.settings.idle_timeouts(), lambda: 0.0)

    def kill(self) -> None:
        self.flow.close()
        self.archive.close()

    def run(self, *batches: Sequence[int], late: float = 0.0) -> None:
        """Some batches that were planned so many seconds ago."""
        for seconds in batches:
            events = [{"t": (START + timedelta(seconds=s)).isoformat(), "x": s} for s in seconds]
            records = {"air": RawBatch(raw_table(events))}
            planned = datetime.now(UTC) - timedelta(seconds=late)
            self.flow.run((self.flow.last or 0) + 1, records, self.idle, planned)

    @property
    def waiting(self) -> list[str]:
        return list(self.flow.queries.demotion.waiting)

    def answers(self) -> dict[str, list[dict[str, Any]]]:
        return {
            label: [{k: v for k, v in row.items() if k != "_source"} for row in self.rows[label]] for label in LABELS
        }


SECONDS = [[2 * n, 2 * n + 1] for n in range(24)]


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[dict[str, Any]]]:
    """The rows of an engine that is never late."""
    engine = Engine(tmp_path_factory.mktemp("in_time"))
    engine.run(*SECONDS)
    engine.flow.finish()
    engine.kill()
    assert not engine.said
    return engine.answers()


def test_the_lowest_priorities_wait_one_by_one_and_come_back(
    tmp_path: Path, expected: dict[str, list[dict[str, Any]]]
) -> None:
    """None that others read, and not the one that is late."""
    engine = Engine(tmp_path)
    engine.run(*SECONDS[:4], late=5.0)
    assert engine.waiting == ["mean"]
    engine.run(*SECONDS[4:10], late=5.0)
    assert engine.waiting == ["mean", "read"]
    assert engine.said[0].startswith(
        "queries: mean is behind since batch 4 (2026-03-01T00:00:05Z), and catches up later"
    )
    engine.run(*SECONDS[10:21])
    assert engine.waiting == ["mean"]
    assert "queries: read comes back: what it has missed is answered from the archive" in engine.said
    engine.run(*SECONDS[21:])
    engine.flow.finish()
    assert not list(engine.flow.queries.parked)
    assert engine.answers() == expected
    assert {row.get("_source") for row in engine.rows["mean"]} >= {"archive"}
    engine.kill()


def test_a_restart_changes_nothing_and_who_reads_what_there_is_gets_it_whole(
    tmp_path: Path, expected: dict[str, list[dict[str, Any]]]
) -> None:
    engine = Engine(tmp_path)
    engine.run(*SECONDS[:10], late=5.0)
    engine.kill()
    engine.start()
    assert engine.waiting == ["mean", "read"]
    assert engine.flow.queries.behind
    engine.run(*SECONDS[10:12])
    assert engine.waiting == ["mean", "read"]
    engine.idle = None  # type: ignore[assignment]  # as `run --once` does
    engine.run(SECONDS[12])
    assert not engine.waiting
    engine.run(*SECONDS[13:], late=9.0)
    assert not engine.waiting
    engine.flow.finish()
    assert engine.answers() == expected
    engine.kill()


LATER = "CREATE QUERY later AS SELECT COUNT(?m) AS n FROM (?m, mean) WINDOW (?m, batch, 4s)"


def later(folder: Path, late: float) -> list[dict[str, Any]]:
    """The rows of a query that reads one, which may wait when it is submitted."""
    engine = Engine(folder)
    engine.run(*SECONDS[:4], late=late)
    assert engine.waiting == (["mean"] if late else [])
    engine.flow.queries.submit(
        Project.parse(engine._content, root=folder).registrations(DOCUMENT + ";" + LATER, "d")[-1:]
    )
    engine.run(*SECONDS[4:8], late=late)
    engine.run(*SECONDS[8:])
    engine.flow.finish()
    assert not list(engine.flow.queries.parked)
    engine.kill()
    return [{name: row[name] for name in ("n", "_time", "_id")} for row in engine.rows["later"]]


def test_who_is_submitted_and_reads_one_that_waits_calls_it_back(tmp_path: Path) -> None:
    found = later(tmp_path / "behind", 5.0)
    assert len(found) > 5
    assert found == later(tmp_path / "in time", 0.0)


def test_the_log_keeps_what_one_that_waits_needs(tmp_path: Path, expected: dict[str, list[dict[str, Any]]]) -> None:
    engine = Engine(tmp_path, log_size="0.001 kB")
    engine.run(*SECONDS[:4], late=5.0)
    engine.run(*SECONDS[4:9])
    engine.archive.tidy()
    engine.kill()
    engine.start()
    engine.archive.tidy()
    first = engine.archive.log.first
    assert first is not None
    assert first.batch <= 4
    engine.run(*SECONDS[9:])
    engine.flow.finish()
    assert engine.answers() == expected
    assert not any("begins anew" in line for line in engine.said)
    engine.kill()
