"""Individuals are found by what is like their name."""

from __future__ import annotations

import pytest
from kaicep.explain.mapping.individual_names import IndividualNames, NearestNames, namespace
from kaicep.ontology import KnowledgeBase, local_name

MODEL = """
@prefix a: <http://a/m#> . @prefix b: <http://b/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
a:Sensor a owl:Class . a:number a owl:DatatypeProperty .
a:s1 a a:Sensor ; a:number "one" ; rdfs:label "one" . a:s2 a a:Sensor ; rdfs:label "two" . b:s2 a a:Sensor .
"""


@pytest.fixture(scope="module")
def names() -> IndividualNames:
    """Three individuals in two namespaces."""
    return IndividualNames(KnowledgeBase.of_turtle(MODEL))


def test_an_iri_is_a_namespace_and_a_local_name() -> None:
    for iri, local in {"http://a/m#s1": "s1", "http://b/x/s2": "s2", "urn:ex:s3": "s3", "s4": "s4"}.items():
        assert (namespace(iri) + local_name(iri), local_name(iri)) == (iri, local)


def test_classes_and_properties_are_no_individuals(names: IndividualNames) -> None:
    assert names.iris == ("http://a/m#s1", "http://a/m#s2", "http://b/s2")
    assert names.namespaces == {"http://a/m#": 2, "http://b/": 1}
    assert names.below("http://a/m") == ["#s1", "#s2"]


def test_the_namespace_of_most_names_is_told(names: IndividualNames) -> None:
    assert names.namespace_of(["s1", "s2", "s9"]) == ("http://a/m#", 2)
    assert names.namespace_of(["s9"]) is None


def test_a_property_goes_before_labels_where_both_have_as_many_values(names: IndividualNames) -> None:
    assert names.property_of(["one"]) == ("http://a/m#number", 1)
    assert names.property_of(["one", "two"]) == ("http://www.w3.org/2000/01/rdf-schema#label", 2)
    assert names.property_of(["three"]) is None


def test_the_same_letters_go_before_what_differs_little() -> None:
    nearest = NearestNames(["RM-101_T", "RM-102_T", "hall"])
    assert nearest.of("rm101t") == ("RM-101_T",)
    assert nearest.of("RM_0101.T") == ("RM-101_T",)
    assert nearest.of("RM-103_T") == ("RM-102_T", "RM-101_T")
    assert nearest.of("zzz") == ()
    assert nearest.of("###") == ()
