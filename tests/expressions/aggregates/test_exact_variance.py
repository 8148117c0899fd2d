"""Standard deviations have no cancellation."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from kaicep.expressions.aggregates.exact_variance import deviations


def exact(values: list[float]) -> float:
    """From the exact variance, rounded once."""
    parts = [Fraction(v) for v in values]
    mean = sum(parts, Fraction()) / len(parts)
    return math.sqrt(sum(((p - mean) ** 2 for p in parts), Fraction()) / (len(parts) - 1))


def of_all(values: list[float]) -> float:
    count = np.array([len(values)])
    return float(deviations(np.array(values), count, np.array([0]), count)[0])


@settings(deadline=None)
@given(
    st.one_of(
        st.lists(st.floats(-1e100, 1e100).filter(lambda x: x == 0 or abs(x) > 1e-100), min_size=2, max_size=12),
        st.lists(st.floats(0, 1).map(lambda x: 1e9 + x), min_size=2, max_size=12),
        st.lists(st.integers(-9, 9).map(float), min_size=2, max_size=12),
        st.lists(st.integers(-(2**23), 2**23).map(lambda n: n / 4), min_size=2, max_size=12),
    )
)
def test_variance_is_exact_and_rounded_once(values: list[float]) -> None:
    assert of_all(values) == exact(values)


def test_equal_values_do_not_deviate() -> None:
    assert of_all([0.1] * 7) == 0.0


def test_many_values() -> None:
    """More than 16 bits of them: the divisor has more than 32."""
    values = [0.1, 0.7] * 40_000
    assert of_all(values) == exact(values)


def test_ranges_do_not_touch_one_another() -> None:
    values = np.array([1.0, 2.0, math.nan, 5.0, 9.0])
    start, end = np.array([0, 1, 3]), np.array([2, 3, 5])
    assert repr(deviations(values, end - start, start, end).tolist()) == repr([0.5**0.5, math.nan, 8**0.5])
