"""The operator's queries find in ROBOD's readings what the published tables hold, computed from these another way."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import polars as pl
import pyarrow as pa
import pytest
from kaicep import Project
from kaicep.examples.robod.model import ROOMS_FILE
from kaicep.examples.robod.readings import load_readings, load_room
from support.rows import Row, in_order, roughly
from support.sampling import some_of

ROBOD = "https://example.org/robod#"
QUERIES = ROOMS_FILE.parent / "queries"
LECTURE_ROOMS = ("room1", "room2")
HOUR = timedelta(hours=1)


@pytest.fixture(scope="module")
def project() -> Project:
    return Project.load(ROOMS_FILE.parent)


@pytest.fixture(scope="module")
def readings() -> pa.Table:
    return load_readings().to_arrow()


def table(room: str) -> pl.DataFrame:
    """The published table of a room with its time as `t`."""
    time = pl.col("timestamp").str.to_datetime("%Y-%m-%d %H:%M %z", time_zone="UTC", time_unit="us")
    return load_room(room).with_columns(t=time)


def event(room: str, column: str, time: str = "t") -> pl.Expr:
    """The id of the event that a value of the table is."""
    return f"urn:kaicep:event:reading/{room}_{column}/" + pl.col(time).dt.epoch("us").cast(pl.String)


def later(a: str, b: str, within: timedelta) -> pl.Expr:
    return (pl.col(b) > pl.col(a)) & (pl.col(b) - pl.col(a) <= within)


def by_hour(room: str, **values: pl.Expr) -> pl.DataFrame:
    """`values` over each hour; `t` is the hour's end."""
    return table(room).group_by(t=pl.col("t").dt.truncate("1h") + HOUR).agg(**values)


def stale_air() -> pl.DataFrame:
    """Room by room: CO2 and presence stand in one row of the table."""
    parts = [
        table(room)
        .filter((pl.col("indoor_co2") > 600) & (pl.col("occupant_presence") == 1))
        .select(
            room=pl.lit(ROBOD + room),
            ppm="indoor_co2",
            co2=event(room, "indoor_co2"),
            presence=event(room, "occupant_presence"),
        )
        for room in LECTURE_ROOMS
    ]
    return pl.concat(parts)


def class_arrives() -> pl.DataFrame:
    parts = []
    for room in LECTURE_ROOMS:
        people = table(room).select("t", people=pl.col("occupant_count").cast(pl.Float64))
        arrivals = people.join(people, how="cross", suffix="2").filter(
            later("t", "t2", timedelta(minutes=10)) & (pl.col("people2") - pl.col("people") >= 8)
        )
        stale = table(room).filter(pl.col("indoor_co2") > 550).select(t3="t", ppm="indoor_co2")
        found = arrivals.join(stale, how="cross").filter(later("t2", "t3", timedelta(minutes=30)))
        parts.append(
            found.select(
                room=pl.lit(ROBOD + room),
                people_before="people",
                people_after="people2",
                ppm="ppm",
                before=event(room, "occupant_count"),
                after=event(room, "occupant_count", "t2"),
                co2=event(room, "indoor_co2", "t3"),
            )
        )
    return pl.concat(parts)


def warm_supply_air() -> pl.DataFrame:
    hours = by_hour("room3", degrees=pl.mean("supply_air_temperature"), hertz=pl.mean("ahu_fan_speed"))
    return (
        hours.join(table("room3").select("t", set_point="offcoil_temp_setpoint"), on="t")
        .filter((pl.col("hertz") > 20) & (pl.col("degrees") > pl.col("set_point") + 1))
        .select(pl.lit(ROBOD + "room3_ahu").alias("equipment"), "degrees", "set_point", _time="t")
    )


def no_air_flow() -> pl.DataFrame:
    office = table("room3")
    local_hour = pl.col("timestamp").str.slice(11, 2).cast(pl.Int64)
    empty = office.filter(pl.col("occupant_presence") == 0).select("t")
    used = office.filter((pl.col("occupant_presence") == 1) & local_hour.is_between(8, 17)).select(t2="t")
    air = office.filter(pl.col("supply_air_flow") >= 10).select(t3="t")
    arrivals = empty.join(used, how="cross").filter(later("t", "t2", timedelta(minutes=5)))
    ventilated = arrivals.join(air, how="cross").filter(later("t2", "t3", timedelta(minutes=15)))
    return arrivals.join(ventilated, on=["t", "t2"], how="anti").select(
        room=pl.lit(ROBOD + "room3"),
        box=pl.lit(ROBOD + "room3_vav"),
        empty=event("room3", "occupant_presence"),
        used=event("room3", "occupant_presence", "t2"),
        _time=pl.col("t2") + timedelta(minutes=15),
    )


def lights_in_empty_room() -> pl.DataFrame:
    parts = [
        by_hour(room, kwh=pl.sum("lighting_energy"), people=pl.max("occupant_count"))
        .filter((pl.col("kwh") > 0.3) & (pl.col("people") == 0))
        .select("kwh", room=pl.lit(ROBOD + room), _time="t")
        for room in (*LECTURE_ROOMS, "room3")
    ]
    return pl.concat(parts)


def energy_per_hour() -> pl.DataFrame:
    meters = {
        "lighting_energy": "lighting",
        "plug_load_energy": "plug_loads",
        "ceiling_fan_energy": "ceiling_fans",
        "fcu_fan_energy": "fcu_fan",
        "ahu_fan_energy": "ahu_fan",
    }
    parts = []
    for room, coil in (("room1", "fcu_coil"), ("room2", "fcu_coil"), ("room3", "ahu_coil")):
        for column in (c for c in table(room).columns if c.endswith("_energy")):
            equipment = f"{ROBOD}{room}_{meters.get(column, coil)}"
            hours = by_hour(room, kwh=pl.sum(column), readings=pl.count(column).cast(pl.Int64))
            parts.append(hours.filter(pl.col("kwh") > 20).with_columns(equipment=pl.lit(equipment)))
    return pl.concat(parts).rename({"t": "_time"})


def damp_room() -> pl.DataFrame:
    parts = [
        table(room)
        .drop_nulls("indoor_relative_humidity")
        .with_columns(humidity=pl.col("indoor_relative_humidity").rolling_mean_by("t", HOUR))
        .filter(pl.col("humidity") > 86)
        .select("humidity", room=pl.lit(ROBOD + room), _time="t")
        for room in LECTURE_ROOMS
    ]
    return pl.concat(parts)


@pytest.mark.parametrize(
    ("file", "expected", "matches"),
    some_of(
        [
            ("1_stale_air.chi", stale_air, 253),
            ("2_class_arrives.chi", class_arrives, 126),
            ("3_warm_supply_air.chi", warm_supply_air, 71),
            ("4_no_air_flow.chi", no_air_flow, 11),
            ("5_lights_in_empty_room.chi", lights_in_empty_room, 101),
            ("6_energy_per_hour.chi", energy_per_hour, 280),
            ("7_damp_room.chi", damp_room, 363),
        ],
        3,
    ),
)
def test_a_query_finds_what_the_tables_hold(
    project: Project, readings: pa.Table, file: str, expected: Callable[[], pl.DataFrame], matches: int
) -> None:
    rows = project.evaluate((QUERIES / file).read_text(encoding="utf-8"), {"reading": readings})
    wanted = expected()
    assert wanted.height == matches
    assert [row["_time"] for row in rows] == sorted(row["_time"] for row in rows)
    assert in_order([as_columns(row, wanted.columns) for row in rows]) == [
        roughly(row) for row in in_order(wanted.to_dicts())
    ]


def test_the_queries_name_nothing_that_the_knowledge_lacks(project: Project) -> None:
    for path in sorted(QUERIES.glob("*.chi")):
        for query in project.compile(path.read_text(encoding="utf-8"), source=path.name):
            assert query.warnings == ()
            assert query.name is not None


def test_every_shipped_query_is_tested() -> None:
    source = Path(__file__).read_text(encoding="utf-8")
    shipped = [path.name for path in QUERIES.glob("*.chi")]
    assert len(shipped) == 7
    assert all(f'("{name}", ' in source for name in shipped)


def as_columns(row: Row, columns: list[str]) -> Row:
    """The row's items by name; a variable's only event by the variable's name."""
    events = {variable: ids[0] for variable, ids in row["_events"].items()}
    return {column: row[column] if column in row else events[column] for column in columns}
