"""Units of measure: conversion by QUDT's numbers, temperatures and their differences, products."""

from __future__ import annotations

from fractions import Fraction

import pytest
from kaicep.language.nodes.measures import Unit
from support.vocabulary import UNITS, iri

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
