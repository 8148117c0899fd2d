"""Checked expressions: every name is resolved, every node has a type and its place in the text."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Literal

from ..source_text import Span
from .types import ValueType


@dataclass(frozen=True, slots=True)
class Constant:
    """A literal; IRIs are constants of type IRI whose value is the IRI's text. A duration is a `timedelta`.

    A literal with a language tag is of type TERM and its value N-Triples text. `unit` is the IRI of a quantity's unit.
    """

    value: bool | int | float | str | datetime | timedelta
    type: ValueType
    span: Span
    unit: str | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Column:
    """A column of an event variable's candidates: `?e.flowrate`, `?e._time`, `?e._id`; `unit` is its attribute's.

    Where it is `wide`, its integers may have left 64 bits: another column has the doubles (`integer_width`).
    """

    variable: str
    name: str
    type: ValueType
    span: Span
    unit: str | None = field(default=None, compare=False)
    wide: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True)
class Binding:
    """A semantic variable `?name`, bound by a PATH of event variable `variable`; its column is called `?name`.

    So is an attribute of the context window in which the variable's event lies, called `acc.name`; only that has a
    `unit`, and may be `wide` as a `Column` is.
    """

    variable: str
    name: str
    type: ValueType
    span: Span
    unit: str | None = field(default=None, compare=False)
    wide: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True)
class Unary:
    """`NOT x` or `-x`."""

    operator: Literal["NOT", "-"]
    operand: Expression
    type: ValueType
    span: Span


BinaryOperator = Literal["OR", "AND", "=", "!=", "<", "<=", ">", ">=", "+", "-", "*", "/", "%"]


@dataclass(frozen=True, slots=True)
class Binary:
    """An infix operation with SPARQL's meaning: an unbound operand or an error makes it unbound."""

    operator: BinaryOperator
    left: Expression
    right: Expression
    type: ValueType
    span: Span


@dataclass(frozen=True, slots=True)
class Membership:
    """`x IN (a, b)`; `NOT IN` is a `Unary` around it."""

    operand: Expression
    options: tuple[Constant, ...]
    type: ValueType
    span: Span


class Intrinsic(StrEnum):
    """Functions that are more than what their entries say of values: others look for their calls."""

    PREV = "PREV"
    """Looks back, which only patterns can."""
    CONVERT = "CONVERT"
    """With factor and offset; it makes a unit."""
    EXACT = "EXACT"
    """An integer as far as it has 64 bits; no query can write it."""
    DOUBLE = "DOUBLE"
    """A number as a double; no query can write it."""
    OVERFLOW = "OVERFLOW"
    """A value, or what it is where an integer has left 64 bits; no query can write it."""


@dataclass(frozen=True, slots=True)
class Call:
    """A scalar function by its upper-case name (`ABS`, `IF`, `REGEX`, …, or an `Intrinsic`)."""

    function: str
    arguments: tuple[Expression, ...]
    type: ValueType
    span: Span


@dataclass(frozen=True, slots=True)
class Aggregate:
    """An aggregate by its upper-case name.

    Attributes:
        function: its name.
        variable: the event variable whose window or run is aggregated.
        argument: what is aggregated; `None` in `COUNT(?e)`.
        distinct: `COUNT(DISTINCT …)`.
        running: `RUNNING` stood before it.
        parameters: the numbers behind the argument, as the `k` of `FIRST(x, k)`; one that says the default is left out.
    """

    function: str
    variable: str
    argument: Expression | None
    type: ValueType
    span: Span
    distinct: bool = False
    running: bool = False
    parameters: tuple[int | float, ...] = ()


Expression = Constant | Column | Binding | Unary | Binary | Membership | Call | Aggregate
