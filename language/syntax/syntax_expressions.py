"""Expressions as written: names are not looked up. `syntax` has the rest of the tree and all of these names."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Literal

from ..nodes import BinaryOperator, Span


@dataclass(frozen=True, slots=True)
class Name:
    """A plain name: of an attribute, a stream, a query, an item, a function."""

    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class Prefixed:
    """`prefix:local`, escapes already resolved."""

    prefix: str
    local: str
    span: Span


@dataclass(frozen=True, slots=True)
class Iri:
    """`<iri>`."""

    text: str
    span: Span


Reference = Prefixed | Iri


@dataclass(frozen=True, slots=True)
class Variable:
    """`?name`: of an event, or semantic; the text alone does not say."""

    name: str
    span: Span


@dataclass(frozen=True, slots=True)
class Attribute:
    """`?e.name`, `?e.prefix:name`, `?e.<iri>`."""

    variable: Variable
    name: Name | Reference
    span: Span


@dataclass(frozen=True, slots=True)
class Number:
    """An integer, or (with point or exponent) a double."""

    value: int | float
    span: Span


@dataclass(frozen=True, slots=True)
class String:
    """A quoted literal, its escapes resolved."""

    value: str
    datatype: Reference | None
    language: str | None
    span: Span


@dataclass(frozen=True, slots=True)
class Boolean:
    """`true` or `false`."""

    value: bool
    span: Span


@dataclass(frozen=True, slots=True)
class Duration:
    """`5min`."""

    value: timedelta
    span: Span


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number with a unit."""

    number: Number
    unit: Reference
    span: Span


@dataclass(frozen=True, slots=True)
class Unary:
    """`NOT x`, `-x`, `+x`."""

    operator: Literal["NOT", "-", "+"]
    operand: Expression
    span: Span


@dataclass(frozen=True, slots=True)
class Binary:
    """An infix operation."""

    operator: BinaryOperator
    left: Expression
    right: Expression
    span: Span


@dataclass(frozen=True, slots=True)
class Membership:
    """`x IN (…)` or, `negated`, `x NOT IN (…)`."""

    operand: Expression
    options: tuple[Expression, ...]
    negated: bool
    span: Span


@dataclass(frozen=True, slots=True)
class Call:
    """`function(arguments)`, perhaps `RUNNING` before it or `DISTINCT` inside."""

    function: Name
    arguments: tuple[Expression, ...]
    distinct: bool
    running: bool
    span: Span


Expression = (
    Variable
    | Attribute
    | Number
    | String
    | Boolean
    | Duration
    | Quantity
    | Prefixed
    | Iri
    | Unary
    | Binary
    | Membership
    | Call
)
