"""Parts of dateTimes, in UTC or on the wall of a time zone. Source: SPARQL 1.1 §17.4.5; IANA time zone database."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from zoneinfo import available_timezones

import numpy as np
import polars as pl

from ...errors import did_you_mean
from ...language.nodes import Call, Constant, Expression, Fault, Signature, UnitRule, ValueType
from ..arithmetic import ieee
from ..column_types import POLARS_TYPES, moment
from ..frames import FIRST_MOMENT, LAST_MOMENT
from .scalar_function import BY_COLUMN, Columns, ScalarFunction, refused, same_in_sparql

__all__ = ["DAY", "HOURS", "LOCAL", "MINUTES", "MONTH", "SECONDS", "YEAR"]


def _part(
    name: str,
    doc: str,
    result: ValueType,
    part: Callable[[pl.Expr], pl.Expr],
    sparql: Callable[[Call, Sequence[str]], str] = same_in_sparql,
) -> ScalarFunction:
    def column(e: Call, columns: Columns) -> pl.Expr:
        return part(moment(columns[0], e.arguments[0].type)).cast(POLARS_TYPES[result])

    signature = Signature(("a dateTime",), 0, repeated=False, result=result, unit=UnitRule.NONE, check=None)
    return ScalarFunction(name, f"{name}(t)", doc, signature, column, BY_COLUMN, sparql)


def _seconds(t: pl.Expr) -> pl.Expr:
    micros = t.dt.second().cast(pl.Int64) * 1_000_000 + t.dt.microsecond().cast(pl.Int64)
    return ieee(np.divide, micros.cast(pl.Float64), pl.lit(1e6))


YEAR = _part("YEAR", "the year", ValueType.INTEGER, lambda t: t.dt.year())
MONTH = _part("MONTH", "the month, from 1", ValueType.INTEGER, lambda t: t.dt.month())
DAY = _part("DAY", "the day of the month, from 1", ValueType.INTEGER, lambda t: t.dt.day())
HOURS = _part("HOURS", "the hour in UTC", ValueType.INTEGER, lambda t: t.dt.hour())
MINUTES = _part("MINUTES", "the minute", ValueType.INTEGER, lambda t: t.dt.minute())
SECONDS = _part(
    "SECONDS",
    "the second, with its fraction",
    ValueType.DOUBLE,
    _seconds,
    refused("the function SECONDS differs between engines of SPARQL"),
)


def _local(e: Call, columns: Columns) -> pl.Expr:
    """What the clock on the wall shows, as a dateTime without a zone: one in UTC (docs/semantics.md 2.7)."""
    moments = moment(columns[0], e.arguments[0].type)
    shown = moments.dt.convert_time_zone(_zone(e.arguments)).dt.replace_time_zone("UTC")
    return pl.when(shown.cast(pl.Int64).is_between(FIRST_MOMENT, LAST_MOMENT)).then(shown)


def _zone(arguments: Sequence[Expression]) -> str:
    zone = arguments[1]
    return str(zone.value) if isinstance(zone, Constant) else ""


def _zone_fault(arguments: Sequence[Expression]) -> Fault | None:
    names = "zones have names such as 'Europe/Rome' or 'America/Los_Angeles'"
    zone = _zone(arguments)
    if not zone:
        return Fault(1, "LOCAL needs the name of a time zone as text", names)
    try:
        pl.Series([0]).cast(pl.Datetime("us", "UTC")).dt.convert_time_zone(zone)
    except pl.exceptions.ComputeError:
        return Fault(1, f"there is no time zone '{zone}'", did_you_mean(zone, sorted(available_timezones())) or names)
    return None


LOCAL = ScalarFunction(
    "LOCAL",
    "LOCAL(t, 'Europe/Rome')",
    "what the clock on the wall shows at that moment in a time zone, as a dateTime without a zone",
    Signature(
        ("a dateTime", "a string"), 0, repeated=False, result=ValueType.DATETIME, unit=UnitRule.NONE, check=_zone_fault
    ),
    _local,
    BY_COLUMN,
    refused("SPARQL knows no time zones by their names"),
)
