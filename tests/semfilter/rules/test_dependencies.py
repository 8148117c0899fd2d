"""What a group depends on: of the events, and of the knowledge (paper §4.2.2, Definition 2)."""

from __future__ import annotations

import pytest
from kaicep.annotator import Annotator
from kaicep.ontology import KnowledgeBase
from kaicep.semfilter.plan import PlanContext
from kaicep.semfilter.rules.dependencies import EventDependencies, event_dependencies, knowledge_dependencies
from support.streams import reports

EVT, BD, RDF = (
    "http://cei.usc.edu/Event.owl#",
    "http://cei.usc.edu/Building.owl#",
    "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
)
SETTINGS = reports(
    sensor={"property": "evt:hasSource", "individual": "ee:{}"},
    count={"property": "evt:count", "datatype": "xsd:integer"},
)
CONTEXT = PlanContext(Annotator("report", SETTINGS, KnowledgeBase.empty()).shape, KnowledgeBase.empty(), {}, False)
SOURCE, COUNT = f"<{EVT}hasSource>", f"<{EVT}count>"


def of_events(body: str) -> EventDependencies:
    return event_dependencies(body, "e", CONTEXT)


@pytest.mark.parametrize(
    ("body", "properties"),
    [
        (f"?e {SOURCE} ?s", {"hasSource"}),
        (f"?e {SOURCE} ?s . ?s <{BD}near> ?x", {"hasSource"}),
        (f"?e {SOURCE}/<{BD}near> ?x ; {COUNT} ?n", {"hasSource", "count"}),
        (f"?e {SOURCE} ?s OPTIONAL {{ ?e {COUNT} ?n }}", {"hasSource", "count"}),
        (f"?s <{BD}near> ?x", set()),
    ],
)
def test_a_verdict_depends_on_the_properties_that_the_group_names(body: str, properties: set[str]) -> None:
    found = of_events(body)
    assert found.properties == frozenset(EVT + name for name in properties)
    assert found.identity is None


@pytest.mark.parametrize("body", ["?e ?p ?o", f"?e !{SOURCE} ?o", f"?e {SOURCE} ?s . ?x <{BD}near>* ?y"])
def test_a_group_may_see_everything(body: str) -> None:
    assert of_events(body).properties is None


@pytest.mark.parametrize(
    ("body", "sees"),
    [
        (f"?e <{RDF}type> ?class", True),
        (f"?e {SOURCE} ?s . ?s <{RDF}type> <{BD}Room>", False),
        (f"?e {SOURCE} ?s", False),
    ],
)
def test_whether_it_sees_the_classes_of_events(body: str, sees: bool) -> None:
    assert of_events(body).types is sees


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (f"?e {COUNT} ?n . FILTER (STR(?e) = 'x')", "it uses ?e as a value"),
        (f"?e {COUNT} ?n . <urn:kaicep:event:report/1> {COUNT} ?n", "it names an event"),
        (f"?e {COUNT} ?n . ?other {COUNT} ?n", "?other may be the event, too"),
        (f"?e {COUNT} ?n . ?x <{BD}near> ?e", "?e is an object"),
        (f"?e {SOURCE} ?s . ?s ^{SOURCE} ?x", "an inverse path may lead to the event"),
        (f"?e {SOURCE}? ?s", "a path leads back to ?e"),
    ],
)
def test_what_tells_an_event_from_another_with_the_same_values(body: str, reason: str) -> None:
    found = of_events(body)
    assert (found.identity, found.unbatchable) == (reason, reason)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (f"?e {SOURCE} ?s MINUS {{ ?s <{BD}near> ?x }}", "it has a MINUS"),
        (f"{{ SELECT ?s {{ ?e {SOURCE} ?s }} }}", "it has a SELECT inside"),
        (f"?e {SOURCE} ?s {{ OPTIONAL {{ ?e {COUNT} ?n }} }}", "?e stands in a nested group"),
    ],
)
def test_what_many_events_cannot_be_asked_at_once(body: str, reason: str) -> None:
    found = of_events(body)
    assert (found.identity, found.unbatchable) == (None, reason)


def test_a_group_looks_at_triples_of_its_predicates_and_members_of_its_classes() -> None:
    found = knowledge_dependencies(f"?e {SOURCE} ?s . ?s <{RDF}type> <{BD}Room>")
    assert found.properties == frozenset({f"{EVT}hasSource", f"{RDF}type"})
    assert found.classes == frozenset({f"{BD}Room"})


def test_a_class_that_is_a_variable_may_be_any() -> None:
    found = knowledge_dependencies(f"?e {SOURCE} ?s . ?s <{RDF}type> ?class")
    assert (found.classes, found.properties is None) == (None, False)


@pytest.mark.parametrize("body", ["?s ?p ?o", f"?e {SOURCE} ?s . ?s <{BD}near>* ?y"])
def test_a_group_may_look_at_everything(body: str) -> None:
    found = knowledge_dependencies(body)
    assert (found.properties, found.classes) == (None, None)
