"""Aggregates over runs of one event are expressions over that event (docs/semantics.md 3.10)."""

from __future__ import annotations

import polars as pl
import pytest
from kaicep.expressions import of_single_events
from kaicep.expressions.columns import column_expression
from kaicep.language import Span
from kaicep.language.nodes import Aggregate, Binary, Call, Column, Constant, Expression, Membership, Unary, ValueType

HERE = Span(0, 0)
X = Column("b", "x", ValueType.DOUBLE, HERE)
N = Column("b", "n", ValueType.INTEGER, HERE)
ROWS = pl.DataFrame({"x": [1.5, None], "n": [3, None]}, schema_overrides={"n": pl.Int64})


def aggregate(function: str, argument: Expression | None, of: ValueType, offset: int = 0) -> Aggregate:
    return Aggregate(function, "b", argument, of, HERE, parameters=(offset,) if offset else ())


@pytest.mark.parametrize(
    ("e", "expected"),
    [
        (aggregate("COUNT", None, ValueType.INTEGER), [1, 1]),
        (aggregate("COUNT", X, ValueType.INTEGER), [1, 0]),
        (aggregate("SUM", X, ValueType.DOUBLE), [1.5, 0.0]),
        (aggregate("SUM", N, ValueType.INTEGER), [3, 0]),
        (aggregate("AVG", X, ValueType.DOUBLE), [1.5, None]),
        (aggregate("AVG", N, ValueType.DOUBLE), [3.0, None]),
        (aggregate("STDDEV", X, ValueType.DOUBLE), [None, None]),
        (aggregate("MIN", N, ValueType.INTEGER), [3, None]),
        (aggregate("LAST", X, ValueType.DOUBLE), [1.5, None]),
        (aggregate("FIRST", X, ValueType.DOUBLE, offset=1), [None, None]),
    ],
)
def test_run_of_one(e: Aggregate, expected: list[object]) -> None:
    frame = ROWS.with_columns(column_expression(of_single_events(e)).alias("value"))
    assert frame["value"].to_list() == expected


def test_aggregates_are_replaced_wherever_they_stand() -> None:
    total = aggregate("SUM", N, ValueType.INTEGER)
    one = Constant(3, ValueType.INTEGER, HERE)
    inside = Membership(Call("ABS", (total,), ValueType.INTEGER, HERE), (one,), ValueType.BOOLEAN, HERE)
    e = Unary("NOT", Binary("AND", inside, inside, ValueType.BOOLEAN, HERE), ValueType.BOOLEAN, HERE)
    frame = ROWS.with_columns(column_expression(of_single_events(e)).alias("value"))
    assert frame["value"].to_list() == [False, True]
