"""Without a reasoner nothing follows, and nothing is refused."""

from __future__ import annotations

from kaicep.ontology import KnowledgeBase
from pyoxigraph import Quad
from support.ontologies import PREAMBLE


def test_the_closure_is_what_the_modules_assert() -> None:
    knowledge = KnowledgeBase.of_turtle(PREAMBLE + ":A rdfs:subClassOf :B . :i a :A .", reasoner="none")
    assert set(knowledge.store) == {Quad(*triple) for triple in knowledge.modules[0].triples}


def test_contradictions_are_not_looked_for() -> None:
    text = PREAMBLE + ":A owl:disjointWith :B . :i a :A , :B ."
    assert len(KnowledgeBase.of_turtle(text, reasoner="none").store) == 3
