"""MIN and MAX; a number beats NaN."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from ...language.nodes import Aggregate, AggregateSignature, Expression, UnitRule
from ..frames import Ints
from .aggregate_function import Accumulator, AggregateFunction, left_to_operators
from .value_ranges import ValueRanges

__all__ = ["MAX", "MIN"]

_Numbers = npt.NDArray[np.int64 | np.float64]


def _extremes(ranges: ValueRanges, *, least: bool) -> pl.Series:
    values, start, end = ranges.values, ranges.start, ranges.end
    if values.dtype == pl.String:
        distinct = values.drop_nulls().unique().sort()
        ranks = values.replace_strict(distinct, np.arange(len(distinct)), return_dtype=pl.Int64, default=None)
        return distinct.gather(_extremes(replace(ranges, values=ranks), least=least))
    if values.dtype.is_float():  # NaN has no order: it is passed over as long as there is a number
        numbers = values.fill_null(np.nan).to_numpy()
        return ranges.where(pl.Series(_best(numbers, start, end, np.fmin if least else np.fmax)))
    limit = np.iinfo(np.int64)
    integers = values.to_physical().cast(pl.Int64).fill_null(limit.max if least else limit.min).to_numpy()
    found = pl.Series(_best(integers, start, end, np.minimum if least else np.maximum))
    return ranges.where(found).cast(values.dtype)


def _best(values: _Numbers, start: Ints, end: Ints, better: np.ufunc) -> _Numbers:
    """The least or greatest of each range from two overlapping ranges of a power of two (sparse table)."""
    level = np.frexp((end - start).astype(np.float64))[1] - 1
    result = np.empty(len(start), values.dtype)
    best = values
    for k in range(int(level.max(initial=0)) + 1):
        of_level = np.flatnonzero(level == k)
        result[of_level] = better(best[start[of_level]], best[end[of_level] - (1 << k)])
        best = better(best[: -(1 << k)], best[1 << k :])
    return result


def _least(state: tuple[Any, ...] | None, value: Any) -> tuple[Any, ...]:
    if value is None or (state and not (value < state[0] or state[0] != state[0])):
        return state or ()
    return (value,)


def _greatest(state: tuple[Any, ...] | None, value: Any) -> tuple[Any, ...]:
    if value is None or (state and not (value > state[0] or state[0] != state[0])):
        return state or ()
    return (value,)


def _only(state: tuple[Any, ...] | None) -> Any:
    return state[0] if state else None


def _single(_e: Aggregate, x: Expression) -> Expression:
    return x


def _extreme(name: str, doc: str, add: Callable[[Any, Any], Any], *, least: bool) -> AggregateFunction:
    return AggregateFunction(
        name=name,
        usage=f"{name}(x)",
        doc=doc,
        signature=AggregateSignature(
            "an ordered value", (), None, UnitRule.KEPT, distinct=False, of_events=False, several=False
        ),
        ranges=lambda _e, ranges: _extremes(ranges, least=least),
        accumulator=lambda _e: Accumulator(add, _only),
        single=_single,
        sparql=left_to_operators,
    )


MIN = _extreme("MIN", "the least value", _least, least=True)
MAX = _extreme("MAX", "the greatest value", _greatest, least=False)
