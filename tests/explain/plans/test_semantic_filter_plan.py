"""What was decided for each subquery of a semantic filter."""

from __future__ import annotations

from kaicep.annotator import Annotator
from kaicep.config import Settings
from kaicep.explain import PlanNode
from kaicep.explain.plans import describe_semantic_filter
from kaicep.language.nodes import AllOf, AnyOf, Semantics
from kaicep.ontology import KnowledgeBase
from kaicep.semfilter import SemanticFilter
from kaicep.semfilter.runtime import FilterOptions
from support.subqueries import source, subquery

KNOWLEDGE = KnowledgeBase.of_turtle("<urn:s1> <urn:in> <urn:r1> . <urn:r1> a <urn:Room> .")
STREAM = {
    "event_type": "<urn:Reading>",
    "time": {"attribute": "at"},
    "attributes": {"sensor": {"property": "<urn:sensor>", "individual": "<urn:{}>"}},
}
SHAPE = Annotator("airflowReport", Settings.parse({"streams": {"airflowReport": STREAM}}), KNOWLEDGE).shape
ROOM = subquery("?e <urn:sensor> ?s . ?s <urn:in> ?r . ?r a <urn:Room>")
NEVER = subquery("?e <urn:sensor> ?s . <urn:r2> a <urn:Room>")


def told(semantics: Semantics | None, **options: object) -> PlanNode:
    chosen = FilterOptions(**options)  # type: ignore[arg-type]  # switches by name
    return describe_semantic_filter(SemanticFilter(source(semantics), SHAPE, KNOWLEDGE, chosen))


def labels(node: PlanNode) -> list[str]:
    return [child.label for child in node.children if child.label]


def test_without_paths_there_is_nothing_to_tell() -> None:
    assert told(None) == PlanNode("", "no PATH of ?e")


def test_verdicts_ahead_are_counted() -> None:
    node = told(ROOM)
    assert node.text == "PATH of ?e"
    assert labels(node) == ["key", "verdicts", "SPARQL"]
    assert PlanNode("verdicts", "of all individuals, ahead: 1 hold, 1 solutions") in node.children


def test_switches_are_told() -> None:
    node = told(ROOM, compiled=False, buffer=False, cache_size=0)
    assert labels(node)[0] == "rules"
    assert PlanNode("cache", "off, every event is evaluated") in node.children
    assert PlanNode("misses of a batch", "one by one, because the buffer is off") in node.children
    assert PlanNode("verdicts", "none ahead, because the table is off") in told(ROOM, table_size=0).children


def test_and_and_or_join_subqueries_in_the_order_of_the_text() -> None:
    node = told(AllOf((AnyOf((NEVER, ROOM)), subquery(ROOM.text))))
    assert node.text == "all of"
    either, both = node.children
    assert (either.text, both.text) == ("any of", "PATH of ?e")
    assert [labels(child)[-1] for child in either.children] == ["never holds", "SPARQL"]
