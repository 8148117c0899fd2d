"""What units are called, and names that QUDT puts together of others."""

from __future__ import annotations

import pytest
from kaicep.ontology import KnowledgeBase

UNIT = "http://qudt.org/vocab/unit/"
KNOWN = KnowledgeBase.empty()


@pytest.mark.parametrize(
    ("name", "unit"),
    [
        ("cfm", "FT3-PER-MIN"),
        ("CFM", "FT3-PER-MIN"),
        ("ft³/min", "FT3-PER-MIN"),
        ("[cft_i]/min", "FT3-PER-MIN"),
        ("Cubic foot per minute", "FT3-PER-MIN"),
        ("m3/h", "M3-PER-HR"),
        ("m³·h⁻¹", "M3-PER-HR"),
        ("m3.h-1", "M3-PER-HR"),
        ("l/s", "L-PER-SEC"),
        ("°C", "DEG_C"),
        ("Cel", "DEG_C"),
        ("degF", "DEG_F"),
        ("kWh", "KiloW-HR"),
        ("kW.h", "KiloW-HR"),
        ("in w.c.", "IN_H2O"),
        ("GPM", "GAL_US-PER-MIN"),
        ("mW", "MilliW"),
        ("MW", "MegaW"),
        ("%", "PERCENT"),
        ("T", "T"),
        ("t", "TONNE"),
        ("mw", None),
        ("bucket", None),
        ("", None),
    ],
)
def test_what_units_are_called(name: str, unit: str | None) -> None:
    """In another case only if that leaves no choice: `mw` may be a milliwatt or a megawatt."""
    found = KNOWN.unit_called(name)
    assert (None if found is None else found.iri) == (None if unit is None else UNIT + unit)


@pytest.mark.parametrize(
    ("name", "multiplier"),
    [
        ("CFM", 0.0004719474432),
        ("MilliGM-PER-L", 0.001),
        ("CentiM3", 1e-6),
        ("KiloGM-PER-M2-SEC", 1.0),
        ("PER-MIN", 1 / 60),
        ("W-PER-M2-DEG_C", 1.0),
        ("BTU_IT-PER-FT2", 1055.05585262 / 0.09290304),
        ("MicroV", 1e-6),
        ("MilliMOL-PER-L", 1.0),
    ],
)
def test_names_that_nobody_has_declared(name: str, multiplier: float) -> None:
    """Expected: QUDT 3.2.1, or the definitions of the units."""
    found = KNOWN.unit(UNIT + name)
    assert found is not None
    assert float(found.multiplier) == pytest.approx(multiplier, rel=1e-12)
    assert not found.offset


@pytest.mark.parametrize(
    "name",
    [
        "F",
        "",
        "PER",
        "M-PER",
        "M-PER-SEC-PER-K",
        "KiloKiloGM",
        "Kilo",
        "BUCKET-PER-HR",
        "M2x",
        "M999999999",
        "9" * 9_999,
    ],
)
def test_names_that_mean_nothing(name: str) -> None:
    """`unit:F` is a faraday in QUDT, and no farad; no unit has a power of three digits."""
    assert KNOWN.unit(UNIT + name) is None
    assert KNOWN.unit_called(f"{name}/s" if name else "m" + "9" * 5_000) is None


def test_similar_units_of_a_dimension() -> None:
    flow = KNOWN.unit(UNIT + "L-PER-SEC")
    assert flow is not None
    assert KNOWN.nearest_unit(UNIT + "FT3-PER-MINN", flow.dimension) == UNIT + "FT3-PER-MIN"
    assert KNOWN.nearest_unit(UNIT + "CFMM", flow.dimension) == UNIT + "FT3-PER-MIN"
    assert KNOWN.nearest_unit(UNIT + "DEGG_C", flow.dimension) is None


@pytest.mark.parametrize(
    ("name", "unit"),
    [
        ("DEGG_C", "DEG_C"),
        ("celsus", "DEG_C"),
        ("KiloWH", None),
        ("FT2-PER-MIM", None),
        ("kVh", None),
        ("bucket", None),
    ],
)
def test_without_a_dimension_a_unit_is_similar_only_if_no_other_kind_is(name: str, unit: str | None) -> None:
    """`KiloWH` is near to a power, and meant is an energy."""
    assert KNOWN.nearest_unit(name, None) == (None if unit is None else UNIT + unit)


def test_the_knowledge_says_what_its_units_are_called() -> None:
    known = KnowledgeBase.of_turtle(
        """@prefix qudt: <http://qudt.org/schema/qudt/> . @prefix d: <http://qudt.org/vocab/dimensionvector/> .
        <urn:bucket> a qudt:Unit ; qudt:conversionMultiplier 0.01 ; qudt:hasDimensionVector d:A0E0L3I0M0H0T0D0 ;
        qudt:symbol "bk" ."""
    )
    found = known.unit_called("bk")
    assert found is not None
    assert found.iri == "urn:bucket"
