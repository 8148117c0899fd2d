"""Sums of ranges are `math.fsum` of them."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kaicep.expressions.aggregates.exact_sum import sum_ranges, sum_scaled

doubles = st.floats(allow_nan=False, allow_infinity=False, width=64)
lists = st.one_of(
    st.lists(doubles, min_size=1, max_size=20),
    st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=20),
    st.lists(st.integers(-(10**6), 10**6).map(lambda n: n / 10), min_size=1, max_size=20),
    st.lists(st.floats(1.0, 2.0**40) | st.floats(-(2.0**40), -1.0), min_size=1, max_size=20),
    st.lists(st.integers(-1000, 1000).map(lambda n: n / 2), min_size=1, max_size=20),
    st.lists(st.sampled_from([1.0, 2**-53, -(2**-53), 2**-106, 5e-324, -1.0, 1 + 2**-52]), min_size=1, max_size=20),
)


def ranges(count: int) -> tuple[np.ndarray, np.ndarray]:
    """All ranges of so many rows."""
    start, end = np.triu_indices(count + 1)
    return start.astype(np.int64), end.astype(np.int64)


def fsum(values: list[float]) -> float:
    """`math.fsum` without its exception for sums beyond the greatest double."""
    exact = sum(map(Fraction, values), Fraction())
    try:
        return float(exact)
    except OverflowError:
        return math.inf if exact > 0 else -math.inf


@settings(deadline=None)
@given(lists)
def test_every_range_is_rounded_once(values: list[float]) -> None:
    start, end = ranges(len(values))
    sums = sum_ranges(np.array(values), start, end)
    assert sums.tolist() == [fsum(values[a:b]) for a, b in zip(start.tolist(), end.tolist(), strict=True)]


@settings(deadline=None)
@given(st.lists(st.floats(width=64), min_size=1, max_size=12))
def test_infinities_and_nan_only_reach_their_ranges(values: list[float]) -> None:
    start, end = ranges(len(values))
    for found, a, b in zip(sum_ranges(np.array(values), start, end), start.tolist(), end.tolist(), strict=True):
        part = values[a:b]
        special = [v for v in part if not math.isfinite(v)]
        expected = sum(special) if special else fsum(part)
        assert math.isnan(found) if math.isnan(expected) else found == expected


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([1.0, 2**-53], 1.0),  # a tie goes to the even neighbour
        ([1 + 2**-52, 2**-53], 1 + 2**-51),
        ([1.0, 2**-53, 2**-300], 1 + 2**-52),  # far below the last place, but above the tie
        ([-1.0, -(2**-53), -(2**-300)], -1 - 2**-52),
        ([1e308, 1e308, -1e308], 1e308),  # no overflow in between
        ([5e-324, 5e-324, -5e-324], 5e-324),
        ([2.0**1023, 2.0**1023], math.inf),
    ],
)
def test_rounding(values: list[float], expected: float) -> None:
    assert sum_ranges(np.array(values), np.array([0]), np.array([len(values)])).tolist() == [expected]


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(-(2**53), 2**53), st.integers(-1100, 900)), min_size=1, max_size=8))
def test_limbs_hold_the_exact_sum(parts: list[tuple[int, int]]) -> None:
    mantissa, exponent = (np.array(column, dtype=np.int64) for column in zip(*parts, strict=True))
    number = sum_scaled(mantissa, exponent, np.array([0]), np.array([len(parts)]))
    magnitude = sum(int(limb) << (32 * place) for place, limb in enumerate(number.limbs[:, 0]))
    exact = Fraction(-magnitude if number.negative[0] else magnitude) * Fraction(2) ** number.exponent
    assert exact == sum((Fraction(m) * Fraction(2) ** e for m, e in parts), Fraction())


def test_no_rows() -> None:
    nothing = np.empty(0, np.int64)
    assert sum_ranges(np.empty(0), nothing, nothing).tolist() == []
    assert sum_ranges(np.array([0.1, 1e300]), np.array([1]), np.array([1])).tolist() == [0.0]
