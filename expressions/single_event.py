"""Aggregates over runs of one event as expressions over that event (docs/semantics.md 3.10)."""

from __future__ import annotations

from dataclasses import replace

from ..language import Span
from ..language.nodes import Aggregate, Binary, Call, Constant, Expression, Membership, Unary, ValueType

__all__ = ["of_single_events"]


def of_single_events(e: Expression) -> Expression:
    """`e` with its aggregates over runs of one event replaced by what they are."""
    match e:
        case Unary():
            return replace(e, operand=of_single_events(e.operand))
        case Binary():
            return replace(e, left=of_single_events(e.left), right=of_single_events(e.right))
        case Membership():
            return replace(e, operand=of_single_events(e.operand))
        case Call():
            return replace(e, arguments=tuple(of_single_events(argument) for argument in e.arguments))
        case Aggregate():
            return _over_one(e)
        case _:
            return e


def _over_one(e: Aggregate) -> Expression:
    x = e.argument
    one, zero = Constant(1, ValueType.INTEGER, e.span), Constant(0, ValueType.INTEGER, e.span)
    if x is None:
        return one
    unbound = Binary("/", zero, zero, ValueType.DOUBLE, e.span)
    match e.function:
        case "COUNT":
            bound = Call("BOUND", (x,), ValueType.BOOLEAN, e.span)
            return Call("IF", (bound, one, zero), ValueType.INTEGER, e.span)
        case "SUM":
            return Call("COALESCE", (_number(x, e.type), zero), e.type, e.span)
        case "AVG":
            return _number(x, ValueType.DOUBLE)
        case "STDDEV":
            return unbound
        case _:
            return x if e.offset == 0 else unbound


def _number(x: Expression, to: ValueType) -> Expression:
    if x.type is to:
        return x
    return Binary("*", x, Constant(1.0, ValueType.DOUBLE, Span(0, 0)), ValueType.DOUBLE, x.span)
