"""SUM and AVG: exact until they are rounded once, whatever the order of the events."""

from __future__ import annotations

import math

import numpy as np
import polars as pl

from ...language.nodes import Aggregate, AggregateSignature, Call, Constant, Expression, UnitRule, ValueType
from ..frames import Bools, Floats, Ints
from ..scalar_operators import narrow
from .aggregate_function import Accumulator, AggregateFunction, as_type, left_to_operators
from .exact_sum import sum_ranges
from .value_ranges import ValueRanges

__all__ = ["AVG", "SUM"]

_Sum = tuple[int, int, float | None]
"""How many values, their exact sum in units of 2**-1074, and the sum of those that are not finite."""
_UNITS = 1074
_HALF = 32


def _sums(e: Aggregate, ranges: ValueRanges) -> pl.Series:
    if e.type is ValueType.DOUBLE:
        return pl.Series(_doubles(ranges))
    total, beyond, _ = _totals(ranges)
    return pl.Series(total).set(pl.Series(beyond), None) if beyond.any() else pl.Series(total)


def _doubles(ranges: ValueRanges) -> Floats:
    """The nearest doubles of the exact sums."""
    if ranges.values.dtype.is_float():
        return sum_ranges(ranges.values.fill_null(0.0).to_numpy(), ranges.start, ranges.end)
    total, beyond, parts = _totals(ranges)
    found = total.astype(np.float64)
    for i in np.flatnonzero(beyond).tolist():  # each one by itself: integers leave 64 bits rarely
        high, low = (int(part[i]) for part in parts)
        found[i] = float((high << _HALF) + low)
    return found


def _totals(ranges: ValueRanges) -> tuple[Ints, Bools, tuple[Ints, Ints]]:
    """Sums of integers, which of them have wrapped around 64 bits, and the sums of their upper and lower halves."""
    start, end = ranges.start, ranges.end
    integers = ranges.values.to_physical().cast(pl.Int64).fill_null(0).to_numpy()
    total = _between(integers, start, end)
    if float(np.abs(integers.astype(np.float64)).max(initial=0.0)) * len(integers) < 2.0**62:
        return total, np.zeros(len(total), dtype=bool), (total, total)
    high, low = _between(integers >> _HALF, start, end), _between(integers & (2**_HALF - 1), start, end)
    near = high.astype(np.float64) * 2.0**_HALF + low.astype(np.float64)
    return total, np.abs(near - total) > 2.0**62, (high, low)


def _between(values: Ints, start: Ints, end: Ints) -> Ints:
    before = np.concatenate([[0], np.cumsum(values)])
    found: Ints = before[end] - before[start]
    return found


def _averages(_e: Aggregate, ranges: ValueRanges) -> pl.Series:
    return ranges.where(pl.Series(_doubles(ranges) / np.maximum(ranges.count, 1)))


def _add_double(state: _Sum | None, value: float | None) -> _Sum:
    count, exact, special = state or (0, 0, None)
    if value is None:
        return count, exact, special
    if not math.isfinite(value):
        return count + 1, exact, value if special is None else special + value
    numerator, denominator = value.as_integer_ratio()
    return count + 1, exact + (numerator << (_UNITS - denominator.bit_length() + 1)), special


def _add_integer(state: tuple[int, int] | None, value: int | None) -> tuple[int, int]:
    count, total = state or (0, 0)
    return (count, total) if value is None else (count + 1, total + value)


def _double_sum(state: _Sum | None) -> float:
    if state is None:
        return 0.0
    _, exact, special = state
    if special is not None:
        return special
    try:
        return exact / (1 << _UNITS)
    except OverflowError:
        return math.copysign(math.inf, exact)


def _integer_sum(state: tuple[int, int] | None) -> int | None:
    """Beyond 64 bits unbound."""
    return 0 if state is None else narrow(state[1])


def _integer_sum_as_double(state: tuple[int, int] | None) -> float:
    return 0.0 if state is None else float(state[1])


def _double_average(state: _Sum | None) -> float | None:
    return None if state is None or not state[0] else _double_sum(state) / state[0]


def _integer_average(state: tuple[int, int] | None) -> float | None:
    return None if state is None or not state[0] else float(state[1]) / state[0]


_OF_INTEGERS = {"SUM": Accumulator(_add_integer, _integer_sum), "AVG": Accumulator(_add_integer, _integer_average)}
_SUM_AS_DOUBLE = Accumulator(_add_integer, _integer_sum_as_double)
_OF_DOUBLES = {"SUM": Accumulator(_add_double, _double_sum), "AVG": Accumulator(_add_double, _double_average)}


def _accumulator(e: Aggregate) -> Accumulator:
    whole = e.argument is not None and e.argument.type is ValueType.INTEGER
    if whole and e.function == "SUM" and e.type is ValueType.DOUBLE:
        return _SUM_AS_DOUBLE
    return (_OF_INTEGERS if whole else _OF_DOUBLES)[e.function]


def _single_sum(e: Aggregate, x: Expression) -> Expression:
    zero = Constant(0, ValueType.INTEGER, e.span)
    return Call("COALESCE", (as_type(x, e.type), zero), e.type, e.span)


def _single_average(_e: Aggregate, x: Expression) -> Expression:
    return as_type(x, ValueType.DOUBLE)


SUM = AggregateFunction(
    name="SUM",
    usage="SUM(x)",
    doc="the exact sum, rounded once; of none 0",
    signature=AggregateSignature("a number", (), None, UnitRule.TOTAL, distinct=False, of_events=False, several=False),
    ranges=_sums,
    accumulator=_accumulator,
    single=_single_sum,
    sparql=left_to_operators,
)
AVG = AggregateFunction(
    name="AVG",
    usage="AVG(x)",
    doc="the mean: the exact sum by the number of values",
    signature=AggregateSignature(
        "a number", (), ValueType.DOUBLE, UnitRule.KEPT, distinct=False, of_events=False, several=False
    ),
    ranges=_averages,
    accumulator=_accumulator,
    single=_single_average,
    sparql=left_to_operators,
)
