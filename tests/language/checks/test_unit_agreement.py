"""Units: conversion by QUDT's numbers, temperatures and their differences, products, and values in columns."""

from __future__ import annotations

from fractions import Fraction

import polars as pl
import pytest
from kaicep.expressions.columns import column_expression
from kaicep.language.checks import compile_document
from kaicep.language.nodes.expression import Binary
from kaicep.language.nodes.measures import Unit
from support.vocabulary import TWO_STREAMS, UNITS, iri

CELSIUS, FAHRENHEIT, KELVIN = (UNITS[iri(f"unit:{name}")] for name in ("DEG_C", "DEG_F", "K"))


def test_a_temperature_and_a_difference_are_converted_differently() -> None:
    conversion = FAHRENHEIT.to(CELSIUS)
    assert conversion is not None
    assert float(conversion.apply(Fraction(68), Fraction(1))) == 20.0
    assert float(conversion.apply(Fraction(9), Fraction(0))) == 5.0


def test_there_and_back_is_nothing() -> None:
    for unit in UNITS.values():
        conversion = unit.to(unit)
        assert conversion is not None
        assert conversion.idle


@pytest.mark.parametrize(
    ("multiplier", "vector"), [("0.0", "A0E0L0I0M0H0T0D1"), ("no number", "A0E0L0I0M0H0T0D1"), ("1", "L3T-1")]
)
def test_what_qudt_does_not_say_how_to_convert_is_no_unit(multiplier: str, vector: str) -> None:
    """Logarithmic units, such as decibels, have the multiplier 0."""
    assert Unit.of("urn:u", multiplier, vector) is None


def test_products_add_dimensions_and_a_percentage_adds_none() -> None:
    flow, minute, litre = (UNITS[iri(f"unit:{name}")] for name in ("FT3-PER-MIN", "MIN", "L"))
    volume = flow.times(minute)
    assert volume is not None
    assert volume.to(litre) is not None
    share = flow.times(UNITS[iri("unit:PERCENT")])
    assert share is not None
    assert (share.dimension, share.multiplier) == (flow.dimension, flow.multiplier / 100)
    ratio = flow.times(flow, -1)
    assert ratio is not None
    assert ratio.to(UNITS[iri("unit:PERCENT")]) is not None
    assert CELSIUS.times(minute) is None


def test_a_column_is_converted_to_the_unit_of_the_first() -> None:
    text = """SELECT ?a.sensorID FROM (?a, airflowReport), (?b, temperatureReport)
    JOIN (?a.flowrate > ?b.flow) WINDOW (?a, ?b, 1min)"""
    (join,) = compile_document(text, TWO_STREAMS)[0].joins
    assert isinstance(join, Binary)
    found = pl.DataFrame({"flow": [1.0, None, 471.9474432]}).select(column_expression(join.right)).to_series()
    assert found.to_list() == pytest.approx([2.118880003, None, 1000.0])


def test_the_stream_of_a_query_has_the_units_of_its_items() -> None:
    text = """CREATE QUERY q AS SELECT ?e.celsius AS a, AVG(?e.celsius) AS b, STDDEV(?e.celsius) AS c,
    ?e.celsius - 3 AS d, ?e.flow * 2 AS e, ?e.flow / ?e.flow AS f
    FROM (?e, temperatureReport) WINDOW (?e, sliding, 1min)"""
    output = compile_document(text, TWO_STREAMS)[0].output
    named = {a.name: a.unit and a.unit.rpartition("/")[2] for a in output.attributes}
    assert named == {"a": "DEG_C", "b": "DEG_C", "c": None, "d": "DEG_C", "e": "L-PER-SEC", "f": None, "_time": None}
