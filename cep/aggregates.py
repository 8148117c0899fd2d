"""Aggregates over ranges of rows, all ranges at once.

Ranges are `[start[i], end[i])`, not empty, with `start` and `end` both ascending. Unbound values are skipped.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import polars as pl

from ..language.columns import POLARS_TYPES
from ..language.expressions import Aggregate
from ..language.types import ValueType
from .exact_sum import sum_ranges
from .exact_variance import deviations
from .frames import Bools, Floats, Ints

__all__ = ["aggregate_ranges"]

_Ufunc = Callable[..., np.ndarray[tuple[int], np.dtype[np.generic]]]


def aggregate_ranges(e: Aggregate, values: pl.Series, start: Ints, end: Ints) -> pl.Series:
    """The aggregate of each range.

    Args:
        e: what to compute.
        values: what it is computed of, row by row; of `COUNT(?e)` the ids of the events.
        start: first rows.
        end: rows behind the last.

    Returns:
        A column of `POLARS_TYPES[e.type]`.
    """
    if e.argument is None and not e.distinct:
        return pl.Series(end - start)
    if e.distinct:
        return pl.Series(_distinct(values, start, end))
    bound = values.is_not_null().to_numpy() if values.has_nulls() else np.ones(len(values), dtype=bool)
    count = _counts(bound, start, end)
    return _of_bound(e, values, bound, count, start, end).cast(POLARS_TYPES[e.type])


def _of_bound(e: Aggregate, values: pl.Series, bound: Bools, count: Ints, start: Ints, end: Ints) -> pl.Series:
    match e.function:
        case "COUNT":
            return pl.Series(count)
        case "SUM":
            return _sums(values, start, end)
        case "AVG":
            total = _sums(values, start, end).cast(pl.Float64).to_numpy()
            return _where(count > 0, total / np.maximum(count, 1))
        case "STDDEV":
            found = deviations(values.cast(pl.Float64).fill_null(0.0).to_numpy(), count, start, end)
            return _where(count > 1, found)
        case "MIN" | "MAX":
            return _extremes(values, bound, count, start, end, least=e.function == "MIN")
        case "FIRST":
            return _nth(values, _next_bound(bound)[start], end - 1, count)
        case _:
            return _nth(values, _previous_bound(bound)[end - 1], end - 1, count)


def _where(valid: Bools, values: Floats) -> pl.Series:
    found = pl.Series(values)
    return found if valid.all() else found.set(pl.Series(~valid), None)


def _counts(bound: Bools, start: Ints, end: Ints) -> Ints:
    if bound.all():
        return end - start
    before = np.concatenate([[0], np.cumsum(bound)])
    return before[end] - before[start]


def _sums(values: pl.Series, start: Ints, end: Ints) -> pl.Series:
    if values.dtype.is_float():
        return pl.Series(sum_ranges(values.fill_null(0.0).to_numpy(), start, end))
    integers = values.to_physical().cast(pl.Int64).fill_null(0).to_numpy()
    before = np.concatenate([[0], np.cumsum(integers)])
    total = pl.Series(before[end] - before[start])
    if float(np.abs(integers.astype(np.float64)).max(initial=0.0)) * len(integers) < 2.0**62:
        return total
    estimate = sum_ranges(integers.astype(np.float64), start, end)
    return total.set(pl.Series(np.abs(estimate - total.to_numpy()) > 2.0**62), None)  # beyond 64 bits it wrapped


def _distinct(values: pl.Series, start: Ints, end: Ints) -> Ints:
    """How many different values each range holds.

    A range holds a value if it holds the last occurrence before its end, so occurrence `i` counts for the ranges
    that end behind `i`, not behind the next occurrence, and start at `i` or before: an interval of ranges.
    """
    bound = np.flatnonzero(values.is_not_null().to_numpy())
    codes = _codes(values)[bound]
    by_value = np.argsort(codes, kind="stable")
    following = np.full(len(bound), len(values), np.int64)
    same = codes[by_value][1:] == codes[by_value][:-1]
    following[by_value[:-1][same]] = bound[by_value[1:][same]]
    first = np.searchsorted(end, bound, "right")
    behind = np.minimum(np.searchsorted(end, following, "right"), np.searchsorted(start, bound, "right"))
    counted = first < behind
    change = np.bincount(first[counted], minlength=len(start) + 1)
    change -= np.bincount(behind[counted], minlength=len(start) + 1)
    return np.cumsum(change)[:-1].astype(np.int64)


def _codes(values: pl.Series) -> Ints:
    if values.dtype.is_float():
        values = values + 0.0
    encoded = values.to_arrow().dictionary_encode()
    return encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64)


def _extremes(values: pl.Series, bound: Bools, count: Ints, start: Ints, end: Ints, *, least: bool) -> pl.Series:
    if values.dtype == pl.String:
        distinct = values.drop_nulls().unique().sort()
        ranks = values.replace_strict(distinct, np.arange(len(distinct)), return_dtype=pl.Int64, default=None)
        best = _extremes(ranks, bound, count, start, end, least=least)
        return distinct.gather(best)
    if values.dtype.is_float():
        numbers = np.where(bound, values.fill_null(np.nan).to_numpy(), np.nan)
        found = pl.Series(_best(numbers, start, end, np.fmin if least else np.fmax))
        return found.set(pl.Series(count == 0), None) if (count == 0).any() else found
    limit = np.iinfo(np.int64)
    integers = values.to_physical().cast(pl.Int64).fill_null(limit.max if least else limit.min).to_numpy()
    found = pl.Series(_best(integers, start, end, np.minimum if least else np.maximum))
    found = found.set(pl.Series(count == 0), None) if (count == 0).any() else found
    return found.cast(values.dtype)


def _best(values: Ints | Floats, start: Ints, end: Ints, better: np.ufunc) -> Ints | Floats:
    """The least or greatest of each range from two overlapping ranges of a power of two (sparse table)."""
    level = np.frexp((end - start).astype(np.float64))[1] - 1
    result = np.empty(len(start), values.dtype)
    best = values
    for k in range(int(level.max(initial=0)) + 1):
        of_level = np.flatnonzero(level == k)
        result[of_level] = better(best[start[of_level]], best[end[of_level] - (1 << k)])
        best = better(best[: -(1 << k)], best[1 << k :])
    return result


def _next_bound(bound: Bools) -> Ints:
    """For each row the first bound row from it on."""
    rows = np.where(bound, np.arange(len(bound)), len(bound))
    return np.minimum.accumulate(rows[::-1])[::-1]


def _previous_bound(bound: Bools) -> Ints:
    """For each row the last bound row up to it."""
    return np.maximum.accumulate(np.where(bound, np.arange(len(bound)), -1))


def _nth(values: pl.Series, rows: Ints, spare: Ints, count: Ints) -> pl.Series:
    found = values.gather(np.where(count > 0, rows, spare))
    return found.set(pl.Series(count == 0), None) if (count == 0).any() else found
