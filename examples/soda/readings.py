"""Generated readings of Soda Hall's 242 airflow sensors: nobody has published real ones.

A box has a level of its own and wanders around it; the building is awake from 7 to 19 o'clock. Four boxes starve by
day, three never sleep, and the fan of one air handler trips in the afternoon: faults for the queries to find.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt
import polars as pl
from rdflib import RDF, Graph, Namespace, URIRef

from ..project import write_parts

MODEL = Path(__file__).parent / "data" / "soda_brick.ttl"
BRICK = Namespace("https://brickschema.org/schema/Brick#")
SEED = 243
START = datetime(2026, 3, 2, tzinfo=timezone(timedelta(hours=-8)))  # a Monday, Pacific time

_FLOOR_STATISTIC = re.compile(r"flow_sensor_SODA1F(\d)_VAV_(MX|MN|AV)")

Matrix = npt.NDArray[np.float64]

_STATISTICS: dict[str, Callable[[Matrix], Matrix]] = {
    "MX": lambda flows: flows.max(axis=1),
    "MN": lambda flows: flows.min(axis=1),
    "AV": lambda flows: flows.mean(axis=1),
}


@dataclass(frozen=True, slots=True)
class Box:
    """A VAV box with an airflow sensor: local names of sensor, box, the air handlers that feed it, and its floor."""

    sensor: str
    name: str
    handlers: tuple[str, ...]
    floor: str


@dataclass(frozen=True, slots=True)
class Faults:
    """What is wrong with the building on every day of the recording; hours are local, the end is exclusive.

    Attributes:
        starving: boxes with a damper stuck shut, 10 to 16 o'clock.
        sleepless: boxes that blow all night, 0 to 6 o'clock.
        tripped: the air handler whose fan stands still, 13:30 to 14:15.
    """

    starving: tuple[str, ...]
    sleepless: tuple[str, ...]
    tripped: str


@cache
def load_boxes() -> tuple[Box, ...]:
    """Return the 227 boxes that have an airflow sensor, sorted by sensor."""
    model = Graph().parse(MODEL)
    boxes = []
    for sensor in model.subjects(RDF.type, BRICK.Supply_Air_Flow_Sensor):
        if (box := model.value(None, BRICK.hasPoint, sensor)) is None:
            continue
        floor = next(model.objects(box, BRICK.feeds / BRICK.hasPart / BRICK.isPartOf))
        handlers = tuple(sorted(_local(handler) for handler in model.subjects(BRICK.feeds, box)))
        boxes.append(Box(_local(sensor), _local(box), handlers, _local(floor)))
    return tuple(sorted(boxes, key=lambda box: box.sensor))


@cache
def load_floor_statistics() -> tuple[str, ...]:
    """Return the 15 sensors that belong to no box: largest, least and mean flow of the boxes of five floors."""
    sensors = (_local(s) for s in Graph().parse(MODEL).subjects(RDF.type, BRICK.Supply_Air_Flow_Sensor))
    return tuple(sorted(name for name in sensors if _FLOOR_STATISTIC.fullmatch(name)))


def draw_faults(seed: int = SEED) -> Faults:
    """Return the faults that the readings of this seed have."""
    names = np.random.default_rng(seed).permutation([box.name for box in load_boxes()]).tolist()
    return Faults(tuple(sorted(names[:4])), tuple(sorted(names[4:7])), "ahu_A3")


def generate_readings(step: timedelta = timedelta(minutes=5), hours: int = 24, seed: int = SEED) -> pl.DataFrame:
    """Return readings in order of time, those of one moment in order of sensor.

    Args:
        step: time between two readings of a sensor.
        hours: length of the recording, which starts at midnight, Pacific time.
        seed: equal seeds give equal readings.

    Returns:
        `sensor` string; `time` string, ISO 8601 with the zone of the building (-08:00); `cfm` double, cubic feet a
        minute. 242 rows for each moment, but for 0.2 % that got lost.
    """
    count = int(timedelta(hours=hours) / step)
    times = [START + step * k for k in range(count)]
    boxes = load_boxes()
    hour = np.array([t.hour + t.minute / 60 + t.second / 3600 for t in times])
    rng = np.random.default_rng(seed + 1)
    flows = _with_faults(_normal_flows(hour, len(boxes), step, rng), hour, boxes, draw_faults(seed))
    columns = {box.sensor: flows[:, k] for k, box in enumerate(boxes)}
    columns |= {name: _floor_statistic(name, flows, boxes) for name in load_floor_statistics()}
    wide = pl.DataFrame({"time": [t.isoformat() for t in times], **columns})
    long = wide.unpivot(index="time", variable_name="sensor", value_name="cfm").sort("time", "sensor")
    kept = pl.Series(rng.random(long.height) >= 0.002)
    return long.filter(kept).select("sensor", "time", pl.col("cfm").round(1))


def write_readings(
    folder: Path, files: int, *, step: timedelta = timedelta(minutes=5), hours: int = 24, seed: int = SEED
) -> list[Path]:
    """Write the generated readings as JSON lines into `files` files, cut by time: names are in order of time.

    Readings that an earlier call left in the folder are removed.

    Raises:
        ValueError: `files` is not positive.
    """
    return write_parts(generate_readings(step, hours, seed), folder, files, "json")


def _local(node: object) -> str:
    if not isinstance(node, URIRef):
        raise TypeError(f"{node!r} is no IRI")
    return node.fragment


def _normal_flows(hour: Matrix, boxes: int, step: timedelta, rng: np.random.Generator) -> Matrix:
    """Moments × boxes: a level of 250 to 1500 cubic feet a minute, a fifth of it by night, and a slow wandering."""
    level = np.clip(rng.lognormal(np.log(600), 0.4, boxes), 250, 1500)
    awake = np.interp(hour, [0, 6, 8, 18, 20, 24], [0.2, 0.2, 1, 1, 0.2, 0.2])
    memory = float(np.exp(-step / timedelta(minutes=40)))
    wandering = np.zeros(boxes)
    flows = np.empty((len(hour), boxes))
    for moment, share in enumerate(awake):
        wandering = memory * wandering + rng.normal(0, 0.12 * np.sqrt(1 - memory**2), boxes)
        flows[moment] = level * share * np.clip(1 + wandering, 0.4, 1.6)
    return flows


def _with_faults(flows: Matrix, hour: Matrix, boxes: tuple[Box, ...], faults: Faults) -> Matrix:
    noon = (hour >= 10) & (hour < 16)
    night = hour < 6
    trip = (hour >= 13.5) & (hour < 14.25)
    for k, box in enumerate(boxes):
        if box.name in faults.starving:
            flows[noon, k] *= 0.03
        if box.name in faults.sleepless:
            flows[night, k] *= 5.5
        if faults.tripped in box.handlers:
            flows[trip, k] *= 0.05
    return flows


def _floor_statistic(sensor: str, flows: Matrix, boxes: tuple[Box, ...]) -> Matrix:
    found = _FLOOR_STATISTIC.fullmatch(sensor)
    assert found is not None  # noqa: S101 - only such names are asked for
    on_floor = [k for k, box in enumerate(boxes) if box.floor == f"floor_{found[1]}"]
    return _STATISTICS[found[2]](flows[:, on_floor])
