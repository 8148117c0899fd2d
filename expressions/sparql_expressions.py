"""Checked expressions as SPARQL text, where that means the same (paper §5.2, Rules 1 and 2)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from ..language.nodes import (
    Aggregate,
    Binary,
    Binding,
    Call,
    Column,
    Constant,
    Expression,
    Intrinsic,
    Membership,
    Unary,
    ValueType,
    operands,
)
from .aggregates import AGGREGATES
from .functions import FUNCTIONS
from .operators import OPERATORS, Reference
from .refusal import RefusedError, demand_known_types
from .wide_integers import settled

__all__ = ["sparql_text"]

_ORDERED = frozenset(["<", "<=", ">", ">="])


def sparql_text(expression: Expression, value: Reference) -> str:
    """An expression as SPARQL.

    Raises:
        RefusedError: SPARQL has none that means the same.
    """
    return _text(settled(expression), value)


def _text(expression: Expression, value: Reference) -> str:
    match expression:
        case Constant() | Column() | Binding():
            return value(expression)
        case Unary():
            return _unary(expression, value)
        case Binary():
            left, right = _text(expression.left, value), _text(expression.right, value)
            return OPERATORS[expression.operator].sparql(expression, left, right, value)
        case Membership(operand=operand, options=options):
            demand_known_types([operand, *options])
            listed = ", ".join(value(option) for option in options)
            return f"({_text(operand, value)} IN ({listed}))"
        case Call():
            arguments = [_text(argument, value) for argument in expression.arguments]
            return FUNCTIONS[expression.function].sparql(expression, arguments)
        case Aggregate(function=function):
            return AGGREGATES[function].sparql(expression)
        case _:
            assert_never(expression)


def _of_numbers(node: Expression) -> Iterator[Expression]:
    """An expression and all below it, without the doubles that stand for integers: none of those is NaN."""
    yield node
    for operand in (
        node.arguments[:1] if isinstance(node, Call) and node.function == Intrinsic.OVERFLOW else operands(node)
    ):
        yield from _of_numbers(operand)


def _unary(node: Unary, value: Reference) -> str:
    if node.operator == "NOT":
        compared = (n for n in _of_numbers(node.operand) if isinstance(n, Binary) and n.operator in _ORDERED)
        if any(ValueType.DOUBLE in (n.left.type, n.right.type) for n in compared):
            raise RefusedError("NOT of a comparison with NaN differs between engines of SPARQL")
        return f"(! {_text(node.operand, value)})"
    return f"(- {_text(node.operand, value)})"
