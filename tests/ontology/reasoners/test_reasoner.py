"""What every reasoner promises, whichever it is."""

from __future__ import annotations

import pytest
from kaicep.ontology.consistency import contradiction_error
from kaicep.ontology.modules import Module
from kaicep.ontology.reasoners import REASONERS, USUAL_LIMITS, Closure, Reasoner
from pyoxigraph import Quad
from support.entailment import has_java
from support.ontologies import PREAMBLE, X

USABLE = [reasoner for reasoner in REASONERS.values() if reasoner.java is None or has_java(reasoner.java)]


def modules(*texts: str) -> list[Module]:
    return [Module.parse(f"{i}.ttl", (PREAMBLE + text).encode()) for i, text in enumerate(texts)]


def test_assertions_are_the_union_of_the_modules() -> None:
    given = modules(":i a :A .", ":j a :A .")
    closure = Closure.of_assertions(given)
    assert set(closure.store) == {Quad(*triple) for module in given for triple in module.triples}
    assert closure.inferred == frozenset()


@pytest.mark.parametrize("reasoner", USABLE, ids=lambda reasoner: reasoner.name)
def test_a_closure_holds_what_is_asserted(reasoner: Reasoner) -> None:
    given = modules(":A a owl:Class . :B a owl:Class . :A rdfs:subClassOf :B .", ":i a :A .")
    closed = set(reasoner.close(given, {}, USUAL_LIMITS).store)
    assert closed >= set(Closure.of_assertions(given).store)


@pytest.mark.parametrize("reasoner", [r for r in USABLE if r.name != "none"], ids=lambda reasoner: reasoner.name)
def test_a_contradiction_names_individuals_and_modules(reasoner: Reasoner) -> None:
    given = modules(":A a owl:Class . :B a owl:Class . :A owl:disjointWith :B . :i a :A .", ":i a :B .")
    (found,) = reasoner.close(given, {"x": X}, USUAL_LIMITS).contradictions
    assert found.message({"x": X}) == "x:i is both x:A and x:B, which are disjoint"
    assert str(contradiction_error([found], given, {"x": X})) == (
        "the knowledge contradicts itself: x:i is both x:A and x:B, which are disjoint: "
        "take one of the statements back, see 0.ttl (x:i, x:A, x:B), 1.ttl (x:i)"
    )
