"""Aggregates of given values, computed in all the ways in which the engine computes them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl
from kaicep.expressions import (
    AGGREGATES,
    POLARS_TYPES,
    accumulator_of,
    aggregate_ranges,
    column_expression,
    gives_several,
    of_single_events,
)
from kaicep.language import Span
from kaicep.language.nodes import Aggregate, Column, ValueType

__all__ = ["aggregate", "over", "over_windows"]

HERE = Span(0, 0)


def aggregate(function: str, of: ValueType, *parameters: float, distinct: bool = False) -> Aggregate:
    """The aggregate of a column `x`."""
    result = AGGREGATES[function].signature.result or of
    x = Column("e", "x", of, HERE)
    return Aggregate(function, "e", x, result, HERE, distinct=distinct, parameters=parameters)


def over_windows(e: Aggregate, values: Sequence[Any], windows: Sequence[tuple[int, int]]) -> list[Any]:
    """Its value over ranges of rows, which are the same when they grow value by value, and over single ones."""
    assert e.argument is not None
    column = pl.Series("x", values, dtype=POLARS_TYPES[e.argument.type], strict=False)
    start, end = (np.array(side, dtype=np.int64) for side in zip(*windows, strict=True))
    found = aggregate_ranges(e, column, start, end).to_list()
    accumulator = accumulator_of(e)
    for value, (first, behind) in zip(found, windows, strict=True):
        state = None
        for one in column.to_physical()[first:behind].to_list():
            state = accumulator.add(state, one)
        grown = accumulator.value(state)
        assert same(list(grown) if isinstance(grown, tuple) else grown, _physical(value, e)), (first, behind)
        if behind - first == 1 and not gives_several(e):
            frame = column[first:behind].to_frame()
            single = frame.select(column_expression(of_single_events(e)).alias("single")).item()
            assert same(single, value), (first, behind)
    return found


def over(e: Aggregate, *values: Any) -> Any:
    """Its value over some values; beside it, all shorter windows are checked against their accumulators."""
    count = len(values)
    over_windows(e, values, [(i, i + 1) for i in range(count)])
    over_windows(e, values, [(max(0, i - 2), i + 1) for i in range(count)])
    return over_windows(e, values, [(0, i + 1) for i in range(count)])[-1]


def _physical(value: Any, e: Aggregate) -> Any:
    """A value as accumulators have it: moments in microseconds."""
    if value is None or e.type not in (ValueType.DATETIME, ValueType.DURATION):
        return value
    return pl.Series([value], dtype=POLARS_TYPES[e.type]).to_physical().item()


def same(a: Any, b: Any) -> bool:
    """Whether two values are the same, NaN equal to itself."""
    both = isinstance(a, float) and isinstance(b, float)
    return (both and math.isnan(a) and math.isnan(b)) or a == b
