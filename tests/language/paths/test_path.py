"""PATH bodies: read as SPARQL, and what their triples say of their variables."""

from __future__ import annotations

import pytest
from kaicep.errors import KaicepError
from kaicep.language import Names, SourceText, Span
from kaicep.language import syntax_tree as syntax
from kaicep.language.nodes import (
    ValueType,
)
from kaicep.language.paths import Body
from kaicep.language.paths.path import read_body, top_triples, unify
from support.vocabulary import CAMPUS, PREFIXES, compiled


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("?e evt:hasSource ?x", ValueType.IRI),
        ("?e hvc:airflow ?x", ValueType.DOUBLE),
        ("?e hvc:flowrate ?x", ValueType.DOUBLE),
        ("?e evt:hasTime ?x", ValueType.DATETIME),
        ("?e evt:hasSource/bd:floor ?x", ValueType.INTEGER),
        ("?e evt:hasSource ?s . ?s rdfs:label ?x", ValueType.STRING),
        ("?e evt:hasSource ?s . ?s bd:note ?x", ValueType.TERM),
        ("?e evt:hasSource ?s . ?x bd:floor ?s", ValueType.IRI),
        ("?e evt:hasSource ?s . ?s ^bd:floor ?x", ValueType.IRI),
        ("?e evt:hasSource ?s . ?s (bd:floor|bd:floor) ?x", ValueType.INTEGER),
        ("?e evt:hasSource ?s . ?s (bd:floor|rdfs:label) ?x", ValueType.TERM),
        ("?e evt:hasSource ?s . ?s bd:hasLocation* ?x", ValueType.IRI),
        ("?e evt:hasSource ?s . ?s bd:floor+ ?x", ValueType.INTEGER),
        ("?e evt:hasSource ?s . ?s bd:floor? ?x", ValueType.TERM),
        ("?e evt:hasSource ?s . ?s ?x 5", ValueType.IRI),
        ("?e a ?x", ValueType.IRI),
        ("?e evt:hasSource ?s OPTIONAL {?s bd:floor ?x}", ValueType.INTEGER),
        ("?e evt:hasSource ?s BIND (5 AS ?x)", ValueType.TERM),
        ("?e bd:floor ?x . ?e rdfs:label ?x", ValueType.TERM),
        ("?e bd:floor ?x . ?e bd:note ?x", ValueType.INTEGER),
    ],
)
def test_types_of_semantic_variables(path: str, expected: ValueType) -> None:
    query = compiled(f"SELECT ?x FROM (?e, airflowReport) PATH {{{path}}}")
    assert query.sources[0].bindings == (("x", expected),)
    assert query.items[0].type is expected


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("", "this PATH is empty"),
        ("?e evt:hasSource ?s FILTER", "this PATH is no SPARQL from 'FILTER' on"),
        ("?e evt:hasSource ?s ?s", "this PATH is no SPARQL from '?s' on"),
        ("SERVICE <urn:x> {?e a ?x}", "SERVICE is not for a PATH"),
        ("GRAPH <urn:x> {?e a ?x}", "GRAPH is not for a PATH"),
    ],
)
def test_bodies_that_are_no_patterns(body: str, message: str) -> None:
    with pytest.raises(KaicepError) as caught:
        compiled(f"SELECT ?e FROM (?e, airflowReport) PATH {{{body}}}")
    assert caught.value.message == message


def body_of(text: str) -> Body:
    names = Names(SourceText("query", f"{{{text}}}"), PREFIXES, CAMPUS)
    return read_body(names, syntax.PathClause(Span(1, len(text) + 1), span=Span(0, len(text) + 2)))


@pytest.mark.parametrize(
    ("text", "bound", "opaque"),
    [
        ("?e evt:hasSource ?s", {"e", "s"}, set()),
        ("?e evt:hasSource ?s MINUS {?s bd:floor ?f}", {"e", "s"}, set()),
        ("?e evt:hasSource ?s OPTIONAL {?s bd:floor ?f}", {"e", "s", "f"}, set()),
        ("?e evt:hasSource ?s BIND (1 AS ?b) VALUES ?v {1}", {"e", "s", "b", "v"}, {"b", "v"}),
        ("SELECT ?s {?e evt:hasSource ?s}", {"s"}, {"s"}),
        ("?e evt:hasSource ?s FILTER NOT EXISTS {?s bd:floor ?f}", {"e", "s"}, set()),
    ],
)
def test_what_a_solution_may_bind(text: str, bound: set[str], opaque: set[str]) -> None:
    body = body_of(text)
    assert (set(body.bound), set(body.opaque)) == (bound, opaque)


def test_triples_come_in_the_order_of_the_text() -> None:
    """Rdflib sorts them for its own evaluation."""
    body = body_of("?s bd:floor ?f . ?e evt:hasSource ?s . ?e hvc:airflow ?x")
    assert [str(triple.subject) for triple in body.triples] == ["s", "e", "e"]
    assert top_triples(body) == body.triples
    assert len(body_of("?e evt:hasSource ?s OPTIONAL {?s bd:floor ?f}").everywhere) == 2


def test_types_unite_where_they_agree() -> None:
    assert unify({ValueType.TERM, ValueType.IRI}) is ValueType.IRI
    assert unify({ValueType.DOUBLE, ValueType.IRI}) is ValueType.TERM
    assert unify(set()) is ValueType.TERM
