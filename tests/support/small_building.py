"""A small building in SOSA and readings of it in every layout, for the commands that make a first project."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

MODEL = """\
@prefix ex: <http://example.org/small#> .
@prefix sosa: <http://www.w3.org/ns/sosa/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .

ex:Co2Sensor rdfs:subClassOf sosa:Sensor .
ex:TemperatureSensor rdfs:subClassOf sosa:Sensor .
ex:room1 a ex:Room . ex:room2 a ex:Room .
ex:room1_co2 a ex:Co2Sensor ; rdfs:label "CO2 of room 1" ; sosa:isHostedBy ex:room1 .
ex:room2_co2 a ex:Co2Sensor ; rdfs:label "CO2 of room 2" ; sosa:isHostedBy ex:room2 .
ex:room1_temp a ex:TemperatureSensor ; rdfs:label "Temperature of room 1" ; sosa:isHostedBy ex:room1 .
"""
POINTS = ("room1_co2", "room2_co2", "room1_temp")
LABELS = ("CO2 of room 1", "CO2 of room 2", "Temperature of room 1")
START = datetime(2026, 3, 2, 8)  # noqa: DTZ001  # what the clock showed
STEPS = 24


def readings() -> Iterator[tuple[datetime, int, float]]:
    """Time, place of the point, value: every ten minutes."""
    for step in range(STEPS):
        moment = START + step * timedelta(minutes=10)
        yield moment, 0, 400.0 + 25 * step
        yield moment, 1, 420.5
        yield moment, 2, 20.5 + step / 10


def write_model(folder: Path) -> Path:
    """The model."""
    path = folder / "small.ttl"
    path.write_text(MODEL)
    return path


def write_rows(folder: Path, ids: tuple[str, ...] = POINTS) -> Path:
    """A row for each reading, on an American clock."""
    path = folder / "rows.csv"
    lines = [f"{ids[point]},{at:%m/%d/%Y %I:%M:%S %p},{value},ok" for at, point, value in readings()]
    path.write_text("\n".join(["Point Name,Date,Value,Quality", *lines]) + "\n")
    return path


def write_columns(folder: Path) -> Path:
    """A column for each point, as Europe writes numbers."""
    path = folder / "columns.csv"
    rows: dict[datetime, dict[int, float]] = {}
    for at, point, value in readings():
        rows.setdefault(at, {})[point] = value
    lines = [
        f"{at:%d.%m.%Y %H:%M};" + ";".join(str(row[point]).replace(".", ",") for point in range(3))
        for at, row in rows.items()
    ]
    path.write_text("\n".join(["Zeit;" + ";".join(POINTS), *lines]) + "\n")
    return path


def write_files(folder: Path) -> Path:
    """A file for each sensor, milliseconds since 1970."""
    inside = folder / "files"
    inside.mkdir()
    epoch = datetime(1970, 1, 1)  # noqa: DTZ001  # likewise
    for place, name in enumerate(POINTS):
        lines = [
            f"{(at - epoch) // timedelta(milliseconds=1)},{value}" for at, point, value in readings() if point == place
        ]
        (inside / f"{name}.csv").write_text("\n".join(["ts,value", *lines]) + "\n")
    return inside
