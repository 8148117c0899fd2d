"""How many ids say in which unit they measure."""

from __future__ import annotations

from pathlib import Path

import pytest
from kaicep import Project
from kaicep.explain import mapping_lines
from kaicep.explain.mapping.unit_mapping import UnitMapping
from support.mapping import mapped, readings

PREFIXES = {
    "m": "urn:m:",
    "unit": "http://qudt.org/vocab/unit/",
    "brick": "https://brickschema.org/schema/Brick#",
}
SENSORS = """
@prefix m: <urn:m:> . @prefix unit: <http://qudt.org/vocab/unit/> . @prefix qudt: <http://qudt.org/schema/qudt/> .
m:s1 a m:CO2 . m:s2 a m:CO2 . m:s3 a m:Thermometer .
"""
QUERY = "SELECT ?e.value FROM (?e, air) FILTER (?e.temp > 80 unit:DEG_F)"


def project(folder: Path, units: str) -> Project:
    (folder / "m.ttl").write_text(SENSORS + units)
    attributes = {
        "sensor": {"property": "m:sensor", "individual": "m:{}"},
        "value": {"property": "m:value", "datatype": "xsd:double"},
        "temp": {"value_of": "value", "unit_of": "sensor", "unit": "unit:DEG_C"},
    }
    stream = {"event_type": "m:Reading", "time": {"attribute": "at"}, "attributes": attributes}
    return Project.parse(
        {"prefixes": PREFIXES, "knowledge": {"modules": ["m.ttl"]}, "streams": {"air": stream}}, root=folder
    )


@pytest.mark.parametrize(
    ("units", "saying", "told"),
    [
        ("", 0, ["  warning: temp: 0 of 4 ids say their unit: all readings count as unit:DEG_C"]),
        (
            "m:s3 qudt:hasUnit unit:DEG_F .",
            1,
            ["  warning: temp: 1 of 4 ids say their unit: the readings of the other 3 count as unit:DEG_C"],
        ),
        ("m:s1 qudt:hasUnit unit:PPM . m:s2 qudt:hasUnit unit:PPM . m:s3 qudt:hasUnit unit:DEG_F .", 3, None),
    ],
)
def test_ids_without_a_unit_are_counted_and_told(tmp_path: Path, units: str, saying: int, told: list[str]) -> None:
    """In a model that gives all of them units, an id that the model lacks is the only one without."""
    sensors = ("s1", "s2", "s3", "s4") if told else ("s1", "s2", "s3")
    report = mapped(project(tmp_path, units), QUERY, {"air": readings(1, 2, 3, 4, sensors=sensors)})
    (stream,) = report.streams
    assert stream.units == (UnitMapping("temp", PREFIXES["unit"] + "DEG_C", saying, len(sensors)),)
    assert [line for line in mapping_lines(report, PREFIXES) if "say their unit" in line] == (told or [])


def test_a_stream_without_events_counts_no_units(tmp_path: Path) -> None:
    (stream,) = mapped(project(tmp_path, ""), QUERY, {}).streams
    assert stream.units == ()


def test_a_model_without_units_is_warned_of(tmp_path: Path) -> None:
    (warning,) = [said for said in project(tmp_path, "").annotators["air"].warnings if "unit_of" in said]
    assert warning == (
        "project: streams.air.attributes.temp: unit_of: 0 of 3 individuals say their unit: all readings count as "
        "unit:DEG_C: give them units with qudt:hasUnit or brick:hasUnit, or tell them apart by class in a PATH"
    )
    warm = project(tmp_path, "m:s3 qudt:hasUnit unit:DEG_F .").annotators["air"]
    assert not [said for said in warm.warnings if "unit_of" in said]
