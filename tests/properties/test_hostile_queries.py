"""Beside a query that asks for too much, one that does not keeps its rows, in the batches in which it had them.

The other one is refused where it is submitted, answered within its ceilings, or parked; nothing else learns of it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
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
from support.hostile_queries import FAMILIES, PATHS, hostile_queries
from support.sampling import some_of

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
            self.flow.queries.submit(self.project.registrations(text, label))
        except KaicepError:
            return False
        return True

    def run(self, number: int, label: str = "modest") -> list[dict[str, Any]]:
        """The rows of a query in one batch."""
        seconds = range(number * EVENTS, (number + 1) * EVENTS)
        events = [{"t": (START + timedelta(seconds=s)).isoformat(), "x": s, "s": f"n{s % 5}"} for s in seconds]
        found = self.flow.run(number + 1, {"air": RawBatch(raw_table(events))}, self.idle).matches
        rows: list[dict[str, Any]] = found[label].to_pylist() if label in found else []
        return rows

    def finish(self, label: str) -> list[dict[str, Any]]:
        """The rows that the end of the stream brings."""
        rows: list[dict[str, Any]] = self.flow.finish().matches[label].to_pylist()
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
        parked = {one.label: one.failure for one in of.flow.queries.parked}
        assert "modest" not in parked
        assert all(one.place is not None or one.message.endswith("which is parked") for one in parked.values())
        return rows, "refused" if not accepted else "parked" if parked else "answered"


@pytest.mark.slow
@settings(max_examples=5, deadline=None, suppress_health_check=list(HealthCheck))
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


@pytest.mark.slow
@pytest.mark.parametrize("family", some_of(FAMILIES, 4))
def test_each_family_leaves_the_rows(alone: list[list[dict[str, Any]]], family: str) -> None:
    """At least once with each test run; what it takes at all is bounded by ceilings and by time."""

    @settings(max_examples=2, deadline=None, suppress_health_check=list(HealthCheck))
    @given(hostile=FAMILIES[family])
    def each(hostile: str) -> None:
        assert beside(hostile, **SMALL, path_timeout="300ms")[0] == alone

    each()


SLOW = """SELECT COUNT(?b) AS n FROM (?a, air), (?b, air) SEQ (?a ->> ?b{1,2; ->>}) WINDOW (?a, ?b, 1d)"""


@pytest.mark.slow
def test_one_that_takes_too_long_is_parked_and_resumed_with_all_its_rows() -> None:
    """Below every ceiling of number and memory, it would make each batch of the others late."""
    with building() as of:
        of.submit(SLOW, "slow")
        expected = [*of.run(0, "slow"), *of.run(1, "slow"), *of.finish("slow")]
    assert expected
    with building(query_timeout="0s") as of, pytest.MonkeyPatch.context() as patch:
        of.submit(SLOW, "slow")
        assert of.run(0, "slow") == []
        (parked,) = of.flow.queries.parked
        assert parked.failure.message == "it takes longer than 0 s for the events of one batch"
        assert parked.failure.place is not None
        patch.setattr("kaicep.cep.limits.exceeded_limit", lambda: None)  # another machine
        assert of.flow.queries.resume("slow") == ("slow",)
        assert [*of.run(1, "slow"), *of.finish("slow")] == expected


@pytest.mark.long
@pytest.mark.reliability
@pytest.mark.parametrize("family", FAMILIES)
def test_a_modest_query_keeps_its_latency(family: str, record_property: Callable[[str, object], None]) -> None:
    """Within twice of what it was, in most batches: what takes longer than is allowed is parked in its first one."""
    worst: list[float] = []

    @settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
    @given(hostile=FAMILIES[family])
    def each(hostile: str) -> None:
        with building() as of:
            of.submit(MODEST, "modest")
            before = median([_seconds(of, number) for number in range(15)][3:])
        with building(query_timeout=f"{before:.4f}s", path_timeout=f"{before:.4f}s") as of:
            of.submit(MODEST, "modest")
            of.submit(hostile, "hostile")
            after = median([_seconds(of, number) for number in range(30)])
        worst.append(after / before)
        assert after < 2 * before + 0.02, hostile

    each()
    record_property(f"latency beside {family}, times", round(max(worst), 2))


def _seconds(of: Building, number: int) -> float:
    began = time.perf_counter()
    of.run(number)
    return time.perf_counter() - began
