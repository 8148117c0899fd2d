"""All ways in which a triple follows from statements about individuals."""

from __future__ import annotations

import pytest
from kaicep.ontology import KnowledgeBase
from kaicep.ontology.proofs import Prover
from kaicep.ontology.repairs.derivations import Derivations, is_axiom, is_nameable
from pyoxigraph import BlankNode, Literal, NamedNode, Triple
from support.ontologies import PREAMBLE, X

RDF_TYPE = NamedNode("http://www.w3.org/1999/02/22-rdf-syntax-ns#type")


def node(name: str) -> NamedNode:
    return NamedNode(X + name)


def said(subject: str, predicate: str, value: str) -> Triple:
    return Triple(node(subject), RDF_TYPE if predicate == "a" else node(predicate), node(value))


def derivations(text: str, *goals: Triple) -> Derivations:
    return Derivations(Prover(KnowledgeBase.of_turtle(PREAMBLE + text)), goals)


def test_every_way_has_to_be_broken() -> None:
    """By its class, by a property's domain, and by an inverse property's range."""
    text = ":A rdfs:subClassOf :C . :p rdfs:domain :C . :q owl:inverseOf :p . :i a :A ; :p :j . :k :q :i ."
    goal = said("i", "a", "C")
    found = derivations(text, goal)
    assert found.stated_below([goal]) == {said("i", "a", "A"), said("i", "p", "j"), said("k", "q", "i")}
    assert len(found.statements([goal]) or ()) == 1
    left = found.statements([goal], {said("i", "a", "A"), said("i", "p", "j")})
    assert left == frozenset({said("k", "q", "i")})
    assert found.statements([goal], found.stated_below([goal])) is None


def test_a_derivation_in_a_circle_is_none() -> None:
    goal = said("i", "p", "j")
    found = derivations(":p a owl:SymmetricProperty . :i :p :j .", goal, said("j", "p", "i"))
    assert found.statements([said("j", "p", "i")], {goal}) is None


def test_of_several_goals_all_have_to_follow() -> None:
    goals = [said("i", "a", "A"), said("i", "a", "B")]
    found = derivations(":i a :A, :B .", *goals)
    assert found.statements(goals) == frozenset(goals)
    assert found.statements(goals, {goals[0]}) is None


@pytest.mark.parametrize(
    ("text", "axiom"),
    [
        (":A rdfs:subClassOf :B .", True),
        (":p a owl:FunctionalProperty .", True),
        ("[] rdf:first :i .", True),
        (":p rdfs:domain :A .", True),
        (":i a :A .", False),
        (":i a owl:Nothing .", False),
        (":i owl:sameAs :j .", False),
        (':i rdfs:label "x" .', False),
        (":i :p :j .", False),
    ],
)
def test_what_speaks_of_classes_and_properties_is_an_axiom(text: str, axiom: bool) -> None:
    (quad,) = KnowledgeBase.of_turtle(PREAMBLE + text, "none").store
    assert is_axiom(quad.triple) is axiom


def test_what_has_a_blank_node_has_no_name() -> None:
    assert is_nameable(Triple(node("i"), node("p"), Literal("x")))
    assert not is_nameable(Triple(node("i"), node("p"), BlankNode("b")))
