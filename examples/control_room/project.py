"""Makes a project that readings are posted to, and the readings of three days that came before."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from ..project import place_project, write_parts
from ..robod.readings import load_readings

READING, DESK = "reading", "desk"
"""The streams: readings, and what is said at the desk."""
PAST_BEGINS, BEGIN = "2021-12-13", "2021-12-16T01:00:00+08:00"
"""From when on there are readings; from when on they come live: a quarter of an hour before bad air."""


def prepare(folder: Path) -> Path:
    """Write a project file, and into the inbox of its stream what came before `BEGIN`.

    Args:
        folder: the project's folder.

    Returns:
        The project file.
    """
    write_parts(past(), folder / "var" / "inbox" / READING, 3, "json")
    return place_project(Path(__file__).parent, folder)


def past() -> pl.DataFrame:
    """The readings of three days before `BEGIN`; columns as `readings`."""
    return load_readings().filter(pl.col("timestamp") >= PAST_BEGINS, pl.col("timestamp") < BEGIN)


def readings(behind: str | None = None) -> pl.DataFrame:
    """The readings that come live, in order of time.

    Args:
        behind: only those behind this time stamp, written as they are; `None`: from `BEGIN` on.

    Returns:
        `point` string; `timestamp` string, ISO 8601 with the zone of the building; `value` double.
    """
    since = pl.col("timestamp") >= BEGIN if behind is None else pl.col("timestamp") > behind
    return load_readings().filter(since)
