"""ROBOD's wide tables as one stream of readings `(point, timestamp, value)`."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from ..project import Form, write_parts

DATA = Path(__file__).parent / "data"
ROOMS = ("room1", "room2", "room3")


def load_points() -> pl.DataFrame:
    """Return the points, each once: `robod_points.csv` with the column `point`, an outdoor point kept from room 1.

    The weather station's columns stand in the table of every room, and in up to 3 % of the rows they differ, so one of
    them has to be chosen: rooms 1 and 3 agree in all but 13 rows.
    """
    points = pl.read_csv(DATA / "robod_points.csv")
    outdoor = pl.col("scope") == "outdoor"
    name = pl.col("column").str.strip_prefix("outdoor_")
    return points.filter(~outdoor | (pl.col("room") == "room1")).with_columns(
        point=pl.when(outdoor).then("outdoor_" + name).otherwise(pl.col("room") + "_" + pl.col("column"))
    )


def load_room(room: str) -> pl.DataFrame:
    """Return a room's published table: `timestamp` as published, then one column per point."""
    return pl.read_csv(DATA / f"robod_{room}.csv.gz", infer_schema_length=None)


def load_readings() -> pl.DataFrame:
    """Return all readings in order of time, those of one moment in order of point.

    Returns:
        609,316 rows: `point` string; `timestamp` string, ISO 8601 with the zone of the building (+08:00), which sorts
        like the time that it stands for; `value` double in the point's unit.
    """
    points = load_points()
    long = pl.concat([_unpivot(room, points.filter(pl.col("room") == room)) for room in ROOMS])
    return long.drop_nulls("value").sort("timestamp", "point")


def write_readings(folder: Path, files: int = 10, form: Form = "parquet") -> list[Path]:
    """Write all readings into `files` files of equal size, cut by time: the files' names are in order of time.

    Readings that an earlier call left in the folder are removed.

    Raises:
        ValueError: `files` is not positive.
    """
    return write_parts(load_readings(), folder, files, form)


def _unpivot(room: str, points: pl.DataFrame) -> pl.DataFrame:
    wide = load_room(room).select("timestamp", *points["column"]).rename(dict(points.select("column", "point").rows()))
    return wide.unpivot(index="timestamp", variable_name="point", value_name="value").select(
        "point",
        # `2021-09-07 00:00 +08:00` → `2021-09-07T00:00:00+08:00`
        timestamp=pl.col("timestamp").str.replace(" ", "T", literal=True).str.replace(" ", ":00", literal=True),
        value=pl.col("value").cast(pl.Float64),
    )
