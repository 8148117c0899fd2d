"""Queries that differ in how tight they are alone: what a tighter one finds, a looser one finds as well.

How far apart the events of a match lie, and the numbers that they are compared with, are *bounds*: the greater, the
looser. Queries that are equal but for bounds are searched for once, with the loosest of them, and each keeps of what is
found what its own allow. Source: CAESAR §5.3 (sharing), H2O §IV (cover); docs/decisions/255.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import timedelta
from math import isfinite

from ...expressions import micros
from ...language.nodes import (
    AfterMatchKind,
    Binary,
    Constant,
    CorrelationWindow,
    Expression,
    Kind,
    Negation,
    Query,
    ValueType,
    Window,
    conjuncts,
    is_plain_sequence,
    negated_variables,
    variables_of,
    walk_pattern,
)
from ..settled_query import settled_query
from .query_partition import is_joint

__all__ = ["Bounds", "LooseForm", "bounded_joins", "is_loose", "loose_form", "loosened", "loosest"]

Bounds = tuple[float, ...]
"""One of each place where queries may differ, in order: the greater, the looser."""

_LESS, _GREATER = ("<", "<="), (">", ">=")
_Change = Callable[[float], float]


@dataclass(frozen=True, slots=True)
class LooseForm:
    """A query without its bounds.

    Attributes:
        query: equal, but for places, for queries that differ in bounds alone.
        bounds: this query's.
    """

    query: Query
    bounds: Bounds


def is_loose(query: Query) -> bool:
    """Whether a query in no context has bounds, and its matches follow from candidates alone."""
    apart = query.in_context is not None or query.change is not None or query.rule is not None or is_joint(query)
    if apart or query.kind is not Kind.PATTERN or query.after_match.kind is not AfterMatchKind.KEEP_ALL:
        return False
    bound = any(source.bindings or source.window_attributes for source in query.sources)
    in_time = all(isinstance(window, CorrelationWindow) for window in query.windows)
    return in_time and not bound and is_plain_sequence(query.pattern) and bool(loose_form(query).bounds)


def loose_form(query: Query) -> LooseForm:
    """Take the bounds out of a query that is `is_shared` or `is_loose`; it is settled then."""
    found: list[float] = []

    def taken(bound: float) -> float:
        found.append(bound)
        return type(bound)(0)

    return LooseForm(_with_bounds(settled_query(query), taken), tuple(found))


def loosened(query: Query, bounds: Bounds) -> Query:
    """The same query with other bounds.

    Args:
        query: settled.
        bounds: as many as its own.
    """
    left = iter(bounds)
    return _with_bounds(query, lambda _: next(left))


def loosest(bounds: Iterable[Bounds]) -> Bounds:
    """The bounds that let in whatever one of them does."""
    return tuple(map(max, zip(*bounds, strict=True)))


def bounded_joins(query: Query) -> tuple[Expression, ...]:
    """The comparisons of a query's JOINs that have bounds."""
    negated = negated_variables(query.pattern)
    parts = [part for join in query.joins for part in conjuncts(join)]
    return tuple(part for part in parts if _compared(part, negated, lambda bound: bound) is not None)


def _with_bounds(query: Query, change: _Change) -> Query:
    negated = negated_variables(query.pattern)
    joins = tuple(_joined(join, negated, change) for join in query.joins)
    # How far a NOT with FOR looks does not follow from windows, how far another one does follows from the shortest.
    parts = () if query.pattern is None else tuple(walk_pattern(query.pattern))
    fixed = any(isinstance(part, Negation) and part.duration is not None for part in parts)
    windows = query.windows if fixed else tuple(_widened(window, change) for window in query.windows)
    return replace(query, joins=joins, windows=windows)


def _widened(window: Window, change: _Change) -> Window:
    if not isinstance(window, CorrelationWindow):
        return window
    return replace(window, width=timedelta(microseconds=change(micros(window.width))))


def _joined(e: Expression, negated: frozenset[str], change: _Change) -> Expression:
    if isinstance(e, Binary) and e.operator == "AND":
        left, right = (_joined(part, negated, change) for part in (e.left, e.right))
        return replace(e, left=left, right=right)
    return _compared(e, negated, change) or e


def _compared(e: Expression, negated: frozenset[str], change: _Change) -> Expression | None:
    """A comparison of events that a match binds with another bound; `None`: it is none, or has none."""
    if not isinstance(e, Binary) or e.operator not in (*_LESS, *_GREATER):
        return None
    variables = variables_of(e)
    if len(variables) < 2 or variables & negated:
        return None
    rising = 1 if e.operator in _LESS else -1  # the greater the right side, the looser
    right = _shifted(e.right, rising, change)
    if right is not None:
        return replace(e, right=right)
    left = _shifted(e.left, -rising, change)
    return None if left is None else replace(e, left=left)


def _shifted(side: Expression, rising: int, change: _Change) -> Expression | None:
    """One side of a comparison with another number: it is one, or doubles and a number that is added or taken away."""
    match side:
        case Constant():
            return _changed(side, rising, change)
        case Binary(operator="+" | "-", type=ValueType.DOUBLE):
            number = _changed(side.right, rising if side.operator == "+" else -rising, change)
            if number is not None:
                return replace(side, right=number)
            number = _changed(side.left, rising, change)
            return None if number is None else replace(side, left=number)
        case _:
            return None


def _changed(e: Expression, rising: int, change: _Change) -> Constant | None:
    if not isinstance(e, Constant) or not e.type.numeric or e.unit is not None:
        return None
    value = e.value
    if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
        return None
    return replace(e, value=rising * change(rising * value))
