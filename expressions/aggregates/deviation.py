"""STDDEV: the standard deviation of a sample."""

from __future__ import annotations

import math
from fractions import Fraction

import polars as pl

from ...language.nodes import Aggregate, AggregateSignature, UnitRule, ValueType
from .aggregate_function import Accumulator, AggregateFunction, appended, left_to_operators, unbound
from .exact_variance import deviations
from .value_ranges import ValueRanges

__all__ = ["STDDEV"]


def _ranges(_e: Aggregate, ranges: ValueRanges) -> pl.Series:
    numbers = ranges.values.cast(pl.Float64).fill_null(0.0).to_numpy()
    return ranges.where(pl.Series(deviations(numbers, ranges.count, ranges.start, ranges.end)), at_least=2)


def _deviation(state: tuple[float, ...] | None) -> float | None:
    """From exact fractions."""
    if state is None or len(state) < 2:
        return None
    if not all(math.isfinite(value) for value in state):
        return math.nan
    exact = [Fraction(value) for value in state]
    mean = sum(exact, Fraction()) / len(exact)
    return math.sqrt(sum(((value - mean) ** 2 for value in exact), Fraction()) / (len(exact) - 1))


STDDEV = AggregateFunction(
    name="STDDEV",
    usage="STDDEV(x)",
    doc="the standard deviation of the sample; of one value unbound",
    signature=AggregateSignature(
        "a number", (), ValueType.DOUBLE, UnitRule.DIFFERENCE, distinct=False, of_events=False, several=False
    ),
    ranges=_ranges,
    accumulator=lambda _e: Accumulator(appended, _deviation),
    single=lambda e, _x: unbound(e.span),
    sparql=left_to_operators,
)
