"""The units that kaicep ships, and those of the knowledge."""

from __future__ import annotations

import math

import pytest
from kaicep.ontology import KnowledgeBase

UNIT = "http://qudt.org/vocab/unit/"
KNOWN = KnowledgeBase.empty()


@pytest.mark.parametrize(
    ("value", "of", "to", "expected"),
    [
        (500, "FT3-PER-MIN", "L-PER-SEC", 235.9737216),
        (68, "DEG_F", "DEG_C", 20.0),
        (0, "DEG_C", "K", 273.15),
        (1, "KiloW-HR", "MegaJ", 3.6),
        (1, "PSI", "KiloPA", 6.894757293168361),
        (1, "TON_FG", "KiloW", 3.5168528420666666),
        (1, "KN", "KiloM-PER-HR", 1.852),
        (1, "REV", "DEG", 360.0),
        (100, "GAL_US-PER-MIN", "L-PER-MIN", 378.5411784),
        (40, "PERCENT", "UNITLESS", 0.4),
    ],
)
def test_shipped_units_convert(value: float, of: str, to: str, expected: float) -> None:
    """Expected: NIST SP 811 and the definitions of the units."""
    source, target = KNOWN.unit(UNIT + of), KNOWN.unit(UNIT + to)
    assert source is not None
    assert target is not None
    conversion = source.to(target)
    assert conversion is not None
    assert math.isclose(value * conversion.factor + conversion.offset, expected, rel_tol=1e-12)


def test_power_is_no_energy_and_decibels_are_not_converted() -> None:
    power, energy = KNOWN.unit(UNIT + "KiloW"), KNOWN.unit(UNIT + "KiloW-HR")
    assert power is not None
    assert energy is not None
    assert power.to(energy) is None
    assert KNOWN.unit(UNIT + "DeciB") is None


def test_the_knowledge_declares_units_of_its_own() -> None:
    known = KnowledgeBase.of_turtle(
        """@prefix qudt: <http://qudt.org/schema/qudt/> . @prefix d: <http://qudt.org/vocab/dimensionvector/> .
        <urn:bucket> a qudt:Unit ; qudt:conversionMultiplier 0.01 ; qudt:hasDimensionVector d:A0E0L3I0M0H0T0D0 .
        <urn:half> a qudt:Unit ; qudt:conversionMultiplier 0.5 ."""
    )
    bucket, litre = known.unit("urn:bucket"), known.unit(UNIT + "L")
    assert bucket is not None
    assert litre is not None
    conversion = bucket.to(litre)
    assert conversion is not None
    assert conversion.factor == 10
    assert known.unit("urn:half") is None
    assert known.is_unit("urn:half")


def test_individuals_measure_in_units_by_iri_and_by_symbol() -> None:
    known = KnowledgeBase.of_turtle(
        """@prefix brick: <https://brickschema.org/schema/Brick#> . @prefix unit: <http://qudt.org/vocab/unit/> .
        <urn:a> brick:hasUnit unit:DEG_F . <urn:b> brick:hasUnit "cfm" . <urn:c> brick:hasUnit "buckets" ."""
    )
    assert known.measured_in == {"urn:a": {UNIT + "DEG_F"}, "urn:b": {UNIT + "FT3-PER-MIN"}, "urn:c": {"buckets"}}


def test_units_that_cannot_be_converted_are_units() -> None:
    assert KNOWN.is_unit(UNIT + "DeciB")
    assert not KNOWN.is_unit(UNIT + "Bucket")


def test_what_the_knowledge_only_speaks_of_is_no_unit() -> None:
    known = KnowledgeBase.of_turtle(
        """@prefix brick: <https://brickschema.org/schema/Brick#> . <urn:room> a brick:Room .
        <urn:a> brick:hasUnit <urn:bucket> . <urn:pail> a <http://qudt.org/schema/qudt/Unit> ."""
    )
    assert [known.is_unit(iri) for iri in ("urn:room", "urn:bucket", "urn:pail")] == [False, True, True]
