"""The questions over the archive: events and knowledge in one store, the default graph is the union."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from kaicep.examples.robod.readings import load_readings, load_room
from pyoxigraph import NamedNode, Quad, QuerySolutions, RdfFormat, Store
from support.robod import EXAMPLE, knowledge

pytestmark = pytest.mark.xdist_group("robod")
SOSA = "http://www.w3.org/ns/sosa/"
QUANTITIES = ("indoor_co2", "occupant_presence", "outdoor_co2")
ROOMS = {"room1": "Room 1 (lecture room)", "room2": "Room 2 (lecture room)", "room3": "Room 3 (office space)"}


@pytest.fixture(scope="module")
def store() -> Store:
    """The readings of CO2 and presence as the archive keeps them, a graph per day, and the closed knowledge."""
    store = Store()
    store.bulk_extend(Quad(q.subject, q.predicate, q.object, NamedNode("urn:knowledge")) for q in knowledge().store)
    readings = load_readings().filter(pl.col("point").str.contains_any(list(QUANTITIES)))
    store.bulk_load("".join(_quads(readings)).encode(), RdfFormat.N_QUADS)
    return store


def _quads(readings: pl.DataFrame) -> pl.Series:
    event = "<urn:event:" + pl.col("point") + "/" + pl.col("timestamp") + "> "
    graph = " <urn:day:" + pl.col("timestamp").str.slice(0, 10) + "> .\n"
    utc = pl.col("timestamp").str.to_datetime("%Y-%m-%dT%H:%M:%S%z", time_zone="UTC").dt.strftime("%Y-%m-%dT%H:%M:%SZ")
    xsd = "^^<http://www.w3.org/2001/XMLSchema#"
    made = event + f"<{SOSA}madeBySensor> <https://example.org/robod#" + pl.col("point") + ">" + graph
    at = event + f'<{SOSA}resultTime> "' + utc + f'"{xsd}dateTime>' + graph
    value = event + f'<{SOSA}hasSimpleResult> "' + pl.col("value").cast(pl.String) + f'"{xsd}double>' + graph
    return readings.select(made + at + value).to_series()


def _ask(store: Store, file: str) -> list[tuple[str, ...]]:
    text = (EXAMPLE / "sparql" / file).read_text(encoding="utf-8")
    solutions = store.query(text, use_default_graph_as_union=True)
    assert isinstance(solutions, QuerySolutions)
    return [tuple(term.value for term in solution) for solution in solutions]


def test_co2_by_room_and_day(store: Store) -> None:
    days = pl.concat(
        load_room(room)
        .group_by(day=pl.col("timestamp").str.slice(0, 10))
        .agg(mean=pl.mean("indoor_co2"), highest=pl.max("indoor_co2"))
        .select(pl.lit(name).alias("name"), "day", pl.col("mean", "highest").round().cast(pl.Int64))
        for room, name in ROOMS.items()
    )
    worst = days.sort("highest", "mean", descending=True).head(10)
    rows = _ask(store, "co2_by_room_and_day.rq")
    assert [(name, day, int(mean), int(highest)) for name, day, mean, highest in rows] == worst.rows()


def test_stale_hours_by_function(store: Store) -> None:
    stale = {
        room: load_room(room).filter((pl.col("indoor_co2") > 600) & (pl.col("occupant_presence") == 1))["indoor_co2"]
        for room in ROOMS
    }
    classrooms = pl.concat([stale["room1"], stale["room2"]])
    expected = [
        (name, f"{len(ppm) / 12:.0f}", f"{ppm.sum() / len(ppm):.0f}")
        for name, ppm in (("Office", stale["room3"]), ("Classroom", classrooms))
    ]
    assert _ask(store, "stale_hours_by_function.rq") == expected


def test_every_shipped_question_is_tested() -> None:
    source = Path(__file__).read_text(encoding="utf-8")
    shipped = sorted(path.name for path in (EXAMPLE / "sparql").glob("*.rq"))
    assert shipped == ["co2_by_room_and_day.rq", "stale_hours_by_function.rq"]
    assert all(f'_ask(store, "{name}")' in source for name in shipped)
