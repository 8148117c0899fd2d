"""SUM and AVG: exact, whatever the order."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kaicep.language.nodes import ValueType
from support.aggregates import aggregate, over

SUM, AVG = (aggregate(name, ValueType.DOUBLE) for name in ("SUM", "AVG"))


def test_sums_are_rounded_once() -> None:
    assert over(SUM, 1e16, 1.0, -1e16) == 1.0
    assert over(AVG, 1e16, 1.0, -1e16, None) == pytest.approx(1 / 3)


def test_of_nothing_the_sum_is_0_and_the_mean_unbound() -> None:
    assert over(SUM, None, None) == 0.0
    assert over(AVG, None, None) is None


def test_integers_stay_integers_within_64_bits() -> None:
    of_integers = aggregate("SUM", ValueType.INTEGER)
    assert over(of_integers, 2**62, 2**62 - 1) == 2**63 - 1
    assert over(of_integers, 2**62, 2**62) is None
    assert over(aggregate("AVG", ValueType.INTEGER), 1, 2) == 1.5


@given(st.lists(st.one_of(st.none(), st.floats()), min_size=1, max_size=9))
def test_ranges_and_accumulators_agree(values: list[float | None]) -> None:
    finite = [value for value in values if value is not None and math.isfinite(value)]
    bound = [value for value in values if value is not None]
    if len(finite) == len(bound) and all(abs(value) < 1e300 for value in finite):
        assert over(SUM, *values) == math.fsum(finite)
    elif len(finite) < len(bound):
        over(AVG, *values)
