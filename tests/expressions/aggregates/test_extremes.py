"""MIN and MAX: of anything that has an order."""

from __future__ import annotations

import math
from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st
from kaicep.language.nodes import ValueType
from support.aggregates import aggregate, over


def test_strings_booleans_and_moments_have_an_order() -> None:
    assert over(aggregate("MIN", ValueType.STRING), "ä", "z", "Z") == "Z"
    assert over(aggregate("MAX", ValueType.BOOLEAN), False, True) is True
    early, late = datetime(2012, 5, 7, tzinfo=UTC), datetime(2012, 5, 8, tzinfo=UTC)
    assert over(aggregate("MAX", ValueType.DATETIME), early, None, late) == late


def test_a_number_beats_nan() -> None:
    assert over(aggregate("MAX", ValueType.DOUBLE), math.nan, 1.0, math.nan) == 1.0
    assert math.isnan(over(aggregate("MIN", ValueType.DOUBLE), math.nan))


@given(st.lists(st.one_of(st.none(), st.integers(-99, 99)), min_size=1, max_size=9))
def test_they_are_python_s(values: list[int | None]) -> None:
    bound = [value for value in values if value is not None]
    assert over(aggregate("MIN", ValueType.INTEGER), *values) == min(bound, default=None)
    assert over(aggregate("MAX", ValueType.INTEGER), *values) == max(bound, default=None)
