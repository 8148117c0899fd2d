"""The paper's seven queries, as they stand, on the seeded campus stream: the engine reports what the oracle reports."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from kaicep import Project
from kaicep.examples.campus.generate import readings
from oracle.evaluate import Oracle
from support.sampling import some_of

pytestmark = pytest.mark.xdist_group("campus")

CAMPUS = Path(__file__).resolve().parents[2] / "examples" / "campus"
ONTOLOGIES = CAMPUS.parents[1] / "ontologies" / "campus"
QUERIES = sorted((CAMPUS / "queries").glob("query*.chi"))
READINGS = 3_000


@cache
def content() -> dict[str, Any]:
    found = tomllib.loads((CAMPUS / "kaicep.toml").read_text(encoding="utf-8"))
    modules = [*sorted(ONTOLOGIES.glob("*.ttl")), CAMPUS / "individuals.ttl"]
    return found | {"knowledge": {"modules": [str(path) for path in modules]}}


@cache
def oracle() -> Oracle:
    return Oracle(content())


@cache
def project() -> Project:
    return Project.load(CAMPUS)


@cache
def stream() -> tuple[dict[str, Any], ...]:
    """The seeded readings of three sensors: few events, for the oracle asks rdflib about each.

    One is in an office of the department and above its limit, one in a meeting room and rising, one elsewhere.
    """
    every = list(readings(READINGS))
    found = [_first_sensor(QUERIES[3], every), _first_sensor(QUERIES[6], every)]
    other = next(r["sensorID"] for r in every if r["sensorID"] not in found)
    return tuple(r for r in every if r["sensorID"] in {*found, other})


def _first_sensor(query: Path, events: list[dict[str, Any]]) -> str:
    rows = project().evaluate(query.read_text(encoding="utf-8"), {"airflowReport": events})
    return str(rows[0]["sensorID"])


@pytest.mark.parametrize("path", some_of(QUERIES, 1), ids=lambda path: path.stem)
def test_the_engine_reports_what_the_oracle_reports(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    found = project().evaluate(text, {"airflowReport": list(stream())})
    expected = oracle().evaluate(text, {"airflowReport": list(stream())})
    assert len(found) == len(expected) > 0
    assert [row["_events"] for row in found] == [row["_events"] for row in expected]
    assert [row["_id"] for row in found] == [row["_id"] for row in expected]


def test_the_seven_queries_are_there() -> None:
    assert [path.stem for path in QUERIES] == [f"query{n}" for n in range(1, 8)]
