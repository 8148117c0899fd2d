"""Terms as people read them, and queries with the usual prefixes."""

from __future__ import annotations

import pytest
from kaicep.ontology import select
from kaicep.ontology.terms import XSD, local_name, shown
from pyoxigraph import BlankNode, Literal, NamedNode, RdfFormat, Store
from support.ontologies import PREAMBLE, X

PREFIXES = {"x": X, "e": "http://example.org/", "xsd": XSD}


@pytest.mark.parametrize(
    ("term", "text"),
    [
        (NamedNode(X + "a"), "x:a"),
        (NamedNode("http://example.org/a"), "e:a"),
        (NamedNode("http://example.org/a/b"), "<http://example.org/a/b>"),
        (NamedNode(X), f"<{X}>"),
        (NamedNode("urn:a"), "<urn:a>"),
        (BlankNode("b"), "a blank node"),
        (Literal("a"), '"a"'),
        (Literal("a", language="en"), '"a"@en'),
        (Literal(5), '"5"^^xsd:integer'),
        (Literal("red", datatype=NamedNode(X + "color")), f'"red"^^<{X}color>'),
    ],
)
def test_a_term_is_shown_by_the_longest_prefix_that_leaves_a_name(
    term: NamedNode | BlankNode | Literal, text: str
) -> None:
    assert shown(term, PREFIXES) == text


def test_variables_are_bound_as_terms() -> None:
    """Whatever a text says, it is no query text."""
    store = Store()
    store.load((PREAMBLE + ':i rdfs:label "a\\" } #" . :j rdfs:label "b" .').encode(), RdfFormat.TURTLE)
    found = select(store, "SELECT ?x ?label { ?x rdfs:label ?label }", label=Literal('a" } #'))
    assert [x for x, _ in found] == [NamedNode(X + "i")]


@pytest.mark.parametrize(
    ("iri", "name"), [(X + "a", "a"), ("http://e/a#b/c", "b/c"), ("http://e/a:b", "a:b"), ("urn:a:b", "b"), ("a", "a")]
)
def test_the_local_name_is_what_stands_behind_the_last_separator(iri: str, name: str) -> None:
    assert local_name(iri) == name
