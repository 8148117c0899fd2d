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
from . import terms
from .arithmetic import arithmetic, negated
from .column_types import POLARS_TYPES, truth
from .functions import FUNCTIONS

__all__ = ["POLARS_TYPES", "Names", "column_expression", "plain_name"]

Names = Callable[[Column | Binding | Aggregate], str]
"""The name of the column that holds a node's value."""

_COMPARISONS = ("=", "!=", "<", "<=", ">", ">=")
_UNKNOWN = pl.lit(None, dtype=pl.Boolean)


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
    match e:
        case Constant():
            return _constant(e)
        case Column() | Binding() | Aggregate():
            return pl.col(names(e))
        case Unary():
            return _unary(e, names)
        case Binary():
            return _binary(e, names)
        case Membership():
            return _membership(e, names)
        case Call():
            return FUNCTIONS[e.function].column(e, [column_expression(argument, names) for argument in e.arguments])
        case _:
            assert_never(e)


def _constant(e: Constant) -> pl.Expr:
    wide = isinstance(e.value, int) and e.type is ValueType.INTEGER and not -(2**63) <= e.value < 2**63
    return pl.lit(e.value, dtype=pl.Int128() if wide else POLARS_TYPES[e.type])


def _unary(e: Unary, names: Names) -> pl.Expr:
    x, of = column_expression(e.operand, names), e.operand.type
    return truth(x, of).not_() if e.operator == "NOT" else negated(x, of)


def _binary(e: Binary, names: Names) -> pl.Expr:
    left, right = column_expression(e.left, names), column_expression(e.right, names)
    if e.operator == "AND":
        return truth(left, e.left.type) & truth(right, e.right.type)
    if e.operator == "OR":
        return truth(left, e.left.type) | truth(right, e.right.type)
    if e.operator in _COMPARISONS:
        return _compare(e.operator, left, e.left, right, e.right)
    return arithmetic(e.operator, left, e.left.type, right, e.right.type)


def _compare(operator: str, left: pl.Expr, left_node: Expression, right: pl.Expr, right_node: Expression) -> pl.Expr:
    of_left, of_right = left_node.type, right_node.type
    if of_left is ValueType.TERM or of_right is ValueType.TERM:
        return terms.compare(operator, left, of_left, right, of_right)
    if of_left.numeric and of_right.numeric:
        return _compare_numbers(operator, left, left_node, right, right_node)
    if of_left is ValueType.IRI and operator not in ("=", "!="):
        return _UNKNOWN
    if of_left is not of_right:  # an IRI is no literal; literals of different kinds are an error, as is order
        known = {"=": False, "!=": True}.get(operator) if ValueType.IRI in (of_left, of_right) else None
        return pl.when(left.is_not_null() & right.is_not_null()).then(pl.lit(known, dtype=pl.Boolean))
    if of_left is ValueType.BOOLEAN:
        left, right = left.cast(pl.Int8), right.cast(pl.Int8)
    return terms.apply(operator, left, right)


def _compare_numbers(
    operator: str, left: pl.Expr, left_node: Expression, right: pl.Expr, right_node: Expression
) -> pl.Expr:
    """Polars orders NaN above all numbers and equal to itself; IEEE 754 says that it compares with nothing."""
    if operator == "!=":
        return _compare_numbers("=", left, left_node, right, right_node).not_()
    guarded, node, other = (right, right_node, left) if operator in ("<", "<=") else (left, left_node, right)
    if operator == "=" and not _may_be_nan(node):
        guarded, node, other = right, right_node, left
    plain = terms.apply(operator, left, right)
    if not _may_be_nan(node) or (operator == "=" and not _may_be_nan(left_node)):
        return plain
    return plain & (guarded.is_not_nan() | other.is_null())


def _may_be_nan(e: Expression) -> bool:
    constant = isinstance(e, Constant) and e.value == e.value
    return e.type is ValueType.DOUBLE and not constant


def _membership(e: Membership, names: Names) -> pl.Expr:
    x = column_expression(e.operand, names)
    by_value = (ValueType.STRING, ValueType.IRI, ValueType.INTEGER)
    if e.operand.type in by_value and all(option.type is e.operand.type for option in e.options):
        options = [option.value for option in e.options]
        return x.is_in(pl.Series(options, dtype=POLARS_TYPES[e.operand.type]).implode())
    none: pl.Expr = pl.when(x.is_not_null()).then(statement=False)
    equal = (_compare("=", x, e.operand, _constant(option), option) for option in e.options)
    return reduce(lambda some, one: some | one, equal, none)
