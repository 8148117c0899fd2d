"""Answering: queries level by level, rows of one as events of another, by one worker or several."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from kaicep import PipelineError, Project
from kaicep.cep import END_OF_TIME
from kaicep.pipeline.flow import live_batch
from kaicep.pipeline.flow.queries.query_answering import QueryAnswering
from kaicep.pipeline.flow.queries.query_graph import QueryGraph
from kaicep.pipeline.flow.queries.query_isolation import QueryIsolation
from kaicep.pipeline.flow.queries.query_runtime import QueryRuntime
from kaicep.pipeline.sources import raw_table

START = datetime(2026, 1, 1, tzinfo=UTC)
STREAM = {"event_type": "<urn:R>", "time": {"attribute": "at"}, "attributes": {"x": {"datatype": "xsd:integer"}}}
DOCUMENT = """
CREATE QUERY one AS SELECT ?e.x AS x FROM (?e, air) FILTER (?e.x > 1);
CREATE QUERY two AS SELECT ?e.x AS y FROM (?e, one) FILTER (?e.x > 2);
CREATE QUERY other AS SELECT ?e.x AS x FROM (?e, air)
"""


@pytest.fixture
def project() -> Project:
    return Project.parse({"streams": {"air": STREAM}})


def graph_of(project: Project) -> QueryGraph:
    queries = QueryGraph()
    for registration in project.registrations(DOCUMENT, "query"):
        queries.add(QueryRuntime(registration, project.shape, project.knowledge, project.options))
    return queries


def answers(project: Project, queries: QueryGraph, workers: int = 1) -> list[tuple[str, list[dict[str, int]]]]:
    tuples = [{"at": (START + timedelta(seconds=s)).isoformat(), "x": s} for s in range(4)]
    events = live_batch(project.judgement.annotators, {"air": raw_table(tuples)}).events["air"].events
    answering = QueryAnswering(queries, QueryIsolation(isolated=True), workers)
    found = list(answering.answer({"air": events}, {"air": END_OF_TIME}))
    answering.close()
    return [(label, rows.select([rows.column_names[0]]).to_pylist()) for label, rows in found]


@pytest.mark.parametrize("workers", [1, 3])
def test_readers_are_answered_after_what_they_read(project: Project, workers: int) -> None:
    assert answers(project, graph_of(project), workers) == [
        ("one", [{"x": 2}, {"x": 3}]),
        ("other", [{"x": 0}, {"x": 1}, {"x": 2}, {"x": 3}]),
        ("two", [{"y": 3}]),
    ]


def test_who_reads_a_stopped_query_is_stopped_and_the_others_go_on(project: Project) -> None:
    queries = graph_of(project)
    queries.flows["one"].fail(PipelineError("no more"))
    assert [label for label, rows in answers(project, queries) if rows] == ["other"]
    assert queries.cause_of(queries.flows["two"].query) == "one"
    failure = queries.flows["two"].failure
    assert failure is not None
    assert (failure.message, failure.hint) == ("'two' reads 'one', which is parked", "resume that: kaicep resume one")
    with pytest.raises(PipelineError, match="no more"):
        queries.check("two")


def test_suspended_queries_are_given_nothing(project: Project) -> None:
    queries = graph_of(project)
    queries.suspended.add("other")
    assert [label for label, _ in answers(project, queries)] == ["one", "two"]
