"""Beside a query that asks for too much, one that does not keeps its rows, in the batches in which it had them.

The other one is refused where it is submitted, answered within its ceilings, or parked; nothing else learns of it.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from kaicep import KaicepError, Project
from kaicep.archive import Archive
from kaicep.pipeline.durability.checkpointed_flow import CheckpointedFlow
from kaicep.pipeline.flow.idle_streams import IdleStreams
from kaicep.pipeline.sources.memory_source import raw_table
from kaicep.pipeline.sources.records import RawBatch
from support.hostile_queries import PATHS, hostile_queries

START = datetime(2026, 3, 1, tzinfo=UTC)
MODEL = "".join(f"<urn:n{i}> <urn:p> <urn:n{i // 2}>; a <urn:Sensor> ." for i in range(1_200))
MODEST = """SELECT ?a.x AS a, ?b.x AS b FROM (?a, air), (?b, air) JOIN (?a.s = ?b.s) SEQ (?a, ?b) WINDOW (?a, ?b, 20s)
       PATH { ?a <urn:src> ?i . ?i <urn:p> <urn:n1> }"""
BATCHES, EVENTS = 4, 30
SMALL = {
    "rows_per_batch": 2_000, "windows_per_batch": 2_000, "matches_per_event": 500,
    "partial_matches_per_partition": 500, "pairs_per_event": 5_000,
}  # fmt: skip


class Building:
    """An engine without Spark, and what became of its queries."""

    def __init__(self, folder: Path, engine: Mapping[str, object]) -> None:
        (folder / "model.ttl").write_text(MODEL)
        stream = {
            "event_type": "<urn:E>",
            "time": {"attribute": "t"},
            "identity": ["x", "t"],
            "attributes": {
                "x": {"datatype": "xsd:integer"},
                "s": {"property": "<urn:src>", "individual": "<urn:{}>"},
            },
        }
        knowledge = {"modules": ["model.ttl"], "reasoner": "none", "cache": "never"}
        content = {
            "streams": {"air": stream}, "knowledge": knowledge, "archive": {"store": False}, "engine": dict(engine)
        }  # fmt: skip
        self.project = Project.parse(content, root=folder)
        self.archive = Archive(self.project.settings, self.project.knowledge, self.project.shapes)
        self.flow = CheckpointedFlow(self.project, folder / "state", (), self.archive, say=lambda _: None)
        self.idle = IdleStreams(self.project.settings.idle_timeouts(), lambda: 0.0)

    def submit(self, text: str, label: str) -> bool:
        """Whether it is accepted."""
        try:
            self.flow.submit(self.project.registrations(text, label))
        except KaicepError:
            return False
        return True

    def run(self, number: int) -> list[dict[str, Any]]:
        """The rows of the modest query in one batch."""
        seconds = range(number * EVENTS, (number + 1) * EVENTS)
        events = [{"t": (START + timedelta(seconds=s)).isoformat(), "x": s, "s": f"n{s % 5}"} for s in seconds]
        found = self.flow.run(number + 1, {"air": RawBatch(raw_table(events))}, self.idle).matches
        rows: list[dict[str, Any]] = found["modest"].to_pylist()
        return rows

    def close(self) -> None:
        self.flow.close()
        self.archive.close()


@contextmanager
def building(**engine: object) -> Iterator[Building]:
    with TemporaryDirectory() as folder:
        opened = Building(Path(folder), engine)
        try:
            yield opened
        finally:
            opened.close()


@pytest.fixture(scope="module")
def alone() -> list[list[dict[str, Any]]]:
    """The rows of the modest query by batch, when nothing is beside it."""
    with building() as of:
        of.submit(MODEST, "modest")
        rows = [of.run(number) for number in range(BATCHES)]
    assert all(rows)
    return rows


def beside(hostile: str, **engine: object) -> tuple[list[list[dict[str, Any]]], str]:
    """The same beside another query, and what became of that."""
    with building(**engine) as of:
        of.submit(MODEST, "modest")
        accepted = of.submit(hostile, "hostile")
        rows = [of.run(number) for number in range(BATCHES)]
        parked = {one.label: one.failure for one in of.flow.parked}
        assert parked.keys() <= {"hostile"}
        assert all(failure.place is not None for failure in parked.values())
        return rows, "refused" if not accepted else "parked" if parked else "answered"


@pytest.mark.slow
@settings(max_examples=10, deadline=None, suppress_health_check=list(HealthCheck))
@given(hostile=hostile_queries())
def test_a_modest_query_keeps_its_rows(alone: list[list[dict[str, Any]]], hostile: str) -> None:
    rows, _ = beside(hostile, **SMALL)
    assert rows == alone


@pytest.mark.slow
@pytest.mark.parametrize(("path", "fate"), list(zip(PATHS, ("refused", "parked", "parked"), strict=True)))
def test_a_modest_query_keeps_its_rows_beside_a_path(alone: list[list[dict[str, Any]]], path: str, fate: str) -> None:
    rows, became = beside(f"SELECT ?e.x AS x FROM (?e, air) PATH {{ {path} }}", path_timeout="300ms", table_size=0)
    assert (became, rows) == (fate, alone)


@pytest.mark.long
@pytest.mark.reliability
@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
@given(hostile=hostile_queries())
def test_a_modest_query_keeps_its_rows_in_the_long_run(alone: list[list[dict[str, Any]]], hostile: str) -> None:
    rows, _ = beside(hostile, **SMALL)
    assert rows == alone


@pytest.mark.long
@pytest.mark.reliability
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(hostile=hostile_queries())
def test_a_modest_query_keeps_its_latency(hostile: str) -> None:
    """With the ceilings as they are by default: within twice of what it was, in most batches."""
    with building() as of:
        of.submit(MODEST, "modest")
        before = [_seconds(of, number) for number in range(15)]
        of.submit(hostile, "hostile")
        after = [_seconds(of, number) for number in range(15, 45)]
        answered = not list(of.flow.parked)  # within its ceilings: then it has a right to its time
    assert answered or median(after) < 2 * median(before[3:]) + 0.02


def _seconds(of: Building, number: int) -> float:
    began = time.perf_counter()
    of.run(number)
    return time.perf_counter() - began
