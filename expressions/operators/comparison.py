"""Comparisons: of values of one kind by value; an IRI equals IRIs alone; NaN compares with nothing.

Source: SPARQL 1.1 §17.3, §17.4.1.7 (RDFterm-equal).
"""

from __future__ import annotations

import operator as python
from collections.abc import Callable
from typing import Any, Literal

import polars as pl

from ...language.nodes import Binary, Constant, Expression, ValueType
from .. import terms
from ..refusal import RefusedError, demand_known_types
from .infix_operator import InfixOperator, Reference

__all__ = ["AT_LEAST", "AT_MOST", "EQUAL", "GREATER", "LESS", "UNEQUAL", "equal_columns"]

_Symbol = Literal["=", "!=", "<", "<=", ">", ">="]
_PLAIN = frozenset(ValueType) - {ValueType.IRI, ValueType.TERM}
_IN_SPARQL = _PLAIN - {ValueType.BOOLEAN}


def _compare(symbol: _Symbol, left: pl.Expr, left_node: Expression, right: pl.Expr, right_node: Expression) -> pl.Expr:
    of_left, of_right = left_node.type, right_node.type
    if of_left is ValueType.TERM or of_right is ValueType.TERM:
        return terms.compare(symbol, left, of_left, right, of_right)
    if of_left.numeric and of_right.numeric:
        return _compare_numbers(symbol, left, left_node, right, right_node)
    if of_left is ValueType.IRI and symbol not in ("=", "!="):
        return pl.lit(None, dtype=pl.Boolean)
    if of_left is not of_right:  # an IRI is no literal; literals of different kinds are an error, as is order
        known = {"=": False, "!=": True}.get(symbol) if ValueType.IRI in (of_left, of_right) else None
        return pl.when(left.is_not_null() & right.is_not_null()).then(pl.lit(known, dtype=pl.Boolean))
    if of_left is ValueType.BOOLEAN:
        left, right = left.cast(pl.Int8), right.cast(pl.Int8)
    return terms.apply(symbol, left, right)


def _compare_numbers(
    symbol: _Symbol, left: pl.Expr, left_node: Expression, right: pl.Expr, right_node: Expression
) -> pl.Expr:
    """Polars orders NaN above all numbers and equal to itself; IEEE 754 says that it compares with nothing."""
    if symbol == "!=":
        return _compare_numbers("=", left, left_node, right, right_node).not_()
    guarded, node, other = (right, right_node, left) if symbol in ("<", "<=") else (left, left_node, right)
    if symbol == "=" and not _may_be_nan(node):
        guarded, node, other = right, right_node, left
    plain = terms.apply(symbol, left, right)
    if not _may_be_nan(node) or (symbol == "=" and not _may_be_nan(left_node)):
        return plain
    return plain & (guarded.is_not_nan() | other.is_null())


def _may_be_nan(e: Expression) -> bool:
    constant = isinstance(e, Constant) and e.value == e.value
    return e.type is ValueType.DOUBLE and not constant


def equal_columns(left: pl.Expr, left_node: Expression, right: pl.Expr, right_node: Expression) -> pl.Expr:
    """`left = right`."""
    return _compare("=", left, left_node, right, right_node)


def _comparison(symbol: _Symbol, doc: str, kernel: Callable[[Any, Any], Any], written: str) -> InfixOperator:
    ordered = symbol not in ("=", "!=")

    def scalar(e: Binary) -> Callable[[Any, Any], Any] | None:
        """Python compares numbers, and values of one plain type, as SPARQL does."""
        left, right = e.left.type, e.right.type
        plain = left is right and (left in _PLAIN or (left is ValueType.IRI and not ordered))
        return kernel if plain or (left.numeric and right.numeric) else None

    def sparql(e: Binary, left: str, right: str, _value: Reference) -> str:
        demand_known_types([e.left, e.right])
        if ordered and e.left.type not in _IN_SPARQL:
            raise RefusedError(f"SPARQL has no order for a {e.left.type}")
        return f"({left} {symbol} {right})"

    return InfixOperator(
        symbol,
        doc,
        column=lambda e, a, b: _compare(symbol, a, e.left, b, e.right),
        scalar=scalar,
        python=written,
        sparql=sparql,
    )


EQUAL = _comparison("=", "whether they are one value, or one IRI", python.eq, "==")
UNEQUAL = _comparison("!=", "whether they are different values", python.ne, "!=")
LESS = _comparison("<", "whether it is less; strings by code points", python.lt, "<")
AT_MOST = _comparison("<=", "whether it is less or equal", python.le, "<=")
GREATER = _comparison(">", "whether it is greater", python.gt, ">")
AT_LEAST = _comparison(">=", "whether it is greater or equal", python.ge, ">=")
