"""What conditions say of the extent of a window: how many events it has, how long it is (EStreams §5.1.1)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta

from .expression import Aggregate, Binary, Column, Constant, Expression, Unary
from .traversal import conjuncts, walk

__all__ = ["SpanBound", "bounds_window", "count_bound", "forgets_beginning", "span_bound"]

_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "="}
_LESS, _MORE = [("newest", 1), ("oldest", -1)], [("newest", -1), ("oldest", 1)]
_Term = tuple[int, str | timedelta]
"""Sign, and a span of time or which time stamp of the window it is."""


@dataclass(frozen=True, slots=True)
class SpanBound:
    """The time from the oldest to the newest event is at most so long; `strict`: less than that."""

    span: timedelta
    strict: bool


def bounds_window(condition: Expression) -> bool:
    """Whether windows of which a condition is true have a bounded number of events, or span a bounded time."""
    if isinstance(condition, Binary) and condition.operator == "OR":
        return bounds_window(condition.left) and bounds_window(condition.right)
    parts = conjuncts(condition)
    if len(parts) > 1:
        return any(map(bounds_window, parts))
    return count_bound(condition) is not None or span_bound(condition) is not None


def count_bound(condition: Expression) -> int | None:
    """How many events at most a window has of which a comparison is true; `None`: it does not say so."""
    match condition:
        case Binary(operator="<" | "<=" | "=" as operator, left=counted, right=Constant(value=int(most))):
            strict = operator == "<"
        case Binary(operator=">" | ">=" | "=" as operator, left=Constant(value=int(most)), right=counted):
            strict = operator == ">"
        case _:
            return None
    if not isinstance(counted, Aggregate) or counted.function != "COUNT" or counted.argument is not None:
        return None
    return max(0, most - strict)


def span_bound(condition: Expression) -> SpanBound | None:
    """How long a window is at most of which a comparison is true; `None`: it does not say so."""
    if not isinstance(condition, Binary) or condition.operator not in _TURNED:
        return None
    terms = [*_terms(condition.left, 1), *_terms(condition.right, -1)]
    moments = sorted((term, sign) for sign, term in terms if isinstance(term, str))
    operator = condition.operator if moments == _LESS else _TURNED[condition.operator]
    if moments not in (_LESS, _MORE) or operator not in ("<", "<=", "="):
        return None
    added = sum((sign * term for sign, term in terms if isinstance(term, timedelta)), timedelta(0))
    return SpanBound(-added if moments == _LESS else added, operator == "<")


def forgets_beginning(condition: Expression) -> bool:
    """Whether windows are, but for older events, the same without what came before any of the events.

    So it is where a window that begins later holds a condition as well, whatever the values are: of counts and spans of
    time from above, and of the new event alone. The first value is that of the last in windows of one value only.
    """
    return all(map(_forgets, conjuncts(condition)))


def _forgets(part: Expression) -> bool:
    match part:
        case Binary(operator="=", left=Aggregate() as first, right=Column() as last):
            return _is_first_of(first, last)
        case Binary(operator="=", left=Column() as last, right=Aggregate() as first):
            return _is_first_of(first, last)
        case Binary(operator="<" | "<=" | ">" | ">="):
            bounded = count_bound(part) is not None or span_bound(part) is not None
            return bounded or not any(isinstance(node, Aggregate) for node in walk(part))
    return not any(isinstance(node, Aggregate) for node in walk(part))


def _is_first_of(first: Aggregate, last: Column) -> bool:
    """Whether an aggregate is the first value in the window of what the new event has."""
    taken = first.argument
    plain = first.function == "FIRST" and not first.parameters and isinstance(taken, Column)
    return plain and isinstance(taken, Column) and (taken.variable, taken.name) == (last.variable, last.name)


def _terms(expression: Expression, sign: int) -> Iterator[_Term]:
    match expression:
        case Binary(operator="+", left=left, right=right):
            yield from _terms(left, sign)
            yield from _terms(right, sign)
        case Binary(operator="-", left=left, right=right):
            yield from _terms(left, sign)
            yield from _terms(right, -sign)
        case Unary(operator="-", operand=operand):
            yield from _terms(operand, -sign)
        case Constant(value=timedelta() as span):
            yield sign, span
        case _:
            yield sign, _moment(expression)


def _moment(expression: Expression) -> str:
    """Which time stamp of the window it is; empty: another one, or none."""
    match expression:
        case Column(name="_time") | Aggregate(function="LAST" | "MAX", argument=Column(name="_time"), parameters=()):
            return "newest"
        case Aggregate(function="FIRST" | "MIN", argument=Column(name="_time"), parameters=()):
            return "oldest"
        case _:
            return ""
