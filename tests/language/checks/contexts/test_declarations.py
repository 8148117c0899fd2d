"""CREATE CONTEXTS: sets of contexts, what their keys are, and the stream of their changes."""

from __future__ import annotations

from dataclasses import replace

from kaicep.language.checks.contexts import changes_stream
from kaicep.language.checks.query_compiler import checked_document
from kaicep.language.nodes import AttributeType, ContextKey, ContextSet, KnownContexts, Query, ValueType, structural_key
from support.roads import ROAD, ROADS
from support.text_pairs import Case, each_case
from support.vocabulary import iri


def declared(text: str) -> ContextSet:
    """The first set of a document."""
    return checked_document(text, ROADS).sets[0]


@each_case("contexts")
def test_documents_with_contexts_in_normal_form(case: Case) -> None:
    """What is read of a normal form is that normal form again."""
    found = checked_document(case.text, case.vocabulary)
    sets, queries = [each.normal for each in found.sets], [query.normal for query in found.queries]
    assert "\n".join([*sets, *queries]) == case.expected
    named = [f"CREATE QUERY {q.name} AS {q.normal}" if q.name else q.normal for q in found.queries]
    again = checked_document(";".join([*sets, *named]), case.vocabulary)
    assert ([each.normal for each in again.sets], [query.normal for query in again.queries]) == (sets, queries)
    assert [_keys(query) for query in again.queries] == [_keys(query) for query in found.queries]


def _keys(query: Query) -> list[object]:
    """What a query says of keys, without places in the text."""
    placements = () if query.in_context is None else query.in_context.placements
    placed = [(p.variable, p.set, [structural_key(key) for key in p.keys]) for p in placements]
    return [placed, query.change, [structural_key(item.value) for item in query.items if item.hidden]]


@each_case("context_errors")
def test_what_cannot_be_meant_of_contexts(case: Case) -> None:
    assert str(case.message()) == case.expected


def test_a_set_is_what_its_text_says() -> None:
    road = declared(ROAD)
    assert (road.name, [c.name for c in road.contexts], road.default.name) == (
        "road",
        ["clear", "jam", "accident"],
        "clear",
    )
    assert road.keys == (ContextKey("seg", ValueType.INTEGER),)
    assert road.context("jam") == road.contexts[1]
    assert road.context("rain") is None


def test_a_key_has_the_type_that_the_values_of_all_streams_are_brought_to() -> None:
    text = (
        "CREATE QUERY q AS SELECT ?e.v AS seg, ?e.lane AS kind FROM (?e, positions);"
        "CREATE CONTEXTS r (a DEFAULT, b) BY seg, room, bd:floor, kind, nothing"
    )
    assert [key.type for key in declared(text).keys] == [
        ValueType.DOUBLE, ValueType.IRI, ValueType.INTEGER, ValueType.STRING, ValueType.TERM,
    ]  # fmt: skip
    assert declared(text).keys[2].name == iri("bd:floor")


def test_a_key_that_no_stream_has_is_of_the_type_that_queries_say() -> None:
    text = "CREATE CONTEXTS r (a DEFAULT, b) BY block; SELECT ?c.block FROM (?c, CONTEXTS(r));"
    found = checked_document(text + "TERMINATE CONTEXT b AT (?e.v + 1) FROM (?e, positions)", ROADS)
    assert found.sets[0].keys == (ContextKey("block", ValueType.DOUBLE),)
    assert [query.context_sets for query in found.queries] == [found.sets, found.sets]
    assert found.queries[0].items[0].type is ValueType.DOUBLE
    placed = "SELECT ?e.id FROM (?e, positions) IN CONTEXT a ON (?e: ?e.lane)"
    assert checked_document(text + placed, ROADS).sets[0].keys[0].type is ValueType.STRING


def test_the_same_set_again_is_the_one_that_is_known() -> None:
    road = declared(ROAD)
    vocabulary = replace(ROADS, contexts={"road": KnownContexts(road)})
    assert checked_document(ROAD.lower(), vocabulary).sets[0] is road


def test_changes_are_a_stream() -> None:
    stream = changes_stream(declared("CREATE CONTEXTS r (a DEFAULT, b) BY seg, bd:hasLocation"))
    assert stream.name == "CONTEXTS(r)"
    assert stream.depends_on == {"r"}
    assert stream.attributes == (
        AttributeType("context", ValueType.STRING),
        AttributeType("change", ValueType.STRING),
        AttributeType("since", ValueType.DATETIME),
        AttributeType("seg", ValueType.INTEGER),
        AttributeType("hasLocation", ValueType.IRI, iri("bd:hasLocation")),
        AttributeType("_time", ValueType.DATETIME),
    )
