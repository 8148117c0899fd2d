"""COUNT: of events, of bound values, of different values."""

from __future__ import annotations

import numpy as np
import polars as pl

from ...language.nodes import Aggregate, AggregateSignature, Call, Constant, Expression, UnitRule, ValueType
from ..frames import Ints, value_codes
from ..scalar_operators import NOTHING
from .aggregate_function import Accumulator, AggregateFunction, left_to_operators
from .value_ranges import ValueRanges

__all__ = ["COUNT"]


def _ranges(e: Aggregate, ranges: ValueRanges) -> pl.Series:
    return pl.Series(_distinct(ranges.values, ranges.start, ranges.end) if e.distinct else ranges.count)


def _distinct(values: pl.Series, start: Ints, end: Ints) -> Ints:
    """How many different values each range holds.

    A range holds a value if it holds the last occurrence before its end, so occurrence `i` counts for the ranges
    that end behind `i`, not behind the next occurrence, and start at `i` or before: an interval of ranges.
    """
    bound = np.flatnonzero(values.is_not_null().to_numpy())
    codes = value_codes(values)[bound]
    by_value = np.argsort(codes, kind="stable")
    following = np.full(len(bound), len(values), np.int64)
    same = codes[by_value][1:] == codes[by_value][:-1]
    following[by_value[:-1][same]] = bound[by_value[1:][same]]
    first = np.searchsorted(end, bound, "right")
    behind = np.minimum(np.searchsorted(end, following, "right"), np.searchsorted(start, bound, "right"))
    counted = first < behind
    change = np.bincount(first[counted], minlength=len(start) + 1)
    change -= np.bincount(behind[counted], minlength=len(start) + 1)
    return np.cumsum(change)[:-1]


def _add_event(state: int | None, _value: object) -> int:
    return (state or 0) + 1


def _add_bound(state: int | None, value: object) -> int:
    return (state or 0) + (value is not None)


def _counted(state: int | None) -> int:
    return state or 0


def _add_distinct(state: frozenset[object] | None, value: object) -> frozenset[object]:
    """NaN is one value."""
    known = state or frozenset()
    return known if value is None else known | {value if value == value else NOTHING}  # noqa: PLR0124 - NaN


def _distinct_count(state: frozenset[object] | None) -> int:
    return len(state or ())


def _accumulator(e: Aggregate) -> Accumulator:
    if e.distinct:
        return Accumulator(_add_distinct, _distinct_count)
    if e.argument is None:
        return Accumulator(_add_event, _counted, in_place="({state} or 0) + 1")
    return Accumulator(_add_bound, _counted)


def _single(e: Aggregate, x: Expression) -> Expression:
    one, zero = Constant(1, ValueType.INTEGER, e.span), Constant(0, ValueType.INTEGER, e.span)
    if e.argument is None:
        return one
    bound = Call("BOUND", (x,), ValueType.BOOLEAN, e.span)
    return Call("IF", (bound, one, zero), ValueType.INTEGER, e.span)


COUNT = AggregateFunction(
    name="COUNT",
    usage="COUNT(x), COUNT(?e), COUNT(DISTINCT x)",
    doc="how many values, events, different values; of none 0",
    signature=AggregateSignature(
        "a value", (), ValueType.INTEGER, UnitRule.NONE, distinct=True, of_events=True, several=False
    ),
    ranges=_ranges,
    accumulator=_accumulator,
    single=_single,
    sparql=left_to_operators,
)
