"""Values of one type taken as another, as SPARQL does."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import polars as pl
from kaicep.expressions import POLARS_TYPES
from kaicep.expressions.column_types import converted, moment, number, text, truth
from kaicep.language.nodes import ValueType
from support.columns import DATETIME, DOUBLE, INTEGER, STRING, TERM, typed

TERMS = [typed("5", "integer"), '"x"', typed("2012-05-07T00:00:00Z", "dateTime"), "<http://x>", None]


def of_terms(e: pl.Expr) -> list[Any]:
    return pl.DataFrame({"x": TERMS}).select(e).to_series().to_list()


X = pl.col("x")


def test_of_terms_only_those_of_the_wanted_type_are_taken() -> None:
    assert of_terms(number(X, TERM)) == [5.0, None, None, None, None]
    assert of_terms(text(X, TERM)) == [None, "x", None, None, None]
    assert of_terms(moment(X, TERM)) == [None, None, datetime(2012, 5, 7, tzinfo=UTC), None, None]


def test_truth_is_the_effective_boolean_value() -> None:
    assert of_terms(truth(X, TERM)) == [True, True, None, None, None]
    assert of_terms(truth(X, DATETIME)) == [None]


def test_narrow_types_become_wider_ones() -> None:
    frame = pl.DataFrame({"x": [1, None]})
    assert frame.select(converted(X, INTEGER, DOUBLE)).to_series().to_list() == [1.0, None]
    assert frame.select(converted(X, INTEGER, TERM)).to_series().to_list() == [typed("1", "integer"), None]
    assert frame.select(converted(X, INTEGER, INTEGER)).to_series().to_list() == [1, None]
    assert pl.DataFrame({"x": ["a"]}).select(converted(X, STRING, TERM)).item() == '"a"'


def test_every_type_has_a_column_type() -> None:
    assert POLARS_TYPES.keys() == set(ValueType)
