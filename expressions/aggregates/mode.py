"""MODE: the most frequent value; NaN is one value, and stands behind all numbers."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl

from ...language.nodes import Aggregate, AggregateSignature, UnitRule
from ..frames import Ints, value_codes
from .aggregate_function import Accumulator, AggregateFunction, appended, left_to_operators
from .value_ranges import ValueRanges

__all__ = ["MODE"]

_MOST_ROWS = 1 << 21
_NAN = object()


def _ranges(_e: Aggregate, ranges: ValueRanges) -> pl.Series:
    codes, distinct = _ordered_codes(ranges.values)
    found = np.full(len(ranges.start), -1, np.int64)
    for part in _parts(ranges.count):
        whole = ValueRanges(ranges.values, ranges.bound, ranges.start[part], ranges.end[part], ranges.count[part])
        found[part] = _most_frequent(codes, whole, len(distinct))
    return distinct.gather(pl.Series(np.maximum(found, 0), dtype=pl.UInt32).set(pl.Series(found < 0), None))


def _ordered_codes(values: pl.Series) -> tuple[Ints, pl.Series]:
    """Codes that are ordered as the values are, −1 where unbound; and the values by code."""
    codes = value_codes(values)
    rows = np.flatnonzero(codes >= 0)
    _, first = np.unique(codes[rows], return_index=True)
    distinct = values.gather(rows[first])
    order = distinct.arg_sort(nulls_last=True).to_numpy()
    place = np.empty(len(order) + 1, np.int64)
    place[order], place[-1] = np.arange(len(order)), -1
    return place[codes], distinct.gather(order)


def _parts(counts: Ints) -> Iterator[slice]:
    """Ranges one after the other, so that those of a part hold not many more rows than fit into memory."""
    part = np.cumsum(counts) // _MOST_ROWS
    cuts = [0, *(np.flatnonzero(np.diff(part)) + 1).tolist(), len(counts)]
    yield from (slice(begin, end) for begin, end in pairwise(cuts))


def _most_frequent(codes: Ints, ranges: ValueRanges, width: int) -> Ints:
    """The code that stands most often in each range, of several the least; −1 where nothing is bound."""
    rows, _ = ranges.bound_rows()
    number = np.repeat(np.arange(len(ranges.count)), ranges.count)
    pairs, often = np.unique(number * width + codes[rows], return_counts=True)
    number, code = pairs // max(width, 1), pairs % max(width, 1)
    order = np.lexsort([code, -often, number])
    first = order[np.flatnonzero(np.diff(number[order], prepend=-1))]
    found = np.full(len(ranges.count), -1, np.int64)
    found[number[first]] = code[first]
    return found


def _mode(state: tuple[Any, ...] | None) -> Any:
    if not state:
        return None
    counts: Counter[Any] = Counter(value if value == value else _NAN for value in state)  # noqa: PLR0124 - NaN
    most = max(counts.values())
    tied = [value for value, count in counts.items() if count == most and value is not _NAN]
    return min(tied, default=math.nan)


MODE = AggregateFunction(
    name="MODE",
    usage="MODE(x)",
    doc="the most frequent value, of several the least",
    signature=AggregateSignature(
        "an ordered value", (), None, UnitRule.KEPT, distinct=False, of_events=False, several=False
    ),
    ranges=_ranges,
    accumulator=lambda _e: Accumulator(appended, _mode),
    single=lambda _e, x: x,
    sparql=left_to_operators,
)
