"""Every list of an ontology makes rules of its own, with its cells as premises."""

from __future__ import annotations

import pytest
from kaicep.ontology.proofs.lists import list_rules
from kaicep.ontology.reasoners import Rule
from pyoxigraph import NamedNode, RdfFormat, Store
from support.ontologies import PREAMBLE, X


def rules(text: str) -> list[Rule]:
    store = Store()
    store.load((PREAMBLE + text).encode(), RdfFormat.TURTLE)
    return list(list_rules(store))


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (":A owl:intersectionOf ( :B :C ) .", ["cls-int1", "cls-int2", "scm-int", "cls-int2", "scm-int"]),
        (":A owl:unionOf ( :B ) .", ["cls-uni", "scm-uni"]),
        (":A owl:disjointUnionOf ( :B ) .", ["cls-uni", "scm-uni"]),
        (":A owl:oneOf ( :i 5 ) .", ["cls-oo"]),
        (":u owl:propertyChainAxiom ( :p :q ) .", ["prp-spo2"]),
        (":A owl:hasKey ( :p :q ) .", ["prp-key"]),
        (":A owl:hasKey () . :u owl:propertyChainAxiom () .", []),
    ],
)
def test_a_list_makes_the_rules_of_its_axiom(text: str, names: list[str]) -> None:
    assert [rule.name for rule in rules(text)] == names


def test_the_whole_list_is_premised() -> None:
    """The axiom, and two triples per cell."""
    (rule,) = rules(":u owl:propertyChainAxiom ( :p :q ) .")
    assert rule.head == ("?u0", NamedNode(X + "u"), "?u2")
    assert rule.body[:2] == (("?u0", NamedNode(X + "p"), "?u1"), ("?u1", NamedNode(X + "q"), "?u2"))
    assert len(rule.body) == 2 + 1 + 4


def test_a_list_that_ends_nowhere_is_taken_as_far_as_it_goes() -> None:
    text = ":A owl:unionOf :l1 . :l1 rdf:first :B ; rdf:rest :l2 . :l2 rdf:first :C ; rdf:rest :l1 ."
    assert [rule.name for rule in rules(text)] == ["cls-uni", "scm-uni"] * 2
