"""What the clocks of a place showed → UTC; local times that come twice, or never, are told."""

from __future__ import annotations

import polars as pl

from ...settings import TimeSettings
from ..datatypes import MOMENT
from .time_formats import ClockReadings

__all__ = ["to_utc"]


def to_utc(readings: ClockReadings, time: TimeSettings) -> tuple[pl.Series, pl.Series]:
    """Bring clock readings to UTC.

    Returns:
        Moments, null where there is none; and per row what is wrong with a local time, null where nothing is.
    """
    zone = time.timezone
    if zone is None or readings.zoned.all():
        moments = readings.clock.dt.replace_time_zone("UTC")
        return moments, pl.repeat(None, len(moments), dtype=pl.String, eager=True)
    frame = pl.DataFrame({"clock": readings.clock, "zoned": readings.zoned})
    local = pl.when(~pl.col("zoned")).then(pl.col("clock"))
    found = frame.select(
        utc=pl.col("clock").dt.replace_time_zone("UTC"),
        zoned="zoned",
        earliest=_in_zone(local, zone, "earliest"),
        latest=_in_zone(local, zone, "latest"),
        shown=local.dt.to_string("%Y-%m-%d %H:%M:%S"),
    )
    twice = pl.col("earliest") != pl.col("latest")
    never = pl.col("earliest").is_null() & pl.col("shown").is_not_null()
    kept = pl.col("latest") if time.ambiguous == "latest" else pl.col("earliest")
    refused = twice if time.ambiguous == "refuse" else pl.lit(value=False)
    kept = pl.when(~refused).then(kept)
    moments = found.select(pl.when("zoned").then(pl.col("utc")).otherwise(kept).cast(MOMENT)).to_series()
    here = pl.col("shown") + f" in {zone}: "
    faults = (
        pl.when(never)
        .then(here + "clocks were put forward, there is no such time; was the time written on another clock?")
        .when(refused)
        .then(here + 'clocks were put back, it comes twice; state time.ambiguous = "earliest" or "latest"')
    )
    return moments, found.select(faults.alias("fault")).to_series()


def _in_zone(local: pl.Expr, zone: str, ambiguous: str) -> pl.Expr:
    placed = local.dt.replace_time_zone(zone, ambiguous=ambiguous, non_existent="null")  # type: ignore[arg-type]
    return placed.dt.convert_time_zone("UTC")
