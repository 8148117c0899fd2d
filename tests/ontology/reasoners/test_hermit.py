"""HermiT: its output is read, and it infers what OWL 2 RL cannot."""

from __future__ import annotations

import pytest
from kaicep.ontology import KnowledgeBase
from kaicep.ontology.reasoners.hermit import parse_axioms
from support.ontologies import BY_CASES, X, types

pytestmark = pytest.mark.slow  # each starts a Java


def test_its_output_is_read() -> None:
    """Axioms in functional syntax; what is neither a type nor a relation of names is passed over."""
    output = f"""Prefix(:=<{X}>)
Type( <{X}a> <{X}C> )
SubClassOf( <{X}A> <{X}B> )
SubObjectPropertyOf( <{X}p> <{X}q> )
EquivalentClasses( <{X}A> <{X}E> <{X}F> )
EquivalentDataProperties( <{X}d> <{X}e> )
DisjointClasses( <{X}A> <{X}C> )
"""
    assert {" ".join(str(node).rsplit("#", 1)[-1].rstrip(">") for node in t) for t in parse_axioms(output)} == {
        "a type C",
        "A subClassOf B",
        "p subPropertyOf q",
        "A equivalentClass E",
        "A equivalentClass F",
        "d equivalentProperty e",
    }


def test_hermit_reasons_by_cases_and_the_closure_adds_superclasses() -> None:
    knowledge = KnowledgeBase.of_turtle(BY_CASES, reasoner="hermit")
    assert {"A", "C", "CC"} <= types(knowledge, "i")
    assert {"C", "CC"} <= types(knowledge, "k")
    assert knowledge.superclasses(X + "A") == {X + "C", X + "CC"}
