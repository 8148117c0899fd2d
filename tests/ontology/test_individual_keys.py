"""Which individual has which key, also by way of references and blank nodes."""

from __future__ import annotations

import pytest
from kaicep.ontology import KeyIndex, KnowledgeBase

X = "http://e/"
REF = "https://brickschema.org/schema/Brick/ref#"
PREAMBLE = f"""@prefix : <{X}> . @prefix ref: <{REF}> . @prefix brick: <https://brickschema.org/schema/Brick#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
"""


def keys(text: str, prop: str = REF + "hasTimeseriesId", of_class: str | None = None) -> KeyIndex:
    return KnowledgeBase.of_turtle(PREAMBLE + text).keys(prop, of_class)


@pytest.mark.parametrize(
    "text",
    [
        ':t1 ref:hasTimeseriesId "a" .',
        ':t1 ref:hasExternalReference [ a ref:TimeseriesReference ; ref:hasTimeseriesId "a" ; ref:storedAt :db ] .',
        ':t1 ref:hasExternalReference :r1 . :r1 ref:hasTimeseriesId "a" .',
        ':t1 ref:hasTimeseriesReference :r1 . :r1 ref:hasTimeseriesId "a" .',
        ':t1 brick:timeseries [ ref:hasTimeseriesId "a" ] . :db :stores _:b .',
        ':t1 :own [ ref:hasTimeseriesId "a" ] .',
    ],
)
def test_a_key_of_a_reference_is_that_of_whoever_refers_to_it(text: str) -> None:
    assert keys(text) == KeyIndex({"a": X + "t1"}, {})


def test_a_reference_goes_before_whatever_else_leads_to_a_blank_node() -> None:
    assert keys(':t1 ref:hasExternalReference _:r . :db :stores _:r . _:r ref:hasTimeseriesId "a" .').individuals == {
        "a": X + "t1"
    }


def test_a_blank_node_that_nothing_leads_to_has_no_key() -> None:
    assert keys('[] ref:hasTimeseriesId "a" .') == KeyIndex({}, {})


def test_a_key_that_fits_several_is_ambiguous() -> None:
    found = keys(':t1 ref:hasTimeseriesId "a", "b" . :t2 ref:hasTimeseriesId "a" .')
    assert found == KeyIndex({"b": X + "t1"}, {"a": (X + "t1", X + "t2")})


def test_equal_individuals_are_one() -> None:
    assert keys(':t2 ref:hasTimeseriesId "a" ; owl:sameAs :t1 . :t1 ref:hasTimeseriesId "a" .').individuals == {
        "a": X + "t1"
    }


def test_classes_and_properties_give_way_to_individuals() -> None:
    """They have labels as well."""
    label = "http://www.w3.org/2000/01/rdf-schema#label"
    text = ':Room a owl:Class ; rdfs:label "Room" . :r1 a :Room ; rdfs:label "Room"@en . :Hall a owl:Class ; '
    found = keys(text + 'rdfs:label "Hall" .', label)
    assert (found.individuals["Room"], found.individuals["Hall"]) == (X + "r1", X + "Hall")


def test_a_class_says_who_is_meant() -> None:
    text = ':r1 a :Room ; :name "101" . :t1 a :Point ; :name "101" . :Sensor rdfs:subClassOf :Point . '
    text += ':t2 a :Sensor ; :name "102" .'
    assert keys(text, X + "name").ambiguous == {"101": (X + "r1", X + "t1")}
    assert keys(text, X + "name", X + "Point") == KeyIndex({"101": X + "t1", "102": X + "t2"}, {})


def test_keys_but_for_their_case() -> None:
    found = keys(':a :name "VAV1" . :b :name "vav2", "VAV2" . :c :name "x" . :d :name "X" .', X + "name").folded
    assert found.individuals == {"vav1": X + "a", "vav2": X + "b"}
    assert found.ambiguous == {"x": (X + "c", X + "d")}


def test_keys_may_be_numbers_and_iris() -> None:
    assert keys(":a :no 7 . :b :no :other .", X + "no").individuals == {"7": X + "a", X + "other": X + "b"}
