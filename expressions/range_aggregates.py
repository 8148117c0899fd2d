"""Aggregates over ranges of rows, all ranges at once.

Ranges are `[start[i], end[i])`, not empty, with `start` and `end` both ascending. Unbound values are skipped.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import polars as pl
import pyarrow as pa

from ..language.nodes import Aggregate
from .column_types import POLARS_TYPES
from .exact_sum import sum_ranges
from .exact_variance import deviations
from .frames import Bools, Ints, value_codes

__all__ = ["aggregate_ranges"]

_Numbers = npt.NDArray[np.int64 | np.float64]


def aggregate_ranges(e: Aggregate, values: pl.Series, start: Ints, end: Ints) -> pl.Series:
    """The aggregate of each range.

    Args:
        e: what to compute.
        values: what it is computed of, row by row; of `COUNT(?e)` the ids of the events.
        start: first rows.
        end: rows behind the last.

    Returns:
        A column of `POLARS_TYPES[e.type]`; of LIST, of lists of values.
    """
    if e.argument is None and not e.distinct:
        return pl.Series(end - start)
    if e.distinct:
        return pl.Series(_distinct(values, start, end))
    if e.function == "LIST":
        return _lists(values, start, end)
    return _of_bound(e, _Ranges.of(values, start, end)).cast(POLARS_TYPES[e.type])


@dataclass(frozen=True, slots=True)
class _Ranges:
    """Values, which of them are bound, and the ranges with the number of bound values in each."""

    values: pl.Series
    bound: Bools
    start: Ints
    end: Ints
    count: Ints

    @classmethod
    def of(cls, values: pl.Series, start: Ints, end: Ints) -> _Ranges:
        if not values.has_nulls():
            return cls(values, np.ones(len(values), dtype=bool), start, end, end - start)
        bound = values.is_not_null().to_numpy()
        before = np.concatenate([[0], np.cumsum(bound)])
        return cls(values, bound, start, end, before[end] - before[start])

    def where(self, found: pl.Series, at_least: int = 1) -> pl.Series:
        """Results of ranges that hold enough bound values; the others are unbound."""
        few = self.count < at_least
        return found.set(pl.Series(few), None) if few.any() else found


def _of_bound(e: Aggregate, ranges: _Ranges) -> pl.Series:
    match e.function:
        case "COUNT":
            return pl.Series(ranges.count)
        case "SUM":
            return _sums(ranges)
        case "AVG":
            total = _sums(ranges).cast(pl.Float64).to_numpy()
            return ranges.where(pl.Series(total / np.maximum(ranges.count, 1)))
        case "STDDEV":
            numbers = ranges.values.cast(pl.Float64).fill_null(0.0).to_numpy()
            return ranges.where(pl.Series(deviations(numbers, ranges.count, ranges.start, ranges.end)), at_least=2)
        case "MIN" | "MAX":
            return _extremes(ranges, least=e.function == "MIN")
        case "FIRST":
            return _nth(ranges, e.offset)
        case _:
            return _nth(ranges, -1 - e.offset)


def _sums(ranges: _Ranges) -> pl.Series:
    values, start, end = ranges.values, ranges.start, ranges.end
    if values.dtype.is_float():
        return pl.Series(sum_ranges(values.fill_null(0.0).to_numpy(), start, end))
    integers = values.to_physical().cast(pl.Int64).fill_null(0).to_numpy()
    before = np.concatenate([[0], np.cumsum(integers)])
    total = before[end] - before[start]
    if float(np.abs(integers.astype(np.float64)).max(initial=0.0)) * len(integers) < 2.0**62:
        return pl.Series(total)
    near = sum_ranges(integers.astype(np.float64), start, end)
    return pl.Series(total).set(pl.Series(np.abs(near - total) > 2.0**62), None)  # beyond 64 bits it wrapped


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


def _extremes(ranges: _Ranges, *, least: bool) -> pl.Series:
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


def _nth(ranges: _Ranges, place: int) -> pl.Series:
    """The bound value at a place of each range, counted from its end if below 0."""
    rows = np.flatnonzero(ranges.bound)
    first = np.searchsorted(rows, ranges.start)
    wanted = first + place if place >= 0 else first + ranges.count + place
    beyond = ranges.count <= (place if place >= 0 else -1 - place)
    found = ranges.values.gather(rows[np.where(beyond, 0, wanted)]) if len(rows) else ranges.values.clear()
    if not len(rows):
        return pl.Series([None] * len(wanted), dtype=ranges.values.dtype)
    return found.set(pl.Series(beyond), None) if beyond.any() else found


def _lists(values: pl.Series, start: Ints, end: Ints) -> pl.Series:
    """The bound values of each range; of none, none."""
    bound = values.is_not_null().to_numpy()
    before = np.concatenate([[0], np.cumsum(bound)])
    counts = before[end] - before[start]
    offsets = np.concatenate([[0], np.cumsum(counts)])
    place = np.arange(offsets[-1]) - np.repeat(offsets[:-1], counts)
    rows = np.flatnonzero(bound)[np.repeat(before[start], counts) + place]
    listed = pa.LargeListArray.from_arrays(
        pa.array(offsets), values.gather(rows).to_arrow(), mask=pa.array(counts == 0)
    )
    return pl.Series(listed)
