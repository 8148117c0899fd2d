"""Which triples make a pattern true."""

from __future__ import annotations

import pyoxigraph as ox
import pytest
from kaicep.explain.reasons.path_conjuncts import conjuncts_of
from kaicep.explain.reasons.witness import term_of, witness
from rdflib import BNode, Literal, URIRef, Variable

A, B, C, D = (ox.NamedNode(f"urn:{name}") for name in "abcd")
P, Q = ox.NamedNode("urn:p"), ox.NamedNode("urn:q")


@pytest.fixture
def store() -> ox.Store:
    found = ox.Store()
    found.extend(ox.Quad(s, p, o) for s, p, o in ((A, P, B), (B, P, C), (C, P, D), (A, Q, C)))
    return found


def along(store: ox.Store, path: str, to: ox.NamedNode, start: ox.NamedNode = A) -> list[str] | None:
    """Subjects of the triples from `start` along a path."""
    (conjunct,) = conjuncts_of(f"?x {path} ?y", "e", "urn:e")
    assert conjunct.pattern is not None
    found = witness(store, conjunct.pattern, {"x": start, "y": to})
    return None if found is None else [triple.subject.value for triple in found]  # type: ignore[union-attr]  # all named


def test_one_step(store: ox.Store) -> None:
    assert along(store, "<urn:p>", B) == ["urn:a"]
    assert along(store, "<urn:p>", D) is None


def test_the_shortest_way_is_taken(store: ox.Store) -> None:
    assert along(store, "<urn:p>+", D) == ["urn:a", "urn:b", "urn:c"]
    assert along(store, "(<urn:p>|<urn:q>)+", D) == ["urn:a", "urn:c"]


def test_a_way_of_no_steps_has_no_triples(store: ox.Store) -> None:
    assert along(store, "<urn:p>*", A) == []
    assert along(store, "<urn:p>+", A) is None


def test_negated_predicates_are_left_out(store: ox.Store) -> None:
    assert along(store, "!<urn:p>", C) == ["urn:a"]
    assert along(store, "!<urn:p>", B) is None


def test_parts_of_patterns_stand_for_terms() -> None:
    bound = {"x": A, "blank_b": B}
    assert term_of(URIRef("urn:a"), {}) == A
    assert term_of(Variable("x"), bound) == A
    assert term_of(BNode("b"), bound) == B
    assert term_of(Literal(5), {}) == ox.Literal(5)
    assert term_of(Variable("y"), bound) is None
