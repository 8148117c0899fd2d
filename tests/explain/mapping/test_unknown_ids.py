"""Why ids name no individual, and what to add to the annotation."""

from __future__ import annotations

import pytest
from kaicep.annotator import EntityLinker
from kaicep.annotator.linking.linkage import Linkage
from kaicep.explain.mapping.unknown_ids import UnknownIds, distinguishing_class, specific_classes
from kaicep.language.nodes import ValueType
from kaicep.ontology import KnowledgeBase

LABEL = "http://www.w3.org/2000/01/rdf-schema#label"
MODEL = """
@prefix m: <urn:m:> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
m:Sensor a owl:Class . m:CO2 rdfs:subClassOf m:Sensor . m:Warmth rdfs:subClassOf m:Sensor . m:Aim a owl:Class .
m:c1 a m:CO2, m:Sensor ; rdfs:label "R1-CO2" . m:a1 a m:Aim ; rdfs:label "R1-CO2" .
m:c2 a m:CO2, m:Sensor ; rdfs:label "R2-CO2" . m:a2 a m:Aim ; rdfs:label "R2-CO2" .
m:t1 a m:Warmth, m:Sensor ; rdfs:label "R1-TEMP" . m:t2 a m:Warmth, m:Sensor ; rdfs:label "R2-TEMP" .
"""
KNOWLEDGE = KnowledgeBase.of_turtle(MODEL)


def unknown(*names: str, of_class: str | None = None) -> UnknownIds:
    linker = EntityLinker("point", ValueType.STRING, Linkage(key=LABEL, of_class=of_class), KNOWLEDGE)
    return UnknownIds(dict.fromkeys(names, 1), linker, KNOWLEDGE)


def reasons(found: UnknownIds) -> dict[str, tuple[str, tuple[str, ...]]]:
    return {one.name: (one.reason, one.nearest) for one in found.examples(["R1-TEMP", "R2-TEMP"])}


def test_of_an_id_that_several_have_two_are_named_with_their_classes() -> None:
    found = unknown("R1-CO2", "R3-TEMP")
    assert reasons(found) == {
        "R1-CO2": ("fits <urn:m:a1> (<urn:m:Aim>) and <urn:m:c1> (<urn:m:CO2>)", ()),
        "R3-TEMP": ("", ("R2-TEMP", "R1-TEMP")),
    }


def test_the_class_that_tells_them_apart_keeps_the_ids_that_are_known() -> None:
    """Each of the three classes would do for the ids alone."""
    advice = unknown("R1-CO2", "R2-CO2").advice(["urn:m:t1"])
    assert advice == '2 of 2 are names of several individuals, and so of none: add of_class = "<urn:m:Sensor>"'


def test_of_classes_that_do_equally_well_one_of_sensors_is_taken() -> None:
    model = KnowledgeBase.of_turtle(
        "@prefix m: <urn:m:> . m:a a m:Alarm . m:s a m:Flow_Sensor . m:b a m:Alarm . m:t a m:Flow_Sensor ."
    )
    several = [("urn:m:a", "urn:m:s"), ("urn:m:b", "urn:m:t")]
    assert distinguishing_class(several, [], model) == "urn:m:Flow_Sensor"
    assert distinguishing_class([("urn:m:a", "urn:m:b")], [], model) is None


def test_an_individual_of_another_class_is_named() -> None:
    found = unknown("R1-TEMP", "zz", of_class="urn:m:CO2")
    assert reasons(found)["R1-TEMP"] == ("is <urn:m:t1>, which is no <urn:m:CO2> but <urn:m:Warmth>", ())
    assert found.advice([]) == (
        "1 of 2 are names of individuals that are no <urn:m:CO2>: drop of_class, or name a class to which they belong"
    )


def test_ids_in_another_case_are_told_once() -> None:
    found = unknown("r1-temp", "r2-temp", "zz")
    assert reasons(found) == {"r1-temp": ("", ()), "r2-temp": ("", ()), "zz": ("", ())}
    assert found.advice([]) == "the case of 2 of 3 differs: add ignore_case = true"


@pytest.mark.parametrize("names", [("r1-temp", "zz"), ("zz", "yy")])
def test_the_case_is_not_blamed_where_it_is_not_that_of_most(names: tuple[str, ...]) -> None:
    assert unknown(*names).advice([]) == ""


def test_what_several_have_but_for_the_case_needs_both() -> None:
    assert unknown("r1-co2", "r1-temp", "r2-temp").advice(["urn:m:t1"]) == (
        '1 of 3 are names of several individuals, and so of none: add of_class = "<urn:m:Sensor>"; '
        "the case of 2 of 3 differs: add ignore_case = true"
    )


def test_the_most_specific_classes_are_counted() -> None:
    assert specific_classes(["urn:m:c1", "urn:m:c2", "urn:m:a1"], KNOWLEDGE) == {"urn:m:CO2": 2, "urn:m:Aim": 1}
