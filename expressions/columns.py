"""Checked expressions as Polars expressions: whole columns at a time, with SPARQL's meaning.

Unbound and error are null; AND, OR and NOT are three-valued. Columns have the canonical type of their value type
(`POLARS_TYPES`). Source: SPARQL 1.1 §17 (operators, effective boolean value).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import assert_never

import polars as pl

from ..language.nodes import (
    Aggregate,
    Binary,
    Binding,
    Call,
    Column,
    Constant,
    Expression,
    Membership,
    Unary,
    ValueType,
)
from .arithmetic import negated
from .column_types import POLARS_TYPES, truth
from .functions import FUNCTIONS
from .operators import OPERATORS, equal_columns
from .wide_integers import settled

__all__ = ["POLARS_TYPES", "Names", "column_expression", "plain_name"]

Names = Callable[[Column | Binding | Aggregate], str]
"""The name of the column that holds a node's value."""


def plain_name(node: Column | Binding | Aggregate) -> str:
    """The column of a node in a table of one variable's candidates; aggregates have none there."""
    match node:
        case Column():
            return node.name
        case Binding():
            return f"?{node.name}"
        case Aggregate():
            message = f"{node.function} has no column among candidates"
            raise ValueError(message)


def column_expression(e: Expression, names: Names = plain_name) -> pl.Expr:
    """The Polars expression that computes `e` for every row of a frame.

    Args:
        e: a checked expression.
        names: where the frame holds the values of columns, bindings and aggregates.

    Returns:
        An expression of type `POLARS_TYPES[e.type]`; null where `e` is unbound or an error.
    """
    return _column_expression(settled(e), names)


def _column_expression(e: Expression, names: Names) -> pl.Expr:
    match e:
        case Constant():
            return _constant(e)
        case Column() | Binding() | Aggregate():
            return pl.col(names(e))
        case Unary():
            return _unary(e, names)
        case Binary():
            left, right = _column_expression(e.left, names), _column_expression(e.right, names)
            return OPERATORS[e.operator].column(e, left, right)
        case Membership():
            return _membership(e, names)
        case Call():
            return FUNCTIONS[e.function].column(e, [_column_expression(argument, names) for argument in e.arguments])
        case _:
            assert_never(e)


def _constant(e: Constant) -> pl.Expr:
    wide = isinstance(e.value, int) and e.type is ValueType.INTEGER and not -(2**63) <= e.value < 2**63
    return pl.lit(e.value, dtype=pl.Int128() if wide else POLARS_TYPES[e.type])


def _unary(e: Unary, names: Names) -> pl.Expr:
    x, of = _column_expression(e.operand, names), e.operand.type
    return truth(x, of).not_() if e.operator == "NOT" else negated(x, of)


def _membership(e: Membership, names: Names) -> pl.Expr:
    x = _column_expression(e.operand, names)
    by_value = (ValueType.STRING, ValueType.IRI, ValueType.INTEGER)
    if e.operand.type in by_value and all(option.type is e.operand.type for option in e.options):
        options = [option.value for option in e.options]
        return x.is_in(pl.Series(options, dtype=POLARS_TYPES[e.operand.type]).implode())
    none: pl.Expr = pl.when(x.is_not_null()).then(statement=False)
    equal = (equal_columns(x, e.operand, _constant(option), option) for option in e.options)
    return reduce(lambda some, one: some | one, equal, none)
