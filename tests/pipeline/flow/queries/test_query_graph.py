"""Queries by label, each after those whose output it reads."""

from __future__ import annotations

import pytest
from kaicep import PipelineError, Project
from kaicep.pipeline.flow.queries.query_graph import QueryGraph
from kaicep.pipeline.flow.queries.query_runtime import QueryRuntime

STREAM = {"event_type": "<urn:R>", "time": {"attribute": "at"}, "attributes": {"x": {"datatype": "xsd:integer"}}}
DOCUMENT = """
CREATE QUERY one AS SELECT ?e.x AS x FROM (?e, air);
CREATE QUERY two AS SELECT ?e.x AS x FROM (?e, one);
SELECT ?e.x AS x FROM (?e, door)
"""


@pytest.fixture
def graph() -> QueryGraph:
    project = Project.parse({"streams": {"air": STREAM, "door": STREAM}})
    found = QueryGraph()
    for registration in project.registrations(DOCUMENT, "three"):
        found.add(QueryRuntime(registration, project.shape, project.knowledge, project.options))
    return found


def test_what_is_read_stays_and_what_is_unknown_is_named(graph: QueryGraph) -> None:
    with pytest.raises(PipelineError, match="'one' is read by two"):
        graph.remove("one")
    graph.remove("two")
    graph.remove("one")
    with pytest.raises(PipelineError, match="no query is called 'one'"):
        graph.remove("one")
    assert list(graph.flows) == ["three"]


def test_a_label_is_taken_once(graph: QueryGraph) -> None:
    with pytest.raises(PipelineError, match="a query named 'one' is registered already"):
        graph.add(graph.flows["one"])


def test_queries_in_contexts_of_one_set_keep_the_same_columns() -> None:
    """So events are placed in windows once for all of them; whoever is in others, or in none, is not asked."""
    attributes = {name: {"datatype": "xsd:integer"} for name in "abc"}
    project = Project.parse({"streams": {"air": {**STREAM, "attributes": attributes}}})
    text = """CREATE CONTEXTS mood (calm DEFAULT, busy); CREATE CONTEXTS light (day DEFAULT, night);
    CREATE QUERY rise AS INITIATE CONTEXT busy FROM (?e, air) FILTER (?e.a > 1);
    CREATE QUERY one AS SELECT ?e.a FROM (?e, air) IN CONTEXT busy;
    CREATE QUERY two AS SELECT ?e.b FROM (?e, air) IN CONTEXT calm;
    CREATE QUERY dark AS SELECT ?e.c FROM (?e, air) IN CONTEXT night"""
    graph = QueryGraph()
    for registration in project.registrations(text, "query"):
        graph.add(QueryRuntime(registration, project.shape, project.knowledge, project.options))
    read = {label: flow.input.read_of["air"] for label, flow in graph.flows.items() if "air" in flow.input.read_of}
    assert read["one"] == read["two"] == ["_id", "_time", "a", "b"]
    assert read["dark"] == ["_id", "_time", "c"]
    graph.remove("two")
    assert graph.flows["dark"].input.read_of == {"air": ["_id", "_time", "c"]}
