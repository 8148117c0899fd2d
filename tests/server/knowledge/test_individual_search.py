"""Individuals are found by label, IRI and class; each is shown with what is linked to it."""

from __future__ import annotations

import pyoxigraph as ox
import pytest
from kaicep.config import Settings
from kaicep.server.knowledge.individual_search import found_individuals, one_individual
from kaicep.server.problem import ProblemError

NONE = ox.Store()


def test_individuals_are_found(known: Settings) -> None:
    def found(search: str | None, of_class: str | None = None, limit: int = 50) -> list[str]:
        return [one["prefixed"] for one in found_individuals(NONE, known, search, of_class, limit)]

    assert found("ROOM one") == ["ex:r1"]
    assert found("hörsaal") == ["ex:r1"]  # its label in another language than it is shown in
    assert found("ex:r") == ["ex:r1", "ex:r2"]
    assert found(None, "urn:ex:Space") == ["ex:r1", "ex:r2"]
    assert found("one", "urn:ex:Sensor") == ["ex:s1"]
    assert found(None, limit=1) == ["ex:r1"]
    assert found("nobody") == []


def test_an_individual_with_its_neighbours(known: Settings) -> None:
    found = one_individual(NONE, known, "urn:ex:r1")
    assert (found["label"], found["classes"]) == ("Room one", ["urn:ex:Lab"])
    assert {
        "property": "urn:ex:in",
        "value": "urn:ex:s1",
        "label": "Sensor one",
        "incoming": True,
        "iri": True,
    } in found["triples"]
    outgoing = one_individual(NONE, known, "urn:ex:s1")["triples"]
    assert {
        "property": "urn:ex:in",
        "value": "urn:ex:r1",
        "label": "Room one",
        "incoming": False,
        "iri": True,
    } in outgoing


def test_neighbours_without_a_name_are_told(known: Settings) -> None:
    triples = one_individual(NONE, known, "urn:ex:r2")["triples"]
    assert [(one["label"], one["iri"]) for one in triples if one["property"] == "urn:ex:area"] == [("value 54", False)]


@pytest.mark.parametrize(("iri", "status"), [("urn:ex:nobody", 404), ("no iri", 400)])
def test_one_that_is_none(known: Settings, iri: str, status: int) -> None:
    with pytest.raises(ProblemError) as problem:
        one_individual(NONE, known, iri)
    assert problem.value.status == status
