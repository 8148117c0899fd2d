"""MODE: the most frequent value, of several the least."""

from __future__ import annotations

import math
import statistics
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kaicep.expressions.aggregates import mode as module
from kaicep.language.nodes import ValueType
from support.aggregates import aggregate, over, over_windows

OF_NUMBERS = aggregate("MODE", ValueType.DOUBLE)


def test_the_most_frequent_of_several_the_least() -> None:
    assert over(OF_NUMBERS, 2.0, 1.0, 2.0, None, 3.0) == 2.0
    assert over(OF_NUMBERS, 3.0, 1.0, 2.0, 1.0, 3.0) == 1.0
    assert over(aggregate("MODE", ValueType.STRING), "b", "ä", "a", "b", "a") == "a"
    assert over(aggregate("MODE", ValueType.BOOLEAN), True, False, True) is True
    early, late = datetime(2012, 5, 7, tzinfo=UTC), datetime(2012, 5, 8, tzinfo=UTC)
    assert over(aggregate("MODE", ValueType.DATETIME), late, early) == early


def test_of_no_value_it_is_unbound() -> None:
    assert over(OF_NUMBERS, None) is None
    assert over_windows(OF_NUMBERS, [None, 5.0, None], [(0, 1), (0, 2), (2, 3)]) == [None, 5.0, None]


def test_nan_is_one_value_behind_all_numbers() -> None:
    assert over(OF_NUMBERS, math.nan, 7.0) == 7.0
    assert math.isnan(over(OF_NUMBERS, math.nan, 7.0, math.nan))


@given(st.lists(st.one_of(st.none(), st.integers(-2, 2)), min_size=1, max_size=14))
def test_it_is_the_least_of_the_standard_library_s_modes(values: list[int | None]) -> None:
    bound = [value for value in values if value is not None]
    assert over(aggregate("MODE", ValueType.INTEGER), *values) == min(statistics.multimode(bound), default=None)


def test_many_rows_are_taken_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MOST_ROWS", 3)
    assert over(OF_NUMBERS, 2.0, 1.0, 2.0, 1.0, 1.0, 5.0) == 1.0
