"""The PATHs of a query: a tree of subqueries for each event variable."""

from __future__ import annotations

import pytest
from kaicep.language.nodes import (
    AllOf,
    AnyOf,
    Subquery,
    ValueType,
)
from support.vocabulary import compiled, iri

HAS_SOURCE = iri("evt:hasSource")


def test_semantics_is_a_tree_of_subqueries() -> None:
    query = compiled(
        "SELECT ?b FROM (?e, airflowReport) PATH {?e a ?a} OR PATH {?e a ?b} AND PATH {?e a ?c} PATH {?e a ?d}"
    )
    match query.sources[0].semantics:
        case AllOf((AnyOf((Subquery() as a, AllOf((Subquery() as b, Subquery() as c)))), Subquery() as d)):
            assert [part.bindings for part in (a, b, c, d)] == [(), ("b",), (), ()]
            assert a.text == f"?e <{iri('rdf:type')}> ?a"
        case other:
            pytest.fail(f"unexpected {other}")


def test_flat_paths_are_broken_into_triples_and_filters() -> None:
    query = compiled("SELECT ?e.sensorID PATH {?e hvc:airflow ?rate . hvc:G hvc:hasValue ?gaf . FILTER (?rate > ?gaf)}")
    path = query.sources[0].semantics
    assert isinstance(path, Subquery)
    assert path.flat
    assert [(str(t.subject), str(t.predicate), str(t.object)) for t in path.triples] == [
        ("e", iri("hvc:airflow"), "rate"),
        (iri("hvc:G"), iri("hvc:hasValue"), "gaf"),
    ]
    assert [(f.text, f.variables) for f in path.filters] == [("( ?rate > ?gaf )", frozenset({"rate", "gaf"}))]


def _path(body: str) -> Subquery:
    path = compiled(f"SELECT ?e.sensorID FROM (?e, airflowReport) PATH {{{body}}}").sources[0].semantics
    assert isinstance(path, Subquery)
    return path


@pytest.mark.parametrize(
    "inner",
    ["OPTIONAL {?s <urn:a> ?x}", "FILTER EXISTS {?s <urn:a> ?x}", "BIND (1 AS ?x)", "{?s <urn:a> ?x}"],
)
def test_nested_parts_stand_behind_the_triples(inner: str) -> None:
    path = _path(f"?e evt:hasSource ?s . FILTER (?s > 1) ?s <urn:b> <urn:c> {inner}")
    assert (path.flat, path.orderly, len(path.triples)) == (False, True, 2)
    assert [f.text for f in path.filters] == ["( ?s > 1 )"]
    assert [(n.text.replace(" ", ""), "x" in n.variables) for n in path.nested] == [(inner.replace(" ", ""), True)]


@pytest.mark.parametrize(
    "body",
    ["OPTIONAL {?s <urn:a> ?x} ?e evt:hasSource ?s", "SELECT ?s {?e evt:hasSource ?s}"],
)
def test_triples_behind_nested_parts_are_not_taken_out(body: str) -> None:
    path = _path(body)
    assert (path.flat, path.orderly, path.triples, path.filters, path.nested) == (False, False, (), (), ())


def test_a_shared_variable_is_a_join_of_bindings() -> None:
    query = compiled(
        "SELECT ?a.sensorID SEQ (?a, ?b) WINDOW (?a, ?b, 5min) "
        "PATH {?a evt:hasSource/bd:hasLocation ?loc . ?b evt:hasSource/bd:hasLocation ?loc}"
    )
    assert [source.bindings for source in query.sources] == [
        (("loc", ValueType.IRI),),
        (("loc_2", ValueType.IRI),),
    ]
    assert [source.columns for source in query.sources] == [("?loc", "sensorID"), ("?loc_2",)]
    [join] = query.joins
    assert [(node.variable, node.name) for node in (join.left, join.right)] == [("a", "loc"), ("b", "loc_2")]  # type: ignore[union-attr]  # a comparison of two bindings
    for source in query.sources:
        assert isinstance(source.semantics, Subquery)
        assert source.semantics.bindings == tuple(name for name, _ in source.bindings)


def test_names_of_two_paths_are_two_variables() -> None:
    """Unused outside, or used under one name only, they do not meet."""
    query = compiled("SELECT ?e.sensorID PATH {?e evt:hasSource ?s} PATH {?e evt:hasSource ?s}")
    assert query.joins == ()
    assert query.sources[0].bindings == ()
