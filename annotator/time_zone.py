"""What the clocks of a place showed → UTC; local times that come twice, or never, are told."""

from __future__ import annotations

import polars as pl
import pyarrow as pa

from ..language.nodes import XSD
from ..settings import TimeSettings
from .datatypes import MOMENT
from .time_formats import ClockReadings, read_clock
from .type_casts import Cast, cast_column, shown_value, to_series

__all__ = ["cast_time", "to_utc"]


def cast_time(column: pa.ChunkedArray, time: TimeSettings, datatype: str = XSD + "dateTime") -> Cast:
    """Read a column of time stamps as a stream's settings say.

    Args:
        column: raw values of any type. Arrow time stamps are what they are, whatever the format; naive ones are of the
            stream's zone.
        time: format, zone, and what becomes of local times that come twice.
        datatype: IRI, for messages.
    """
    raw = to_series(column)
    if time.format == "iso" and time.timezone is None:
        return cast_column(raw, datatype)
    if isinstance(raw.dtype, pl.Categorical | pl.Enum):
        raw = raw.cast(pl.String)
    readings = _readings(raw, column.type, time.format)
    moments, faults = to_utc(readings, time)
    if moments.null_count() == raw.null_count():
        return Cast(moments, raw, None, datatype)
    failed = moments.is_null() & raw.is_not_null()
    told = [f"{shown_value(value)} is no time stamp of the format {time.format}" for value in raw.filter(failed)]
    return Cast(moments, raw, failed, datatype, _first_of(faults.filter(failed), told))


def _readings(raw: pl.Series, kind: pa.DataType, time_format: str) -> ClockReadings:
    if pa.types.is_timestamp(kind):
        clock = raw.dt.replace_time_zone(None)
        return ClockReadings(clock, pl.repeat(value=kind.tz is not None, n=len(raw), dtype=pl.Boolean, eager=True))
    return read_clock(raw, time_format)


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


def _first_of(faults: pl.Series, others: list[str]) -> pl.Series:
    return pl.select(pl.coalesce([pl.lit(faults), pl.lit(pl.Series(others, dtype=pl.String))])).to_series()
