"""A change of knowledge is prepared beside the queries: what it changes is told, what it would break is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from kaicep import OntologyError, Project
from kaicep.pipeline.flow.queries.query_runtime import QueryRuntime
from kaicep.pipeline.knowledge.knowledge_swap import KnowledgeSwap, prepare_swap
from support.living import IN_OFFICES, project, rooms, turtle


def prepared(before: Project, after: Project, change: str = "adds more.ttl") -> KnowledgeSwap:
    (registration,) = before.registrations(IN_OFFICES, "offices")
    runtime = QueryRuntime(registration, before.shape, before.knowledge, before.options)
    return prepare_swap(before, after, {"offices": runtime}, change)


def test_what_no_query_notices_is_said_so(tmp_path: Path) -> None:
    before = project(tmp_path)
    swap = prepared(before, before.with_module(turtle(tmp_path, "more.ttl", "ex:r9 a ex:Store .")))
    assert swap.summary[0].startswith("adds more.ttl: 2 modules, ")
    assert swap.summary[1:] == ("all queries answer as before",)
    assert set(swap.filters) == {("offices", "e")}


def test_a_query_that_could_not_be_answered_any_more_is_named(tmp_path: Path) -> None:
    """The type of a column would change."""
    base = "ex:base a owl:Ontology . ex:sensor a owl:ObjectProperty . ex:flow rdfs:range xsd:double ."
    turtle(tmp_path, "base.ttl", base)
    before = project(tmp_path, flow=None)
    turtle(tmp_path, "base.ttl", base.replace("double", "integer"))
    with pytest.raises(OntologyError, match="would change from double to integer"):
        prepare_swap(before, project(tmp_path, flow=None), {}, "changes base.ttl")


def test_links_of_sensors_are_compared_by_what_they_stood_for(tmp_path: Path) -> None:
    before = project(tmp_path, link={"key": "ex:key"})
    after = before.with_module(turtle(tmp_path, "more.ttl", rooms(s4="r1")))
    assert prepared(before, after).change == "adds more.ttl"


def test_individuals_that_measure_in_other_units_are_told(tmp_path: Path) -> None:
    flow = {"datatype": "xsd:double", "unit": "unit:L-PER-SEC", "unit_of": "sensor"}
    stream = {"event_type": "<urn:Report>", "time": {"attribute": "at"}}
    stream["attributes"] = {"sensor": {"property": "ex:sensor", "individual": "ex:{}"}, "flow": flow}
    before = Project.parse({"prefixes": {"ex": "urn:ex:"}, "streams": {"air": stream}}, root=tmp_path)
    unit = "<urn:ex:s1> <http://qudt.org/schema/qudt/hasUnit> <http://qudt.org/vocab/unit/FT3-PER-MIN> ."
    after = before.with_module(turtle(tmp_path, "units.ttl", unit))
    assert prepare_swap(before, after, {}, "adds units.ttl").summary == (
        "adds units.ttl: 1 module, 6 triples with what follows",
        "air.flow: 1 individual in other units now",
    )


def test_ids_that_fit_several_from_now_on_are_told(tmp_path: Path) -> None:
    """The change is taken over all the same: the ids stand for nobody."""
    stream = {"event_type": "<urn:Report>", "time": {"attribute": "at"}}
    stream["attributes"] = {"sensor": {"property": "ex:sensor", "key": "rdfs:label"}}
    turtle(tmp_path, "base.ttl", 'ex:s1 rdfs:label "one" .')
    content = {"prefixes": {"ex": "urn:ex:"}, "knowledge": {"modules": ["base.ttl"]}, "streams": {"air": stream}}
    before = Project.parse(content, root=tmp_path)
    after = before.with_module(turtle(tmp_path, "more.ttl", 'ex:s2 rdfs:label "one" .'))
    told = prepare_swap(before, after, {}, "adds more.ttl").summary[1]
    assert (
        'streams.air.attributes.sensor: the sensor "one" fits ex:s1 and ex:s2, and so stands for none of them' in told
    )
    assert prepare_swap(after, after, {}, "changes nothing").summary[1:] == ()


def test_queries_in_contexts_and_rules_are_checked_again_beside_each_other(tmp_path: Path) -> None:
    """They speak of sets that others declare, of attributes of windows, and of streams of rules."""
    before = project(tmp_path)
    document = """CREATE CONTEXTS room (calm DEFAULT, windy) BY sensor;
        INITIATE CONTEXT windy (?e.flow AS began) FROM (?e, air) FILTER (?e.flow > 7);
        CREATE QUERY gusts AS SELECT ?e.flow, ?w.began FROM (?e, air) IN CONTEXT windy AS ?w;
        CREATE RULE calms ON gusts DO TERMINATE CONTEXT windy AT (ex:s1), EMIT storm(?row.flow AS most);
        SELECT ?s.most FROM (?s, storm)"""
    flows = {
        one.label: QueryRuntime(one, before.shape, before.knowledge, before.options)
        for one in before.registrations(document, "x")
    }
    after = before.with_module(turtle(tmp_path, "more.ttl", "ex:r9 a ex:Store ."))
    assert prepare_swap(before, after, flows, "adds more.ttl").summary[1:] == ()
