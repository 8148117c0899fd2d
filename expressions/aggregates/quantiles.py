"""MEDIAN and PERCENTILE: the value at a place of the sorted values, linear between two of them; NaN where one is NaN.

Ranges are asked all at once, in a wavelet matrix of ranks. Source: Claude, Navarro, Ordóñez, "The wavelet matrix: an
efficient wavelet tree for large alphabets" (2015), §4, quantiles; for the interpolation Hyndman, Fan, "Sample quantiles
in statistical packages" (1996), definition 7.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import polars as pl

from ...language.nodes import Aggregate, AggregateSignature, ConstantParameter, UnitRule, ValueType
from ..frames import Floats, Ints
from .aggregate_function import Accumulator, AggregateFunction, appended, as_type, left_to_operators
from .value_ranges import ValueRanges

__all__ = ["MEDIAN", "PERCENTILE"]


def _share(e: Aggregate) -> float:
    """How far into the sorted values, from 0 to 1."""
    return e.parameters[0] / 100 if e.parameters else 0.5


def _ranges(e: Aggregate, ranges: ValueRanges) -> pl.Series:
    values: Floats = ranges.values.cast(pl.Float64).drop_nulls().to_numpy()
    if not len(values):
        return pl.Series([None] * len(ranges.start), dtype=pl.Float64)
    before = np.concatenate([[0], np.cumsum(ranges.bound)])
    start, end = before[ranges.start], before[ranges.end]
    position = np.maximum(ranges.count - 1, 0) * _share(e)
    place = np.floor(position).astype(np.int64)
    rest = position - place
    order = np.argsort(values, kind="stable")
    ranks = np.empty(len(values), np.int64)
    ranks[order] = np.arange(len(values))
    lower = values[order[_ranks_at(ranks, start, end, place)]]
    upper = values[order[_ranks_at(ranks, start, end, np.minimum(place + 1, np.maximum(ranges.count - 1, 0)))]]
    with np.errstate(invalid="ignore"):
        found = np.where((rest == 0.0) | (lower == upper), lower, lower * (1.0 - rest) + upper * rest)
    nans = np.concatenate([[0], np.cumsum(np.isnan(values))])
    return ranges.where(pl.Series(np.where(nans[end] > nans[start], np.nan, found)))


def _ranks_at(ranks: Ints, start: Ints, end: Ints, place: Ints) -> Ints:
    """Of each range the rank that stands at a place, from 0, when its ranks are sorted; of an empty range, any rank."""
    found = np.zeros(len(start), np.int64)
    for bit in reversed(range(len(ranks).bit_length())):
        high = (ranks >> bit & 1).astype(bool)
        lows = np.concatenate([[0], np.cumsum(~high)])
        low_start, low_end = lows[start], lows[end]
        goes_high = place >= low_end - low_start
        place = np.where(goes_high, place - (low_end - low_start), place)
        start, end = (
            np.where(goes_high, lows[-1] + side - low, low) for side, low in ((start, low_start), (end, low_end))
        )
        found |= goes_high.astype(np.int64) << bit
        ranks = np.concatenate([ranks[~high], ranks[high]])
    return np.minimum(found, len(ranks) - 1)


def _quantile(state: tuple[Any, ...] | None, share: float) -> float | None:
    if not state:
        return None
    values = sorted(map(float, state))
    if any(map(math.isnan, values)):
        return math.nan
    position = (len(values) - 1) * share
    place = math.floor(position)
    rest, lower = position - place, values[place]
    upper = values[min(place + 1, len(values) - 1)]
    return lower if rest == 0.0 or lower == upper else lower * (1.0 - rest) + upper * rest


def _accumulator(e: Aggregate) -> Accumulator:
    share = _share(e)
    return Accumulator(appended, lambda state: _quantile(state, share))


def _entry(name: str, usage: str, doc: str, *parameters: ConstantParameter) -> AggregateFunction:
    return AggregateFunction(
        name=name,
        usage=usage,
        doc=doc,
        signature=AggregateSignature(
            "a number", parameters, ValueType.DOUBLE, UnitRule.KEPT, distinct=False, of_events=False, several=False
        ),
        ranges=_ranges,
        accumulator=_accumulator,
        single=lambda _e, x: as_type(x, ValueType.DOUBLE),
        sparql=left_to_operators,
    )


MEDIAN = _entry("MEDIAN", "MEDIAN(x)", "the value in the middle, of two the mean")
PERCENTILE = _entry(
    "PERCENTILE",
    "PERCENTILE(x, p)",
    "the value below which `p` percent lie, `p` a number from 0 to 100; between two values linear",
    ConstantParameter(
        None,
        lambda number: 0 <= number <= 100,
        "PERCENTILE takes a number from 0 to 100",
        "write PERCENTILE (?e.attribute, 95)",
        counts_events=False,
    ),
)
