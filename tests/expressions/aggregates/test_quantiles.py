"""MEDIAN and PERCENTILE: sorted values, linear between two."""

from __future__ import annotations

import math
import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kaicep.language.nodes import ValueType
from support.aggregates import aggregate, over, over_windows

MEDIAN = aggregate("MEDIAN", ValueType.DOUBLE)
numbers = st.one_of(st.none(), st.integers(-5, 5).map(float), st.sampled_from([0.1, 1e300, -1e300, math.inf, math.nan]))


def test_the_median_is_the_middle_one_or_the_mean_of_the_two() -> None:
    assert over(MEDIAN, 9.0, 1.0, 2.0) == 2.0
    assert over(MEDIAN, 9.0, 1.0, None, 2.0, 4.0) == 3.0
    assert over(aggregate("MEDIAN", ValueType.INTEGER), 1, 2) == 1.5


def test_of_no_value_it_is_unbound() -> None:
    assert over(MEDIAN, None, None) is None
    assert over_windows(MEDIAN, [None, 5.0, None, None], [(0, 1), (0, 2), (2, 4)]) == [None, 5.0, None]


@pytest.mark.parametrize(("percent", "expected"), [(0, 10.0), (25, 17.5), (50, 25.0), (90, 37.0), (100, 40.0)])
def test_percentiles_interpolate_linearly(percent: float, expected: float) -> None:
    assert over(aggregate("PERCENTILE", ValueType.DOUBLE, percent), 40.0, 10.0, 30.0, 20.0) == pytest.approx(expected)


def test_what_is_not_a_number_leaves_none() -> None:
    assert math.isnan(over(MEDIAN, 1.0, math.nan, 2.0))
    assert over(MEDIAN, math.inf, math.inf, 1.0) == math.inf
    assert over(aggregate("PERCENTILE", ValueType.DOUBLE, 50), 1e308, -1e308) == 0.0


@given(st.lists(numbers, min_size=1, max_size=12), st.floats(0, 100))
def test_ranges_and_accumulators_agree(values: list[float | None], percent: float) -> None:
    """`over` compares them window by window."""
    over(aggregate("PERCENTILE", ValueType.DOUBLE, percent), *values)


@given(st.lists(st.integers(-9, 9), min_size=1, max_size=12))
def test_medians_are_those_of_the_standard_library(values: list[int]) -> None:
    assert over(aggregate("MEDIAN", ValueType.INTEGER), *values) == statistics.median(values)
