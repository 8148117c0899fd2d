"""The questions over Soda Hall's archive: events and knowledge in one store, the default graph is the union."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import polars as pl
import pytest
from kaicep.config import Settings
from kaicep.examples.soda.readings import MODEL, generate_readings, load_boxes
from kaicep.ontology import load_knowledge
from pyoxigraph import NamedNode, Quad, QuerySolutions, RdfFormat, Store

pytestmark = pytest.mark.xdist_group("soda")  # what they know is closed once
EXAMPLE = MODEL.parent.parent
SOSA = "http://www.w3.org/ns/sosa/"
SODA = "https://brickschema.org/schema/1.0.2/building_example#"


@pytest.fixture(scope="module")
def readings() -> pl.DataFrame:
    """A day of readings, `hour` is the local hour."""
    clock = pl.col("time").str.slice(11, 2).cast(pl.Int64)
    return generate_readings(timedelta(minutes=20)).with_columns(hour=clock)


@pytest.fixture(scope="module")
def store(readings: pl.DataFrame) -> Store:
    store = Store()
    knowledge = load_knowledge(Settings.load(EXAMPLE)).store
    store.bulk_extend(Quad(q.subject, q.predicate, q.object, NamedNode("urn:knowledge")) for q in knowledge)
    store.bulk_load("".join(_quads(readings)).encode(), RdfFormat.N_QUADS)
    return store


def _quads(readings: pl.DataFrame) -> pl.Series:
    event = "<urn:event:" + pl.col("sensor") + "/" + pl.col("time") + "> "
    utc = pl.col("time").str.to_datetime("%Y-%m-%dT%H:%M:%S%z", time_zone="UTC").dt.strftime("%Y-%m-%dT%H:%M:%SZ")
    xsd = "^^<http://www.w3.org/2001/XMLSchema#"
    end = " <urn:events> .\n"
    made = event + f"<{SOSA}madeBySensor> <{SODA}" + pl.col("sensor") + ">" + end
    at = event + f'<{SOSA}resultTime> "' + utc + f'"{xsd}dateTime>' + end
    value = event + f'<{SOSA}hasSimpleResult> "' + pl.col("cfm").cast(pl.String) + f'"{xsd}double>' + end
    return readings.select(made + at + value).to_series()


def _ask(store: Store, file: str) -> list[tuple[str, ...]]:
    text = (EXAMPLE / "sparql" / file).read_text(encoding="utf-8")
    solutions = store.query(text, use_default_graph_as_union=True)
    assert isinstance(solutions, QuerySolutions)
    return [tuple(term.value.removeprefix(SODA) for term in solution) for solution in solutions]


def test_flow_by_air_handler(store: Store, readings: pl.DataFrame) -> None:
    boxes = pl.DataFrame([{"sensor": b.sensor, "handler": h} for b in load_boxes() for h in b.handlers])
    period = pl.when(pl.col("hour").is_between(8, 17)).then(pl.lit("day")).otherwise(pl.lit("night"))
    wanted = readings.join(boxes, on="sensor").group_by("handler", period=period)
    means = wanted.agg(pl.col("sensor").n_unique().cast(pl.Int64), pl.mean("cfm").round().cast(pl.Int64))
    rows = _ask(store, "flow_by_air_handler.rq")
    assert [(handler, period, int(count), int(mean)) for handler, period, count, mean in rows] == sorted(means.rows())
    assert len(rows) == 6


def test_least_air(store: Store, readings: pl.DataFrame) -> None:
    boxes = pl.DataFrame([{"sensor": b.sensor, "box": b.name, "floor": b.floor} for b in load_boxes()])
    noon = readings.filter(pl.col("hour").is_between(10, 15)).join(
        boxes.filter(pl.col("floor") != "floor_o"), on="sensor"
    )
    wanted = noon.group_by("box", "floor").agg(mean=pl.col("cfm").mean().round().cast(pl.Int64)).sort("mean", "box")
    rows = _ask(store, "least_air.rq")
    assert [(box, floor, int(mean)) for box, _, floor, mean in rows] == wanted.head(10).rows()
    assert [room for _, room, _, _ in rows] == [box.replace("vav_", "room_") for box, _, _, _ in rows]


def test_every_shipped_question_is_tested() -> None:
    source = Path(__file__).read_text(encoding="utf-8")
    shipped = sorted(path.name for path in (EXAMPLE / "sparql").glob("*.rq"))
    assert shipped == ["flow_by_air_handler.rq", "least_air.rq"]
    assert all(f'_ask(store, "{name}")' in source for name in shipped)
