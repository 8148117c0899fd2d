"""Columns of time stamps → moments, as the settings of their stream say how they are written."""

from __future__ import annotations

import polars as pl
import pyarrow as pa

from ..language.nodes import XSD
from ..settings import TimeSettings
from .moments import ClockReadings, read_clock, to_utc
from .type_casts import Cast, cast_column, shown_value, to_series

__all__ = ["cast_time"]


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


def _first_of(faults: pl.Series, others: list[str]) -> pl.Series:
    return pl.select(pl.coalesce([pl.lit(faults), pl.lit(pl.Series(others, dtype=pl.String))])).to_series()
