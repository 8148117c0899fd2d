"""Ranges of rows, and the bound values in them."""

from __future__ import annotations

import numpy as np
import polars as pl
from kaicep.expressions.aggregates.value_ranges import ValueRanges

RANGES = ValueRanges.of(pl.Series([1, None, 3, 4]), np.array([0, 1, 1]), np.array([2, 2, 4]))


def test_bound_values_are_counted_range_by_range() -> None:
    assert RANGES.count.tolist() == [1, 0, 2]


def test_results_of_ranges_with_too_few_values_are_unbound() -> None:
    assert RANGES.where(pl.Series([7, 8, 9])).to_list() == [7, None, 9]
    assert RANGES.where(pl.Series([7, 8, 9]), at_least=2).to_list() == [None, None, 9]


def test_rows_of_bound_values_stand_range_after_range() -> None:
    rows, offsets = RANGES.bound_rows()
    assert rows.tolist() == [0, 2, 3]
    assert offsets.tolist() == [0, 1, 1, 3]
