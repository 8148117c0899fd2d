"""The operator's queries find the faults in Soda Hall's readings, computed from these another way."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import polars as pl
import pyarrow as pa
import pytest
from kaicep import Project
from kaicep.examples.soda.readings import MODEL, draw_faults, generate_readings, load_boxes
from support.rows import in_order, roughly
from support.sampling import some_of

pytestmark = pytest.mark.xdist_group("soda")  # what they know is closed once
SODA = "https://brickschema.org/schema/1.0.2/building_example#"
EXAMPLE = MODEL.parent.parent
QUERIES = EXAMPLE / "queries"
QUARTER = timedelta(minutes=15)
HOUR = timedelta(hours=1)


@pytest.fixture(scope="module")
def project() -> Project:
    return Project.load(EXAMPLE)


@pytest.fixture(scope="module")
def readings() -> pl.DataFrame:
    return generate_readings()


@pytest.fixture(scope="module")
def flows(readings: pl.DataFrame) -> pl.DataFrame:
    """Readings of the boxes with UTC time `t`, once per air handler: `box`, `handler`, `floor` as IRIs."""
    boxes = pl.DataFrame(
        [
            {"sensor": b.sensor, "box": SODA + b.name, "handler": SODA + h, "floor": SODA + b.floor}
            for b in load_boxes()
            for h in b.handlers
        ]
    )
    time = pl.col("time").str.to_datetime("%Y-%m-%dT%H:%M:%S%z", time_zone="UTC", time_unit="us")
    return readings.join(boxes, on="sensor", maintain_order="left").with_columns(t=time)


def fan_trip(flows: pl.DataFrame) -> pl.DataFrame:
    quarters = flows.group_by("handler", _time=pl.col("t").dt.truncate("15m") + QUARTER).agg(pl.mean("cfm"))
    before = quarters.with_columns(pl.col("_time") + QUARTER)
    found = before.join(quarters, on=["handler", "_time"], suffix="_after").filter(
        pl.col("cfm_after") < 0.5 * pl.col("cfm")
    )
    return found.rename({"cfm": "cfm_before"})


def starving_box(flows: pl.DataFrame) -> pl.DataFrame:
    known = on_known_floors(flows)
    low = known.filter(pl.col("cfm") < 40).select("t", "handler", "floor", starving="box", low_cfm="cfm")
    high = known.filter(pl.col("cfm") > 1200).select("t", "handler", "floor", rich="box", high_cfm="cfm")
    return low.join(high, on=["t", "handler", "floor"]).drop("handler", "floor").rename({"t": "_time"})


def sleepless_box(flows: pl.DataFrame) -> pl.DataFrame:
    night = on_known_floors(once(flows)).filter(pl.col("time").str.slice(11, 2).cast(pl.Int64) < 6)
    hours = night.group_by("box", "floor", _time=pl.col("t").dt.truncate("1h") + HOUR).agg(pl.mean("cfm"))
    return hours.filter(pl.col("cfm") > 500)


def air_per_floor(flows: pl.DataFrame) -> pl.DataFrame:
    hours = on_known_floors(once(flows)).group_by("floor", _time=pl.col("t").dt.truncate("1h") + HOUR)
    return hours.agg(pl.mean("cfm"), spread=pl.std("cfm"), readings=pl.len().cast(pl.Int64))


def once(flows: pl.DataFrame) -> pl.DataFrame:
    """One box is fed by two air handlers; its readings count once."""
    return flows.unique(["sensor", "t"])


def on_known_floors(flows: pl.DataFrame) -> pl.DataFrame:
    """The model has a floor that it does not call one."""
    return flows.filter(pl.col("floor") != SODA + "floor_o")


@pytest.mark.parametrize(
    ("file", "expected", "matches"),
    some_of(
        [
            ("1_fan_trip.chi", fan_trip, 1),
            ("2_starving_box.chi", starving_box, 304),
            ("3_sleepless_box.chi", sleepless_box, 17),
            ("4_air_per_floor.chi", air_per_floor, 168),
        ],
        2,
    ),
)
def test_a_query_finds_what_the_readings_hold(
    project: Project,
    readings: pl.DataFrame,
    flows: pl.DataFrame,
    *,
    file: str,
    expected: Callable[[pl.DataFrame], pl.DataFrame],
    matches: int,
) -> None:
    raw: pa.Table = readings.to_arrow()
    rows = project.evaluate((QUERIES / file).read_text(encoding="utf-8"), {"airflow": raw})
    wanted = expected(flows)
    assert wanted.height == matches
    assert [row["_time"] for row in rows] == sorted(row["_time"] for row in rows)
    assert in_order([{column: row[column] for column in wanted.columns} for row in rows]) == [
        roughly(row) for row in in_order(wanted.to_dicts())
    ]


def test_the_queries_find_the_faults(flows: pl.DataFrame) -> None:
    faults = draw_faults()
    assert fan_trip(flows)["handler"].to_list() == [SODA + faults.tripped]
    assert set(starving_box(flows)["starving"]) <= {SODA + name for name in faults.starving}
    assert set(sleepless_box(flows)["box"]) == {SODA + name for name in faults.sleepless}


def test_the_queries_name_nothing_that_the_knowledge_lacks(project: Project) -> None:
    for path in sorted(QUERIES.glob("*.chi")):
        for query in project.compile(path.read_text(encoding="utf-8"), source=path.name):
            assert query.warnings == ()
            assert query.name is not None


def test_every_shipped_query_is_tested() -> None:
    source = Path(__file__).read_text(encoding="utf-8")
    shipped = [path.name for path in QUERIES.glob("*.chi")]
    assert len(shipped) == 4
    assert all(f'("{name}", ' in source for name in shipped)
