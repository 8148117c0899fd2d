"""The candidates of an event variable: WITHIN, FILTER, PATH, and the columns that the query uses."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import polars as pl
import pyarrow as pa
import pytest
from kaicep import Project
from kaicep.pipeline.flow.batch import live_batch
from kaicep.pipeline.flow.queries.candidates import CandidateSelection, EventBatch
from kaicep.pipeline.flow.queries.query_runtime import QueryRuntime
from kaicep.pipeline.flow.queries.registration import Registration
from kaicep.pipeline.sources.memory_source import raw_table

START = datetime(2026, 1, 1, tzinfo=UTC)
STREAM = {"event_type": "<urn:R>", "time": {"attribute": "at"}, "attributes": {"x": {"datatype": "xsd:integer"}}}


@pytest.fixture
def project() -> Project:
    return Project.parse({"streams": {"air": STREAM}})


def selection(project: Project, text: str, now: datetime | None = None) -> CandidateSelection:
    (query,) = project.compile(text)
    runtime = QueryRuntime(Registration(query, "q", now), project.shape, project.knowledge, project.options)
    return runtime.sources[0]


def rows_of(found: CandidateSelection, batch: EventBatch) -> list[dict[str, object]]:
    """The candidates that are selected."""
    candidates = found.candidates(batch)
    if isinstance(candidates, pl.DataFrame):
        return candidates.to_dicts()
    rows: list[dict[str, object]] = [] if candidates is None else candidates.to_pylist()
    return rows


def events(project: Project, count: int) -> pa.Table:
    raw = [{"at": (START + timedelta(seconds=s)).isoformat(), "x": s} for s in range(count)]
    return live_batch(project.annotators, {"air": raw_table(raw)}).events["air"].events


@pytest.mark.parametrize("count", [4, 40])
def test_filters_choose_rows_be_they_few_or_many(project: Project, count: int) -> None:
    found = selection(project, "SELECT ?e.x FILTER (?e.x > 1) FILTER (?e.x < 4)")
    assert [row["x"] for row in rows_of(found, EventBatch(events(project, count)))] == [2, 3]


def test_within_comes_before_all_else(project: Project) -> None:
    found = selection(project, "SELECT ?e.x WITHIN (, now) FILTER (?e.x > 0)", START + timedelta(seconds=3))
    assert [row["x"] for row in rows_of(found, EventBatch(events(project, 9)))] == [1, 2, 3]


def test_only_the_columns_that_are_used_are_looked_at(project: Project) -> None:
    found = selection(project, "SELECT ?e.x FILTER (?e.x > 1)")
    assert {"_time", "_id", "x"} == found.columns
    assert set(rows_of(found, EventBatch(events(project, 4)))[0]) == {"_time", "_id", "x"}


def test_a_column_is_converted_once_for_all_queries(project: Project) -> None:
    batch = EventBatch(events(project, 4))
    assert batch.frame(["x"])["x"].to_list() == [0, 1, 2, 3]
    assert batch.frame(["x", "_id"]).get_column("x").to_list() == [0, 1, 2, 3]


ROOMS = """@prefix : <urn:> . :hall a :Hall . :lab a :Lab . :s0 :in :hall . :s1 :in :lab . :s2 :in :hall ."""
PATH = "PATH {{ ?{e} :by ?s . ?s :in ?r . ?r a :{room} }}"
TOGETHER = [
    "SELECT ?e.x FILTER (?e.x > 9) " + PATH.format(e="e", room="Hall"),
    "SELECT ?f.x FILTER (?f.x > 9) " + PATH.format(e="f", room="Hall"),
    "SELECT ?e.x FILTER (?e.x > 9) FILTER (?e.x < 20) " + PATH.format(e="e", room="Lab"),
    "SELECT ?e.x FILTER (?e.x > 90) " + PATH.format(e="e", room="Hall"),
    "SELECT ?e.x " + PATH.format(e="e", room="Hall"),
    "SELECT ?e.x, ?s FILTER (?e.x > 9) " + PATH.format(e="e", room="Hall"),
    "SELECT ?e.x FILTER (?e.x > 9) PATH { ?e :by ?s . ?s :in ?r . ?r a :Lab } OR PATH { ?e :by ?s . ?s :in :hall }",
    "SELECT ?e.x FILTER (?e.x < 20) PATH { ?e :by ?s . ?s :in ?r . ?r a :Lab . ?e :x ?v . FILTER (?v > 9) }",
]


def test_queries_that_share_select_and_count_what_each_does_alone(tmp_path: Path) -> None:
    """Whoever asked before, and be it that nobody is left to be asked about."""
    (tmp_path / "rooms.ttl").write_text(ROOMS, encoding="utf-8")
    attributes = {
        "x": {"property": ":x", "datatype": "xsd:integer"},
        "sensor": {"property": ":by", "individual": ":{}"},
    }
    stream = {"event_type": ":R", "time": {"attribute": "at"}, "identity": ["x"], "attributes": attributes}
    settings = {"prefixes": {"": "urn:"}, "knowledge": {"modules": ["rooms.ttl"]}, "streams": {"air": stream}}
    project = Project.parse(settings, root=tmp_path)
    raw = [{"at": (START + timedelta(seconds=s)).isoformat(), "x": s, "sensor": f"s{s % 4}"} for s in range(40)]
    batches = [
        live_batch(project.annotators, {"air": raw_table(raw[at : at + 20])}).events["air"].events for at in (0, 20)
    ]
    for order in (TOGETHER, TOGETHER[::-1]):
        sharing = [selection(project, text) for text in order]
        for batch in map(EventBatch, batches):
            rows = [rows_of(found, batch) for found in sharing]
            assert rows == [rows_of(selection(project, text), EventBatch(batch.table)) for text in order]
        for text, found in zip(order, sharing, strict=True):
            alone = selection(project, text)
            for table in batches:
                alone.candidates(EventBatch(table))
            assert found.clauses == alone.clauses
            for one, other in zip(found.semantics.statistics, alone.semantics.statistics, strict=True):
                assert (one.events, one.held, one.keys, one.hits, one.distinct, one.holding) == (
                    *(other.events, other.held, other.keys, other.hits, other.distinct, other.holding),
                )
        assert sum(found.semantics.shared is not None for found in sharing) >= len(TOGETHER) - 2
