"""Which streams and queries decide about which."""

from __future__ import annotations

import pytest
from kaicep import Project
from kaicep.pipeline.flow.queries.query_graph import QueryGraph
from kaicep.pipeline.flow.queries.query_runtime import QueryRuntime

STREAM = {"event_type": "<urn:R>", "time": {"attribute": "at"}, "attributes": {"x": {"datatype": "xsd:integer"}}}
DOCUMENT = """
CREATE QUERY one AS SELECT ?e.x AS x FROM (?e, air);
CREATE QUERY two AS SELECT ?e.x AS x FROM (?e, one);
SELECT ?e.x AS x FROM (?e, door)
"""
MOODS = """
CREATE CONTEXTS mood (calm DEFAULT, busy);
CREATE QUERY rise AS INITIATE CONTEXT busy FROM (?e, air) FILTER (?e.x > 1);
CREATE QUERY fall AS TERMINATE CONTEXT busy FROM (?e, door) FILTER (?e.x > 1);
CREATE QUERY some AS SELECT ?e.x AS x FROM (?e, air) IN CONTEXT busy;
CREATE QUERY next AS SELECT ?e.x AS x FROM (?e, some);
CREATE RULE r ON next IF (?row.x > 2) DO EMIT door(?row.x AS x)
"""


def graph_of(document: str) -> QueryGraph:
    project = Project.parse({"streams": {"air": STREAM, "door": STREAM}})
    found = QueryGraph()
    for registration in project.registrations(document, "three"):
        found.add(QueryRuntime(registration, project.shape, project.knowledge, project.options))
    return found


@pytest.fixture
def graph() -> QueryGraph:
    return graph_of(DOCUMENT)


def test_readers_come_a_level_later(graph: QueryGraph) -> None:
    assert graph.lineage.levels() == [["one", "three"], ["two"]]
    graph.suspended.add("one")
    assert graph.lineage.levels(graph.suspended) == [["three"], ["two"]]


def test_a_query_s_events_come_from_source_streams(graph: QueryGraph) -> None:
    assert {label: graph.lineage.origins(flow.query) for label, flow in graph.flows.items()} == {
        "one": {"air"},
        "two": {"air"},
        "three": {"door"},
    }
    assert graph.lineage.closed(["two"]) == ["one", "two"]


def test_who_derives_contexts_decides_about_those_in_them_and_rules_add_to_streams() -> None:
    lineage, flows = (graph := graph_of(MOODS)).lineage, graph.flows
    assert lineage.deriving("mood") == ["rise", "fall"]
    assert lineage.sets_before(flows["some"].query) == ["mood"]
    assert lineage.before(flows["some"].query) == ["rise", "fall"]
    assert lineage.closed(["some"]) == ["rise", "fall", "some", "next", "r"], "what a rule emits terminates contexts"
    assert lineage.together(["rise"]) == lineage.closed(["fall"])
    assert lineage.origins(flows["some"].query) == {"air"}
    assert lineage.awaited("some") == {"air", "door"}
    assert lineage.origins(flows["fall"].query) == {"air", "door"}
    assert (lineage.labels_of("door"), lineage.is_source("door"), lineage.emits) == (["r"], True, True)
    assert lineage.set_of(graph.contexts["mood"].set.changes_stream) == "mood"


def test_rules_have_places_and_what_is_read_is_served() -> None:
    lineage, flows = (graph := graph_of(MOODS)).lineage, graph.flows
    rule = lineage.place_of(flows["r"])
    assert (rule.rule, rule.stream) == (4, lineage.place_of_deriving("next"))
    assert lineage.readers(flows["some"]) == ["next"]
    assert lineage.readers(flows["r"]) == [], "the stream goes on without it"
    assert [label for label, flow in flows.items() if lineage.serves(flow)] == ["rise", "fall", "some", "next", "r"]
    graph.remove("r")
    assert not graph.lineage.serves(flows["next"])
    assert not graph.lineage.emits


def test_nobody_changes_a_set_that_is_not_registered() -> None:
    """A query that reads its changes may be the first to speak of it."""
    project = Project.parse({"streams": {"air": STREAM, "door": STREAM}})
    sets = "CREATE CONTEXTS mood (calm DEFAULT, busy)"
    (query,) = project.compile(f"{sets};\nSELECT ?c.context AS c FROM (?c, CONTEXTS(mood))")
    assert QueryGraph().lineage.origins(query) == set()
