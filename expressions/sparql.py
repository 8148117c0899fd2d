"""Checked expressions as SPARQL text, where that means the same (paper §5.2, Rules 1 and 2)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import assert_never

from ..language.nodes import (
    XSD,
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
    walk,
)
from .aggregates import AGGREGATES
from .functions import FUNCTIONS
from .refusal import RefusedError, demand_known_types

__all__ = ["Reference", "sparql_text"]

Reference = Callable[[Column | Binding | Constant], str]
"""SPARQL text of the value of a column, a semantic variable or a constant."""


_ORDERED = frozenset(["<", "<=", ">", ">="])
_ORDERABLE = frozenset([ValueType.INTEGER, ValueType.DOUBLE, ValueType.STRING, ValueType.DATETIME, ValueType.DURATION])
_DOUBLE = f"<{XSD}double>"
_LOGIC = {"AND": "&&", "OR": "||"}


def sparql_text(expression: Expression, value: Reference) -> str:
    """An expression as SPARQL.

    Raises:
        RefusedError: SPARQL has none that means the same.
    """
    match expression:
        case Constant() | Column() | Binding():
            return value(expression)
        case Unary():
            return _unary(expression, value)
        case Binary():
            return _binary(expression, value)
        case Membership(operand=operand, options=options):
            demand_known_types([operand, *options])
            listed = ", ".join(value(option) for option in options)
            return f"({sparql_text(operand, value)} IN ({listed}))"
        case Call():
            arguments = [sparql_text(argument, value) for argument in expression.arguments]
            return FUNCTIONS[expression.function].sparql(expression, arguments)
        case Aggregate(function=function):
            return AGGREGATES[function].sparql(expression)
        case _:
            assert_never(expression)


def _unary(node: Unary, value: Reference) -> str:
    if node.operator == "NOT":
        compared = (n for n in walk(node.operand) if isinstance(n, Binary) and n.operator in _ORDERED)
        if any(ValueType.DOUBLE in (n.left.type, n.right.type) for n in compared):
            raise RefusedError("NOT of a comparison with NaN differs between engines of SPARQL")
        return f"(! {sparql_text(node.operand, value)})"
    return f"(- {sparql_text(node.operand, value)})"


def _binary(node: Binary, value: Reference) -> str:
    left, right = sparql_text(node.left, value), sparql_text(node.right, value)
    match node.operator:
        case "AND" | "OR":
            return f"({left} {_LOGIC[node.operator]} {right})"
        case "=" | "!=" | "<" | "<=" | ">" | ">=":
            demand_known_types([node.left, node.right])
            if node.operator in _ORDERED and node.left.type not in _ORDERABLE:
                raise RefusedError(f"SPARQL has no order for a {node.left.type}")
            return f"({left} {node.operator} {right})"
        case "/" if ValueType.DURATION not in (node.left.type, node.right.type):
            if ValueType.DOUBLE not in (node.left.type, node.right.type):
                raise RefusedError("SPARQL divides integers into decimals")
            return f"({_DOUBLE}({left}) / {_DOUBLE}({right}))"
        case "-" if _countable(node.left) and _countable(node.right):
            return f"({left} - {right})"
        # Oxigraph sums and multiplies in an order of its own, which rounds otherwise, and finds no sum of a duration
        # and a moment in that order.
        case "+" if node.left.type.numeric and node.right.type.numeric:
            return f"({left} - (- {right}))"
        case "+" if node.left.type is ValueType.DATETIME and isinstance(node.right, Constant):
            return f"({left} - {value(_negative(node.right))})"
        case "*" if node.left.type.numeric and node.right.type.numeric and not _product(node.left, node.right):
            return f"({left} * {right})"
        case operator:
            raise RefusedError(f"SPARQL has no operator {operator} for a {node.left.type} and a {node.right.type}")


def _countable(node: Expression) -> bool:
    return node.type.numeric or node.type is ValueType.DATETIME or isinstance(node, Constant)


def _product(*factors: Expression) -> bool:
    return any(isinstance(factor, Binary) and factor.operator == "*" for factor in factors)


def _negative(duration: Constant) -> Constant:
    if not isinstance(duration.value, timedelta):
        raise RefusedError(f"SPARQL adds no {duration.type} to a moment")
    return replace(duration, value=-duration.value)
