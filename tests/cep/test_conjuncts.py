"""Aggregates over runs of one event are expressions over that event (docs/semantics.md 3.10)."""

from __future__ import annotations

import polars as pl
import pytest
from kaicep.cep.conjuncts import conjuncts, of_single_events, signature
from kaicep.expressions.columns import column_expression
from kaicep.language import Span
from kaicep.language.nodes import Aggregate, Binary, Call, Column, Constant, Expression, Membership, Unary, ValueType

HERE = Span(0, 0)
X = Column("b", "x", ValueType.DOUBLE, HERE)
N = Column("b", "n", ValueType.INTEGER, HERE)
ROWS = pl.DataFrame({"x": [1.5, None], "n": [3, None]}, schema_overrides={"n": pl.Int64})


def aggregate(function: str, argument: Expression | None, of: ValueType, offset: int = 0) -> Aggregate:
    return Aggregate(function, "b", argument, of, HERE, offset=offset)


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


def test_conjuncts_are_cut_at_the_outermost_ands() -> None:
    a, b = (Binary("=", X, Constant(n, ValueType.INTEGER, HERE), ValueType.BOOLEAN, HERE) for n in (1, 2))
    both = Binary("AND", a, b, ValueType.BOOLEAN, HERE)
    either = Binary("OR", both, a, ValueType.BOOLEAN, HERE)
    assert conjuncts(Binary("AND", either, both, ValueType.BOOLEAN, HERE)) == (either, a, b)


def test_signatures_leave_out_places_and_tell_types_apart() -> None:
    assert signature(X) == signature(Column("b", "x", ValueType.DOUBLE, Span(4, 9)))
    one, true = Constant(1, ValueType.INTEGER, HERE), Constant(value=True, type=ValueType.INTEGER, span=HERE)
    assert signature(one) != signature(true)
    assert signature(aggregate("AVG", X, ValueType.DOUBLE)) != signature(aggregate("AVG", N, ValueType.DOUBLE))
