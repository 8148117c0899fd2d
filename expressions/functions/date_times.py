"""Parts of dateTimes, in UTC. Source: SPARQL 1.1 §17.4.5."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import polars as pl

from ...language.nodes import Call, Signature, UnitRule, ValueType
from ..arithmetic import ieee
from ..column_types import POLARS_TYPES, moment
from .scalar_function import BY_COLUMN, Columns, ScalarFunction, refused, same_in_sparql

__all__ = ["DAY", "HOURS", "MINUTES", "MONTH", "SECONDS", "YEAR"]


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
