"""Which names mean the same, and which are more general."""

from __future__ import annotations

import pytest
from kaicep.ontology.equivalence import equivalence_classes, more_general
from pyoxigraph import RdfFormat, Store
from support.ontologies import PREAMBLE, X


def store_of(text: str) -> Store:
    store = Store()
    store.load((PREAMBLE + text).encode(), RdfFormat.TURTLE)
    return store


def classes(text: str) -> set[str]:
    """Each class as its members in order, without the namespace."""
    found = equivalence_classes(store_of(text))
    assert all(name in members for name, members in found.items())
    return {" ".join(sorted(iri.removeprefix(X) for iri in members)) for members in found.values()}


def test_equivalence_is_transitive_in_every_direction_and_of_every_kind() -> None:
    text = ":a owl:equivalentProperty :b . :c owl:sameAs :b . :d owl:equivalentClass :c . :e owl:equivalentClass :f ."
    assert classes(text) == {"a b c d", "e f"}


def test_large_classes_that_meet_late_become_one() -> None:
    chains = " ".join(f":{side}{i} owl:sameAs :{side}{i + 1} ." for side in "ab" for i in range(20))
    assert len(classes(f"{chains} :a20 owl:sameAs :b0 .")) == 1


def test_what_is_no_name_is_equivalent_to_none() -> None:
    assert classes(":A owl:equivalentClass [ owl:unionOf (:B :C) ] .") == set()


@pytest.mark.parametrize(
    ("name", "expected"),
    [("A", {"B", "C", "D"}), ("B", {"C", "D"}), ("C", {"B", "D"}), ("D", set()), ("nobody", set())],
)
def test_what_is_more_general_is_reached_over_equivalent_names(name: str, expected: set[str]) -> None:
    store = store_of(
        ":A rdfs:subClassOf :B . :C owl:equivalentClass :B . :C rdfs:subClassOf :D . :p rdfs:subPropertyOf :A ."
    )
    found = more_general(store, X + name, "rdfs:subClassOf")
    assert {iri.removeprefix(X) for iri in found} == expected
