"""STDDEV: of a sample."""

from __future__ import annotations

import math
import statistics

import pytest
from kaicep.expressions import accumulator_of
from kaicep.language.nodes import ValueType
from support.aggregates import aggregate, over_windows

STDDEV = aggregate("STDDEV", ValueType.DOUBLE)


def test_it_is_that_of_the_sample() -> None:
    values = [1.0, 2.0, 4.0, None]
    assert over_windows(STDDEV, values, [(0, 2), (0, 4)]) == pytest.approx(
        [statistics.stdev([1.0, 2.0]), statistics.stdev([1.0, 2.0, 4.0])]
    )


def test_of_one_value_it_is_unbound() -> None:
    assert over_windows(STDDEV, [7.0, None], [(0, 1), (0, 2)]) == [None, None]


def test_of_what_is_not_finite_it_is_no_number() -> None:
    accumulator = accumulator_of(STDDEV)
    assert math.isnan(accumulator.value(accumulator.add(accumulator.add(None, math.inf), 1.0)))
