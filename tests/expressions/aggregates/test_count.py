"""COUNT: values, events, different values."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
from kaicep.expressions import accumulator_of, aggregate_ranges
from kaicep.language import Span
from kaicep.language.nodes import Aggregate, ValueType
from support.aggregates import aggregate, over, over_windows


def test_unbound_values_do_not_count() -> None:
    assert over(aggregate("COUNT", ValueType.STRING), "a", None, "a") == 2
    assert over(aggregate("COUNT", ValueType.STRING), None) == 0


def test_events_count_whatever_they_hold() -> None:
    events = Aggregate("COUNT", "e", None, ValueType.INTEGER, Span(0, 0))
    ids = pl.Series(["x", "y", "z"])
    assert aggregate_ranges(events, ids, np.array([0, 1]), np.array([3, 2])).to_list() == [3, 1]
    counter = accumulator_of(events)
    assert counter.value(counter.add(counter.add(None, "x"), None)) == 2
    assert counter.in_place is not None
    assert [eval(counter.in_place.format(state=state)) for state in (None, 4)] == [1, 5]  # noqa: S307 - its own source


def test_different_values_count_once_in_every_window() -> None:
    e = aggregate("COUNT", ValueType.DOUBLE, distinct=True)
    assert over(e, 1.0, 2.0, 1.0, None, 2.0, 3.0) == 3
    assert over(e, math.nan, math.nan, 0.0, -0.0) == 2
    assert over_windows(e, [1.0, 1.0, 2.0], [(0, 2), (0, 3), (1, 3)]) == [1, 2, 2]
