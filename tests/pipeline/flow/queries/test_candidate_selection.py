"""The candidates of an event variable: WITHIN, FILTER, PATH, and the columns that the query uses."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pyarrow as pa
import pytest
from kaicep import Project
from kaicep.pipeline.flow.batch import live_batch
from kaicep.pipeline.flow.queries.candidate_selection import CandidateSelection, EventBatch
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


def events(project: Project, count: int) -> pa.Table:
    raw = [{"at": (START + timedelta(seconds=s)).isoformat(), "x": s} for s in range(count)]
    return live_batch(project.annotators, {"air": raw_table(raw)}).events["air"].events


@pytest.mark.parametrize("count", [4, 40])
def test_filters_choose_rows_be_they_few_or_many(project: Project, count: int) -> None:
    found = selection(project, "SELECT ?e.x FILTER (?e.x > 1) FILTER (?e.x < 4)")
    assert found.candidates(EventBatch(events(project, count)))["x"].to_pylist() == [2, 3]


def test_within_comes_before_all_else(project: Project) -> None:
    found = selection(project, "SELECT ?e.x WITHIN (, now) FILTER (?e.x > 0)", START + timedelta(seconds=3))
    assert found.candidates(EventBatch(events(project, 9)))["x"].to_pylist() == [1, 2, 3]


def test_only_the_columns_that_are_used_are_looked_at(project: Project) -> None:
    found = selection(project, "SELECT ?e.x FILTER (?e.x > 1)")
    assert {"_time", "_id", "x"} == found.columns
    assert set(found.candidates(EventBatch(events(project, 4))).column_names) == {"_time", "_id", "x"}


def test_a_column_is_converted_once_for_all_queries(project: Project) -> None:
    batch = EventBatch(events(project, 4))
    assert batch.frame(["x"])["x"].to_list() == [0, 1, 2, 3]
    assert batch.frame(["x", "_id"]).get_column("x").to_list() == [0, 1, 2, 3]
