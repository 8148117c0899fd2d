"""The example over SOSA: its queries find what its readings hold."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from kaicep import Project
from kaicep.ontology.proofs import inferences_of

EXAMPLE = Path(__file__).parents[2] / "examples" / "greenhouse"
GH = "https://example.org/greenhouse#"
NORTH, SOUTH = GH + "north", GH + "south"


@pytest.fixture(scope="module")
def project() -> Project:
    return Project.load(EXAMPLE)


@pytest.fixture(scope="module")
def readings() -> list[dict[str, Any]]:
    lines = (EXAMPLE / "readings" / "2026-06-01.json").read_text().splitlines()
    return [json.loads(line) for line in lines]


def celsius(reading: dict[str, Any]) -> float:
    """The thermometer t2 tells degrees Fahrenheit."""
    value = float(reading["result"])
    return round((value - 32) * 5 / 9, 6) if reading["sensor"] == "t2" else value


def answers(project: Project, readings: list[dict[str, Any]], query: str) -> list[tuple[Any, ...]]:
    text = (EXAMPLE / "queries" / query).read_text()
    rows = project.evaluate(text, {"observation": readings})
    return [tuple(value for name, value in row.items() if not name.startswith("_")) for row in rows]


def test_heat_is_told_with_the_bay_and_its_unit(project: Project, readings: list[dict[str, Any]]) -> None:
    bays = {"t1": (NORTH, GH + "orchids"), "t2": (SOUTH, GH + "tomatoes")}
    hot = [(*bays[r["sensor"]], celsius(r)) for r in readings if r["sensor"] in bays and celsius(r) > 32]
    found = answers(project, readings, "1_heat.chi")
    assert [(bay, unit, round(temperature, 6)) for bay, unit, temperature in found] == hot


def test_plants_wilt_where_it_is_hot_and_then_dry(project: Project, readings: list[dict[str, Any]]) -> None:
    found = answers(project, readings, "2_wilting.chi")
    assert [(bay, round(hot, 6), dry) for bay, hot, dry in found] == [(SOUTH, 36.5, 18.5), (SOUTH, 33.0, 17.0)]


def test_hourly_means_of_each_bay(project: Project, readings: list[dict[str, Any]]) -> None:
    expected = []
    for hour in ("08", "09", "10", "11"):
        for sensor, bay in (("t1", NORTH), ("t2", SOUTH)):
            values = [celsius(r) for r in readings if r["sensor"] == sensor and r["time"][11:13] == hour]
            expected.append((bay, pytest.approx(sum(values) / len(values))))
    assert answers(project, readings, "3_hourly.chi") == expected


def test_queries_name_nothing_that_the_vocabularies_lack(project: Project) -> None:
    for path in (EXAMPLE / "queries").glob("*.chi"):
        assert [query.warnings for query in project.compile(path.read_text())] == [()]


def test_why_goes_through_sosa_to_the_model(project: Project) -> None:
    """`gh:within` follows from `sosa:hosts` by an inverse, a superproperty, and transitivity."""
    text = (EXAMPLE / "queries" / "1_heat.chi").read_text()
    found = project.why(text, {"sensor": "t1", "time": "2026-06-01T10:00:00Z", "result": 33.5})
    path, condition = found.candidacies[0].clauses
    assert (path.holds, condition.holds) == (True, True)
    (within,) = [part for part in path.parts if "gh:within" in part.text]
    rules = {step.rule for proof in within.proofs for step in inferences_of(proof)}
    assert rules in ({"prp-trp", "prp-spo1", "prp-inv1"}, {"prp-trp", "prp-spo1", "prp-inv2"})
