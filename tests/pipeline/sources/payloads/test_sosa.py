"""SOSA in JSON-LD: the observations of the specification, and other ways to write them."""

from __future__ import annotations

from typing import Any

import pytest
from kaicep.pipeline.sources.payloads.sosa import sosa_records

BAROMETER: dict[str, Any] = {
    "@context": {
        "@base": "http://example.org/data/",
        "sosa": "http://www.w3.org/ns/sosa/",
        "xsd": "http://www.w3.org/2001/XMLSchema#",
        "cdt": "http://w3id.org/lindt/custom_datatypes#",
    },
    "@id": "Observation/346345",
    "@type": "sosa:Observation",
    "sosa:observedProperty": {"@id": "sensor/35-207306-844818-0/BMP282/atmosphericPressure"},
    "sosa:hasFeatureOfInterest": {"@id": "earthAtmosphere"},
    "sosa:madeBySensor": {"@id": "sensor/35-207306-844818-0/BMP282"},
    "sosa:hasSimpleResult": {"@value": "1022.05 hPa", "@type": "cdt:ucum"},
    "sosa:resultTime": {"@value": "2017-06-06T12:36:12Z", "@type": "xsd:dateTime"},
}
"""Semantic Sensor Network Ontology, B.1, as JSON-LD."""
DATA = "http://example.org/data/"


def test_the_barometer_of_the_specification() -> None:
    assert sosa_records(BAROMETER) == [
        {
            "observation": f"{DATA}Observation/346345",
            "madeBySensor": f"{DATA}sensor/35-207306-844818-0/BMP282",
            "observedProperty": f"{DATA}sensor/35-207306-844818-0/BMP282/atmosphericPressure",
            "hasFeatureOfInterest": f"{DATA}earthAtmosphere",
            "resultTime": "2017-06-06T12:36:12Z",
            "hasSimpleResult": "1022.05 hPa",
        }
    ]


@pytest.mark.parametrize("context", [{}, {"@context": "https://somewhere.example/sosa.jsonld"}])
def test_without_a_context_terms_are_those_of_sosa(context: dict[str, str]) -> None:
    """One that would have to be fetched is none."""
    document = {"type": "Observation", "madeBySensor": "urn:s1", "hasSimpleResult": 21.5, **context}
    assert sosa_records(document) == [{"madeBySensor": "urn:s1", "hasSimpleResult": 21.5}]


def test_a_result_has_a_value_and_a_unit() -> None:
    document = {
        "type": "Observation",
        "id": "urn:o1",
        "hasResult": {"qudt:numericValue": 22, "qudt:unit": {"id": "unit:DEG_C"}},
        "phenomenonTime": {"time:inXSDDateTimeStamp": "2026-01-01T00:00:00Z"},
    }
    assert sosa_records(document) == [
        {
            "observation": "urn:o1",
            "phenomenonTime": "2026-01-01T00:00:00Z",
            "value": 22.0,
            "unit": "http://qudt.org/vocab/unit/DEG_C",
        }
    ]


def test_a_collection_says_of_all_what_its_members_share() -> None:
    members = [
        {"id": f"urn:o{number}", "type": "Observation", "hasSimpleResult": number, "resultTime": f"2026-01-0{number}"}
        for number in (1, 2)
    ]
    found = sosa_records({"type": "ObservationCollection", "madeBySensor": "urn:s", "hasMember": members})
    assert [(row["observation"], row["madeBySensor"], row["hasSimpleResult"]) for row in found] == [
        ("urn:o1", "urn:s", 1.0),
        ("urn:o2", "urn:s", 2.0),
    ]


def test_graphs_and_arrays_have_several() -> None:
    one = {"type": "Observation", "hasSimpleResult": True}
    assert sosa_records([one, {**one, "hasSimpleResult": False}]) == [
        {"hasSimpleResult": True},
        {"hasSimpleResult": False},
    ]


@pytest.mark.parametrize(
    ("document", "why"),
    [
        (5, "it is no object"),
        ({"type": "Sensor"}, "there is no sosa:Observation in it"),
        ({"@context": {"a": 5}, "a": 1}, "no JSON-LD"),
    ],
)
def test_what_is_no_observation(document: object, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        sosa_records(document)


def test_what_has_no_name_has_no_value() -> None:
    """Its label is another one each time that the document is read: it would be another event after a crash."""
    document = {
        "@type": "Observation",
        "hasFeatureOfInterest": {"@type": "http://example.org/Room"},
        "phenomenonTime": {"@type": "time:Interval"},
        "hasSimpleResult": 1.5,
    }
    assert sosa_records(document) == [{"hasFeatureOfInterest": None, "phenomenonTime": None, "hasSimpleResult": 1.5}]


@pytest.mark.parametrize(("text", "value"), [("true", True), ("1", True), ("false", False), ("0", False)])
def test_truth_values_as_xsd_writes_them(text: str, *, value: bool) -> None:
    (record,) = sosa_records({"@type": "Observation", "hasSimpleResult": {"@value": text, "@type": "xsd:boolean"}})
    assert record == {"hasSimpleResult": value}
