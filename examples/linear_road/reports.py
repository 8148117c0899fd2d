"""The benchmark's position reports as events, and what they must yield."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from ..project import Form, write_parts

DATA = Path(__file__).parent / "data"

_COLUMNS = ("type", "time", "vid", "speed", "xway", "lane", "dir", "seg", "pos")
VEHICLES = 100_000
"""Vehicles of one expressway have ids below it."""


def load_reports(expressways: int = 1) -> pl.DataFrame:
    """Return the position reports in order of time.

    Args:
        expressways: how often the recorded expressway stands beside itself, with other vehicles.

    Returns:
        197,333 rows for each expressway: `at`, time stamp in UTC; `time` in seconds and the other columns of a position
        report, as published. The benchmark counts whole seconds. A report is put into the middle of its second, so that
        what is known when a minute is over is known before the first report of the next one.
    """
    published = pl.read_csv(DATA / "lr_sim_input.csv.gz", has_header=False).select(
        pl.nth(number).alias(name) for number, name in enumerate(_COLUMNS)
    )
    at = pl.from_epoch(pl.col("time") * 1000 + 500, time_unit="ms").cast(pl.Datetime("us", "UTC"))
    reports = published.filter(pl.col("type") == 0).select(at.alias("at"), *_COLUMNS[1:])
    copies = [
        reports.with_columns(xway=pl.lit(number, pl.Int64), vid=pl.col("vid") + number * VEHICLES)
        for number in range(expressways)
    ]
    return pl.concat(copies).sort("at", "xway", maintain_order=True)


def load_expected() -> pl.DataFrame:
    """Return what they must yield: `type` (0 toll, 1 alert), `time`, `vid`, `lav_or_accident_seg`, `toll`."""
    return pl.read_csv(DATA / "lr_sim_expected.csv.gz")


def write_reports(folder: Path, files: int = 10, form: Form = "parquet", expressways: int = 1) -> list[Path]:
    """Write all reports into `files` files of equal size, cut by time: the files' names are in order of time.

    Reports that an earlier call left in the folder are removed.

    Raises:
        ValueError: `files` is not positive.
    """
    return write_parts(load_reports(expressways), folder, files, form)
