"""Taking checked expressions apart."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, replace

from ..language import Span
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

__all__ = [
    "aggregates_of",
    "bindings_of",
    "columns_of",
    "conjuncts",
    "of_single_events",
    "signature",
    "variables_of",
    "walk",
]


def walk(e: Expression) -> Iterator[Expression]:
    """`e` and everything in it, outermost first."""
    yield e
    for part in _parts(e):
        yield from walk(part)


def _parts(e: Expression) -> tuple[Expression, ...]:
    match e:
        case Unary():
            return (e.operand,)
        case Binary():
            return (e.left, e.right)
        case Membership():
            return (e.operand,)
        case Call():
            return e.arguments
        case Aggregate():
            return () if e.argument is None else (e.argument,)
        case _:
            return ()


def columns_of(e: Expression) -> tuple[Column | Binding, ...]:
    """The columns and bindings that `e` mentions, also inside aggregates."""
    return tuple(node for node in walk(e) if isinstance(node, Column | Binding))


def aggregates_of(e: Expression) -> tuple[Aggregate, ...]:
    """The aggregates in `e`; they do not nest."""
    return tuple(node for node in walk(e) if isinstance(node, Aggregate))


def variables_of(e: Expression) -> frozenset[str]:
    """The event variables that `e` mentions."""
    return frozenset(node.variable for node in walk(e) if isinstance(node, Column | Binding | Aggregate))


def bindings_of(e: Expression) -> tuple[Binding, ...]:
    """The semantic variables that `e` mentions outside aggregates."""
    if isinstance(e, Binding):
        return (e,)
    return () if isinstance(e, Aggregate) else tuple(b for part in _parts(e) for b in bindings_of(part))


def conjuncts(e: Expression) -> tuple[Expression, ...]:
    """`e` cut at its outermost ANDs: `e` is true exactly when all of them are."""
    if isinstance(e, Binary) and e.operator == "AND":
        return conjuncts(e.left) + conjuncts(e.right)
    return (e,)


def signature(e: Expression) -> tuple[object, ...]:
    """What `e` says wherever it stands: equal for expressions that differ in their places alone."""
    values = (getattr(e, field.name) for field in fields(e) if field.name != "span")
    return (type(e).__name__, *(_signature_of(value) for value in values))


def _signature_of(value: object) -> object:
    if isinstance(value, tuple):
        return tuple(_signature_of(part) for part in value)
    return signature(value) if isinstance(value, Expression) else (type(value).__name__, value)


def of_single_events(e: Expression) -> Expression:
    """`e` with its aggregates over runs of one event replaced by what they are (docs/semantics.md 3.10)."""
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
