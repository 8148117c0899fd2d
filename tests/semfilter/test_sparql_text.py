"""rdflib's terms and property paths as SPARQL text."""

from __future__ import annotations

import pyoxigraph as ox
import pytest
from kaicep.language.nodes import Triple
from kaicep.semfilter.sparql_text import group_text, literal, select_text, term_text, triple_text
from rdflib import RDF, XSD, BNode, Literal, URIRef, Variable
from rdflib.paths import AlternativePath, InvPath, MulPath, NegatedPath, SequencePath
from support.subqueries import subquery

P, Q = URIRef("urn:p"), URIRef("urn:q")


@pytest.mark.parametrize(
    ("term", "text"),
    [
        (Variable("x"), "?x"),
        (BNode("b"), "?blank_b"),
        (P, "<urn:p>"),
        (Literal('a"b'), '"a\\"b"'),
        (Literal("a", lang="en"), '"a"@en'),
        (Literal("5", datatype=XSD.integer), '"5"^^<http://www.w3.org/2001/XMLSchema#integer>'),
        (InvPath(P), "^(<urn:p>)"),
        (SequencePath(P, InvPath(Q)), "(<urn:p>/^(<urn:q>))"),
        (AlternativePath(P, Q), "(<urn:p>|<urn:q>)"),
        (MulPath(P, "+"), "(<urn:p>)+"),
        (NegatedPath(AlternativePath(P, Q)), "!(<urn:p>|<urn:q>)"),
    ],
)
def test_terms_and_paths(term: object, text: str) -> None:
    assert term_text(term) == text


@pytest.mark.parametrize("path", ["!^evt:p", "!(^evt:a|evt:b)", "evt:a/!(evt:b|^evt:c)"])
def test_an_inverse_in_a_negated_set_has_no_form_of_rdflibs(path: str) -> None:
    (triple,) = subquery(f"?e {path} ?x").triples
    assert triple_text(triple) is None


@pytest.mark.parametrize("path", ["!evt:a", "(evt:a|^evt:b)*", "evt:a?/evt:b+", "^(evt:a/evt:b)"])
def test_the_text_of_a_path_is_sparql(path: str) -> None:
    (triple,) = subquery(f"?e {path} ?x").triples
    assert ox.Store().query(f"ASK {{ {triple_text(triple)} }}") is not None


def test_what_is_no_term_has_none() -> None:
    assert term_text(object()) is None
    assert triple_text(Triple(Variable("e"), object(), Variable("x"))) is None


def test_a_literal_is_the_same_for_oxigraph() -> None:
    assert literal(Literal("05", datatype=XSD.integer, normalize=False)) == ox.Literal(
        "05", datatype=ox.NamedNode(str(XSD.integer))
    )
    assert literal(Literal("x")) == ox.Literal("x")


def test_triples_and_filters_are_a_group() -> None:
    found = subquery("?e a <urn:A> ; <urn:p> ?v . FILTER (?v > 1)")
    text = group_text(found.triples, found.filters)
    assert text.startswith(f"?e <{RDF.type}> <urn:A> . ?e <urn:p> ?v . FILTER (")


def test_a_select_of_nothing_asks_whether_there_is_a_solution() -> None:
    assert select_text("?x", "?x ?y ?z") == "SELECT DISTINCT ?x { ?x ?y ?z\n}"
    assert select_text("", "?x ?y ?z # comment").startswith("SELECT DISTINCT (1 AS ?kaicep_holds) {")
