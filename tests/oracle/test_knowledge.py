"""The oracle's rules against owlrl, a full OWL 2 RL reasoner."""

from __future__ import annotations

import owlrl
import pytest
from rdflib import RDF, Graph, URIRef
from rdflib.term import Node
from support.campus import campus
from support.prefixes import CAMPUS, STANDARD, turtle_head

from oracle.knowledge import closure, knowledge_from

SAYING = """
bd:near a owl:SymmetricProperty . bd:inside a owl:TransitiveProperty . bd:contains owl:inverseOf bd:inside .
bd:inside rdfs:domain bd:Place ; rdfs:range bd:Whole .
bd:a bd:near bd:b ; bd:inside bd:c . bd:c bd:inside bd:d . bd:d owl:sameAs bd:e .
bd:inside owl:equivalentProperty bd:within . bd:Whole owl:equivalentClass bd:Total .
"""


def _ours(triples: set[tuple[Node, Node, Node]]) -> set[tuple[Node, Node, Node]]:
    """What is said of the campus with its own words."""
    spaces = tuple(CAMPUS.values())
    return {
        (s, p, o)
        for s, p, o in triples
        if str(s).startswith(spaces)
        and (str(p).startswith(spaces) or p == RDF.type)
        and (str(o).startswith(spaces) or not isinstance(o, URIRef))
    }


def _agree(text: str) -> None:
    graph = Graph().parse(data=text, format="turtle")
    mine = _ours(set(closure(frozenset(graph))))
    owlrl.DeductiveClosure(owlrl.OWLRL_Semantics).expand(graph)
    assert mine == _ours(set(graph))


def test_every_rule_says_what_owl_2_rl_says() -> None:
    _agree(turtle_head(STANDARD | CAMPUS) + SAYING)


@pytest.mark.parametrize("seed", range(4))
def test_campuses_are_closed_as_owl_2_rl_says(seed: int) -> None:
    _agree(campus(seed).turtle)


def test_what_follows_from_equivalence_and_hierarchy() -> None:
    knowledge = knowledge_from((turtle_head(STANDARD | CAMPUS) + SAYING,))
    bd = CAMPUS["bd"]
    assert knowledge.equivalents(bd + "inside") == {bd + "within"}
    assert knowledge.all_properties(bd + "inside") == {bd + "inside", bd + "within"}
    assert bd + "Total" in knowledge.superclasses(bd + "Whole")
