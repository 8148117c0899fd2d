"""SELECT: output columns with names and types, and the stream that they form."""

from __future__ import annotations

import pytest
from kaicep.language.nodes import (
    Aggregate,
    AttributeType,
    Column,
    ValueType,
)
from support.vocabulary import compiled, iri

HAS_SOURCE = iri("evt:hasSource")


def test_items() -> None:
    query = compiled("SELECT ?e.sensorID, AVG(?e.flowrate) > 500 AS avgrate, COUNT(?e) WINDOW (?e, sliding, 5min)")
    assert [(item.name, item.type, item.condition is None) for item in query.items] == [
        ("sensorID", ValueType.STRING, True),
        ("avgrate", ValueType.DOUBLE, False),
        ("count_e", ValueType.INTEGER, True),
    ]
    match query.items[2].value:
        case Aggregate(function="COUNT", variable="e", argument=None):
            pass
        case other:
            pytest.fail(f"unexpected {other}")


def test_the_event_as_an_item_is_its_id() -> None:
    [item] = compiled("SELECT ?e").items
    assert isinstance(item.value, Column)
    assert (item.name, item.value.name, item.type) == ("e", "_id", ValueType.IRI)


def test_output_streams_keep_what_attributes_stand_for() -> None:
    query = compiled("CREATE QUERY high AS SELECT ?e.sensorID AS sensor, ?e.flowrate, ?e.flowrate * 2 AS twice")
    assert query.output.name == "high"
    assert query.output.attributes == (
        AttributeType("sensor", ValueType.STRING, HAS_SOURCE, individual=True),
        AttributeType(
            "flowrate",
            ValueType.DOUBLE,
            iri("hvc:airflow"),
            frozenset({iri("hvc:flowrate")}),
            unit=iri("unit:FT3-PER-MIN"),
        ),
        AttributeType("twice", ValueType.DOUBLE, unit=iri("unit:FT3-PER-MIN")),
        AttributeType("_time", ValueType.DATETIME),
    )
    assert (query.output.event_type, query.output.time) == (None, "_time")


def test_named_queries_carry_the_individuals_of_their_items() -> None:
    named = compiled("CREATE QUERY high AS SELECT ?e.sensorID AS sensor")
    assert [(item.name, item.hidden) for item in named.items] == [("sensor", False), (HAS_SOURCE, True)]
    assert named.sources[0].columns == (HAS_SOURCE, "sensorID")
    assert [item.hidden for item in compiled("SELECT ?e.sensorID AS sensor").items] == [False]
