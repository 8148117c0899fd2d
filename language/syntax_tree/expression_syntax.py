"""Expressions as written."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Literal

from ..nodes import BinaryOperator
from .syntax_node import Name, Node, Reference, Variable

__all__ = [
    "AttributeReference",
    "BinaryExpression",
    "BooleanLiteral",
    "ConstantExpression",
    "DurationLiteral",
    "Expression",
    "FunctionCall",
    "InPredicate",
    "NumberLiteral",
    "QuantityLiteral",
    "StringLiteral",
    "UnaryExpression",
]


@dataclass(frozen=True, slots=True)
class AttributeReference(Node):
    """`?e.name`, `?e.prefix:name`, `?e.<iri>`."""

    variable: Variable
    name: Name | Reference


@dataclass(frozen=True, slots=True)
class NumberLiteral(Node):
    """An integer, or (with point or exponent) a double."""

    value: int | float


@dataclass(frozen=True, slots=True)
class StringLiteral(Node):
    """A quoted literal, its escapes resolved."""

    value: str
    datatype: Reference | None
    language: str | None


@dataclass(frozen=True, slots=True)
class BooleanLiteral(Node):
    """`true` or `false`."""

    value: bool


@dataclass(frozen=True, slots=True)
class DurationLiteral(Node):
    """`5min`."""

    value: timedelta


@dataclass(frozen=True, slots=True)
class QuantityLiteral(Node):
    """A number with a unit."""

    number: NumberLiteral
    unit: Reference


ConstantExpression = NumberLiteral | StringLiteral | BooleanLiteral | DurationLiteral | QuantityLiteral | Reference


@dataclass(frozen=True, slots=True)
class UnaryExpression(Node):
    """`NOT x`, `-x`, `+x`."""

    operator: Literal["NOT", "-", "+"]
    operand: Expression


@dataclass(frozen=True, slots=True)
class BinaryExpression(Node):
    """An infix operation."""

    operator: BinaryOperator
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class InPredicate(Node):
    """`x IN (…)` or, `negated`, `x NOT IN (…)`."""

    operand: Expression
    options: tuple[Expression, ...]
    negated: bool


@dataclass(frozen=True, slots=True)
class FunctionCall(Node):
    """`function(arguments)`, perhaps `RUNNING` before it or `DISTINCT` inside."""

    function: Name
    arguments: tuple[Expression, ...]
    distinct: bool
    running: bool


Expression = (
    Variable | AttributeReference | ConstantExpression | UnaryExpression | BinaryExpression | InPredicate | FunctionCall
)
