"""Thresholds are true where the expression is, of numbers, NaN and null."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from kaicep import Project
from kaicep.expressions import Threshold, column_expression, doubles_of, threshold_of
from kaicep.language.nodes import Expression

_STREAM = {
    "event_type": "<urn:R>",
    "time": {"attribute": "at"},
    "attributes": {"x": {"datatype": "xsd:double"}, "n": {"datatype": "xsd:integer"}},
}
_VALUES = [None, float("nan"), -1.0, 0.0, -0.0, 2.5, 3.0, 3.5, float("inf"), float("-inf")]


def condition(text: str) -> Expression:
    project = Project.parse({"streams": {"air": _STREAM}})
    return project.compile(f"SELECT ?e.x FILTER ({text})")[-1].sources[0].filters[0]


@pytest.mark.parametrize(
    "text", ["?e.x > 3", "?e.x >= 3.0", "2 + 0.5 < ?e.x", "1 + 2 >= ?e.x", "?e.x <= -1", "?e.x < 0"]
)
def test_a_threshold_is_true_where_its_condition_is(text: str) -> None:
    found, frame = threshold_of(condition(text)), pl.DataFrame({"x": pl.Series(_VALUES, dtype=pl.Float64)})
    assert found is not None
    told = frame.select(column_expression(condition(text)).fill_null(value=False)).to_series().to_list()
    assert found.passed(frame["x"].to_numpy()).tolist() == told


@pytest.mark.parametrize("text", ["?e.n != 3", "?e.x = 3", "?e.x > ?e.n", "?e.x + 1 > 3", "?e.x > 1 AND ?e.x < 3"])
def test_other_conditions_are_none(text: str) -> None:
    assert threshold_of(condition(text)) is None


@pytest.mark.parametrize("text", ["?e.n > 3", "?e.n >= 2.5", "3 > ?e.n", "?e.n <= -1"])
def test_so_is_one_of_integers(text: str) -> None:
    found, frame = (
        threshold_of(condition(text)),
        pl.DataFrame({"n": pl.Series([None, -2, -1, 0, 2, 3, 4], dtype=pl.Int64)}),
    )
    values = doubles_of(frame["n"])
    assert found is not None
    assert values is not None
    told = frame.select(column_expression(condition(text)).fill_null(value=False)).to_series().to_list()
    assert found.passed(values).tolist() == told


def test_what_no_double_is_exactly_is_none() -> None:
    """A double near it is another number."""
    assert threshold_of(condition("?e.x > 9007199254740993")) is None
    assert threshold_of(condition("?e.x > 9007199254740992")) == Threshold("x", ">", float(2**53))


def test_nan_stands_for_null() -> None:
    """Neither compares with anything."""
    assert not Threshold("x", "<=", 0.0).passed(np.array([np.nan])).any()
