"""What an aggregate is: everything that any part of the engine has to know of it, in one entry."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import polars as pl

from ...language import Span
from ...language.nodes import Aggregate, AggregateSignature, Binary, Constant, Expression, ValueType
from ..refusal import RefusedError
from .value_ranges import ValueRanges

__all__ = ["Accumulator", "AggregateFunction", "appended", "as_type", "left_to_operators", "unbound"]


@dataclass(frozen=True, slots=True)
class Accumulator:
    """An aggregate that grows event by event; `None` is its state before the first.

    Aggregates of one argument whose accumulators add in the same way share their state.

    Attributes:
        add: a state and the value of one event more, which may be unbound (`None`), in; the new state out.
        value: a state in, the aggregate out; `None`: unbound.
        in_place: the Python source of `add`, of a `{state}`, where that is shorter than a call; `None`: it is not.
    """

    add: Callable[[Any, Any], Any]
    value: Callable[[Any], Any]
    in_place: str | None = None


@dataclass(frozen=True, slots=True)
class AggregateFunction:
    """One aggregate.

    Attributes:
        name: in upper case.
        usage: how it is written, for the reference.
        doc: what it gives, in a line of the reference.
        signature: what the checker has to know.
        ranges: over ranges of rows, all at once: a column of one value per range.
        accumulator: event by event.
        single: over one event, as an expression of what it is taken of there.
        sparql: its text; refuses what would not mean the same.
    """

    name: str
    usage: str
    doc: str
    signature: AggregateSignature
    ranges: Callable[[Aggregate, ValueRanges], pl.Series]
    accumulator: Callable[[Aggregate], Accumulator]
    single: Callable[[Aggregate, Expression], Expression]
    sparql: Callable[[Aggregate], str]


def appended(state: tuple[Any, ...] | None, value: Any) -> tuple[Any, ...]:
    """One event more for what looks at all bound values."""
    return state or () if value is None else (*(state or ()), value)


def as_type(x: Expression, to: ValueType) -> Expression:
    """A number as a double, where a double is wanted."""
    if x.type is to:
        return x
    return Binary("*", x, Constant(1.0, ValueType.DOUBLE, Span(0, 0)), ValueType.DOUBLE, x.span)


def unbound(span: Span) -> Expression:
    """What is never bound."""
    zero = Constant(0, ValueType.INTEGER, span)
    return Binary("/", zero, zero, ValueType.DOUBLE, span)


def left_to_operators(e: Aggregate) -> str:
    """SPARQL says which events a window holds; what is computed of them is left to the operators.

    Raises:
        RefusedError: always: SPARQL's sums depend on their order, and its results are decimals.
    """
    raise RefusedError(f"{e.function} is taken over events that SPARQL has no order for")
