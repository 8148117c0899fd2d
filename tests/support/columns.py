"""Checked expressions by hand, and what they give for columns of values."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import polars as pl
from kaicep.expressions.columns import POLARS_TYPES, column_expression
from kaicep.language import Span
from kaicep.language.nodes.expression import Binary, BinaryOperator, Call, Column, Constant, Expression
from kaicep.language.nodes.types import XSD, ValueType

HERE = Span(0, 0)
INF, NAN = math.inf, math.nan
BOOLEAN, INTEGER, DOUBLE, STRING = ValueType.BOOLEAN, ValueType.INTEGER, ValueType.DOUBLE, ValueType.STRING
DATETIME, DURATION, IRI, TERM = ValueType.DATETIME, ValueType.DURATION, ValueType.IRI, ValueType.TERM
MOMENT = datetime(2012, 5, 7, 9, 30, 1, 500_000, tzinfo=UTC)


def typed(text: str, datatype: str) -> str:
    return f'"{text}"^^<{XSD}{datatype}>'


def column(of: ValueType, name: str = "a") -> Column:
    return Column("e", name, of, HERE)


def constant(value: Any, of: ValueType) -> Constant:
    return Constant(value, of, HERE)


def binary(operator: BinaryOperator, left: Expression, right: Expression, of: ValueType = BOOLEAN) -> Binary:
    return Binary(operator, left, right, of, HERE)


def call(function: str, of: ValueType, *arguments: Expression) -> Call:
    return Call(function, arguments, of, HERE)


def values(e: Expression, **columns: tuple[ValueType, Any]) -> list[Any]:
    """The value of an expression for each row; its type has to be the announced one."""
    frame = pl.DataFrame([pl.Series(name, given, POLARS_TYPES[of]) for name, (of, given) in columns.items()])
    found = frame.with_columns(column_expression(e).alias("value"))["value"]
    assert found.dtype == POLARS_TYPES[e.type]
    return found.to_list()


def of_pairs(operator: BinaryOperator, of: ValueType, kind: ValueType, pairs: Sequence[tuple[Any, Any]]) -> list[Any]:
    """An operation on two columns of type `kind`."""
    e = binary(operator, column(kind, "a"), column(kind, "b"), of)
    a, b = zip(*pairs, strict=True)
    return values(e, a=(kind, a), b=(kind, b))
