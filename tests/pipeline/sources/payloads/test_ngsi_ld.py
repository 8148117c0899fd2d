"""NGSI-LD: the entities of ETSI GS CIM 009, in all their representations."""

from __future__ import annotations

from typing import Any

import pytest
from kaicep.pipeline.sources.payloads.ngsi_ld import ngsi_ld_records

VEHICLE: dict[str, Any] = {
    "id": "urn:ngsi-ld:Vehicle:A4567",
    "type": "Vehicle",
    "brandName": {"type": "Property", "value": "Mercedes"},
    "street": {"type": "LanguageProperty", "languageMap": {"fr": "Grand Place", "nl": "Grote Markt"}},
    "isParked": {
        "type": "Relationship",
        "object": "urn:ngsi-ld:OffStreetParking:Downtown1",
        "observedAt": "2017-07-29T12:00:04Z",
        "providedBy": {"type": "Relationship", "object": "urn:ngsi-ld:Person:Bob"},
    },
    "@context": ["https://uri.etsi.org/ngsi-ld/v1/ngsi-ld-core-context.jsonld"],
}
"""ETSI GS CIM 009 V1.8.1, C.2.2."""
PARKING: dict[str, Any] = {
    "id": "urn:ngsi-ld:OffStreetParking:Downtown1",
    "type": "OffStreetParking",
    "availableSpotNumber": {"type": "Property", "value": 121, "observedAt": "2017-07-29T12:05:02Z"},
    "totalSpotNumber": {"type": "Property", "value": 200},
    "location": {"type": "GeoProperty", "value": {"type": "Point", "coordinates": [-8.5, 41.2]}},
    "@context": ["https://uri.etsi.org/ngsi-ld/v1/ngsi-ld-core-context.jsonld"],
}


def test_an_entity_is_a_record_of_its_moment() -> None:
    assert ngsi_ld_records(VEHICLE) == [
        {
            "id": "urn:ngsi-ld:Vehicle:A4567",
            "type": "Vehicle",
            "brandName": "Mercedes",
            "street": '{"fr": "Grand Place", "nl": "Grote Markt"}',
            "isParked": "urn:ngsi-ld:OffStreetParking:Downtown1",
            "observedAt": "2017-07-29T12:00:04Z",
        }
    ]


def test_what_was_observed_at_other_times_is_another_record() -> None:
    speed = {"type": "Property", "value": 55, "unitCode": "KMH", "observedAt": "2017-07-29T12:00:00Z"}
    found = ngsi_ld_records({**VEHICLE, "speed": speed})
    assert [(row["observedAt"], row.get("speed"), row.get("isParked") is not None) for row in found] == [
        ("2017-07-29T12:00:00Z", 55, False),
        ("2017-07-29T12:00:04Z", None, True),
    ]
    assert found[0]["speed_unitCode"] == "KMH"
    assert {row["brandName"] for row in found} == {"Mercedes"}


def test_instances_of_an_attribute_are_told_apart() -> None:
    speeds = [
        {"type": "Property", "value": 55, "observedAt": "2017-07-29T12:00:00Z"},
        {"type": "Property", "value": 54.5, "datasetId": "urn:gps", "observedAt": "2017-07-29T12:00:01Z"},
    ]
    found = ngsi_ld_records({"id": "urn:v", "type": "Vehicle", "speed": speeds})
    assert [(row["speed"], row.get("speed_datasetId")) for row in found] == [(55, None), (54.5, "urn:gps")]


def test_instances_of_several_datasets_are_records_of_their_own() -> None:
    """Also of one moment, and without one: the last would be all that is left."""
    speeds = [{"value": 55 + n, "datasetId": f"urn:{n}"} for n in range(2)]
    timed = [{**one, "observedAt": "2017-07-29T12:00:00Z"} for one in speeds]
    for instances in (speeds, timed):
        found = ngsi_ld_records({"id": "urn:v", "type": "Vehicle", "speed": instances, "brand": {"value": "x"}})
        assert [(row["speed"], row["speed_datasetId"], row["brand"]) for row in found] == [
            (55, "urn:0", "x"),
            (56, "urn:1", "x"),
        ]


def test_one_moment_is_one_record_however_it_is_written() -> None:
    """By its moment the second record would be known as one that came before."""
    moments = ("2017-07-29T12:00:00Z", "2017-07-29T12:00:00.000Z", "2017-07-29T14:00:00+02:00", "2017-07-29T13:00:00Z")
    found = ngsi_ld_records(
        {"id": "urn:v", "type": "V", **{f"a{n}": {"value": n, "observedAt": at} for n, at in enumerate(moments)}}
    )
    assert [{name for name in row if name.startswith("a")} for row in found] == [{"a0", "a1", "a2"}, {"a3"}]

    at = "0001-01-01T00:00:00+14:00"
    assert ngsi_ld_records({"id": "urn:v", "type": "V", "a": {"value": 1, "observedAt": at}})[0]["observedAt"] == at


def test_concise_and_simplified_entities() -> None:
    head = {"id": "urn:p", "type": ["OffStreetParking", "Building"]}
    concise = {**head, "spots": {"value": 121, "observedAt": "2017-07-29T12:05:02Z"}, "in": {"object": "urn:c"}}
    simplified = {**head, "spots": 121, "in": "urn:c", "observedAt": "2017-07-29T12:05:02Z"}
    expected = {**head, "type": '["OffStreetParking", "Building"]', "spots": 121, "in": "urn:c"}
    moment = {"observedAt": "2017-07-29T12:05:02Z"}
    assert ngsi_ld_records(concise) == [expected | moment]
    assert ngsi_ld_records(simplified) == [expected | moment]


@pytest.mark.parametrize(
    ("concise", "value"),
    [
        ({"languageMap": {"fr": "Place"}}, '{"fr": "Place"}'),
        ({"vocab": "stationary"}, "stationary"),
        ({"json": {"a": 1}}, '{"a": 1}'),
        ({"valueList": [1, 2]}, "[1, 2]"),
        ({"objectList": [{"object": "urn:a"}]}, '[{"object": "urn:a"}]'),
        ({"type": "Point", "coordinates": [1, 2]}, '{"type": "Point", "coordinates": [1, 2]}'),
        ({"type": ["Point"], "coordinates": [1, 2]}, '{"type": ["Point"], "coordinates": [1, 2]}'),
        ({"type": {}, "value": 1}, 1),
    ],
)
def test_concise_attributes_of_every_kind(concise: dict[str, Any], value: object) -> None:
    """Simplified ones of these kinds look alike."""
    assert ngsi_ld_records({"id": "urn:e", "type": "E", "x": concise}) == [{"id": "urn:e", "type": "E", "x": value}]


def test_notifications_and_arrays_have_entities() -> None:
    notification = {"id": "urn:n", "type": "Notification", "subscriptionId": "urn:s", "data": [VEHICLE, PARKING]}
    assert ngsi_ld_records(notification) == ngsi_ld_records([VEHICLE, PARKING])
    assert [row["type"] for row in ngsi_ld_records(notification)] == ["Vehicle", "OffStreetParking"]


@pytest.mark.parametrize(
    ("document", "why"),
    [
        (5, "entity 1 is no object with id and type"),
        ([VEHICLE, {"id": "urn:x"}], "entity 2 is no object with id and type"),
        ({"id": "urn:x", "type": "T", "a": {"type": "Property"}}, "'a' has no value"),
    ],
)
def test_what_is_no_entity(document: object, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        ngsi_ld_records(document)
