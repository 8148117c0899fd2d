"""The individuals that a contradiction needs: a smallest set, found with few questions (QUICKXPLAIN)."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from kaicep.ontology.consistency import conflicting_individuals
from pyoxigraph import NamedNode, RdfFormat, Triple, parse
from support.ontologies import PREAMBLE, X

PEOPLE = " ".join(f":i{n} a :A ." for n in range(16))


def triples(text: str) -> list[Triple]:
    return [quad.triple for quad in parse((PREAMBLE + text).encode(), RdfFormat.TURTLE)]


class Oracle:
    """Finds no model as soon as all of some individuals are there."""

    def __init__(self, *names: str) -> None:
        self.needed = {NamedNode(X + name) for name in names}
        self.asked = 0

    def __call__(self, some: Sequence[Triple]) -> bool:
        self.asked += 1
        return not self.needed <= {triple.subject for triple in some}


@pytest.mark.parametrize("names", [("i3",), ("i0", "i15"), ("i2", "i7", "i8")])
def test_a_smallest_set_is_found(names: tuple[str, ...]) -> None:
    oracle = Oracle(*names)
    found = conflicting_individuals(triples(PEOPLE), oracle)
    assert {node.value.removeprefix(X) for node in found} == set(names)
    assert oracle.asked < 30


def test_an_ontology_that_contradicts_itself_without_any_names_none() -> None:
    assert conflicting_individuals(triples(PEOPLE), lambda _: False) == ()
    assert conflicting_individuals(triples(":A rdfs:subClassOf :B ."), lambda _: False) == ()


def test_classes_and_the_vocabulary_are_no_individuals() -> None:
    text = ":A a owl:Class . :p a owl:ObjectProperty . :i a :A . :j a owl:NamedIndividual ."
    found = conflicting_individuals(triples(text), Oracle("i", "j"))
    assert {node.value.removeprefix(X) for node in found} == {"i", "j"}


def test_what_is_said_of_one_who_is_left_out_goes_in_either_place() -> None:
    """As subject and as object."""
    text = ":i a :A . :j a :A ; :knows :i ."
    seen: list[list[str]] = []

    def is_consistent(some: Sequence[Triple]) -> bool:
        seen.append([str(triple) for triple in some])
        return len(some) < 3

    conflicting_individuals(triples(text), is_consistent)
    assert [f"<{X}j> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <{X}A>"] in seen
