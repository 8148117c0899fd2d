"""Bounds of single events that follow from JOINs: `?b.x - ?a.x > 50` and `?a.x > 500` give `?b.x > 550`.

They say nothing new. Asked of each event before events are joined, they leave fewer to join.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from ...language.nodes import (
    Binary,
    BinaryOperator,
    Column,
    Constant,
    Expression,
    Link,
    Query,
    SlidingWindow,
    ValueType,
    conjuncts,
)
from .pattern_dnf import disjuncts, vectorisable

__all__ = ["implied_filters"]

_FLIPPED: Mapping[str, BinaryOperator] = {">": "<", "<": ">", ">=": "<=", "<=": ">="}


@dataclass(frozen=True, slots=True)
class _Difference:
    """`greater - less > least`, as doubles are subtracted."""

    greater: Column
    less: Column
    least: float


def implied_filters(query: Query) -> dict[str, tuple[Expression, ...]]:
    """Conditions on single events, by variable, that every match fulfils anyway.

    Rounding is monotonic: where `b - a > c` is true of doubles and `a >= d`, `b > c + d` is true of real numbers.
    """
    if not _asked_of_every_match(query):
        return {}
    floors, ceilings = _bounds(query, ">"), _bounds(query, "<")
    found: dict[str, tuple[Expression, ...]] = {}
    for difference in (d for join in query.joins for part in conjuncts(join) for d in _differences(part)):
        for implied in _implied(difference, floors, ceilings):
            variable = implied.left.variable if isinstance(implied.left, Column) else ""
            found[variable] = (*found.get(variable, ()), implied)
    return found


def _asked_of_every_match(query: Query) -> bool:
    """Whether each JOIN is true of every match, and nothing but matches depends on which candidates there are."""
    if not query.joins or not vectorisable(query):
        return False
    if any(isinstance(w, SlidingWindow) and isinstance(w.extent, int) for w in query.windows):
        return False  # candidates are counted
    orders = disjuncts(query)
    return len(orders) == 1 and not orders[0].negations and set(orders[0].links.values()) <= {Link.ANY}


def _bounds(query: Query, operator: BinaryOperator) -> dict[tuple[str, str], float]:
    """By variable and column, a number that FILTERs say it is not below (`>`), or not above (`<`)."""
    found: dict[tuple[str, str], float] = {}
    choose = max if operator == ">" else min
    for e in (part for source in query.sources for f in source.filters for part in conjuncts(f)):
        for column, of_column, number in _comparisons(e):
            if of_column[0] == operator:
                key = column.variable, column.name
                found[key] = choose(number, found.get(key, number))
    return found


def _comparisons(e: Expression) -> Iterator[tuple[Column, BinaryOperator, float]]:
    """A comparison of a column with a number, the column on the left."""
    if not isinstance(e, Binary) or e.operator not in _FLIPPED:
        return
    for left, right, operator in ((e.left, e.right, e.operator), (e.right, e.left, _FLIPPED[e.operator])):
        number = _number(right)
        if isinstance(left, Column) and left.type is ValueType.DOUBLE and number is not None:
            yield left, operator, number


def _differences(e: Expression) -> Iterator[_Difference]:
    if not isinstance(e, Binary) or e.operator not in (">", "<"):
        return
    greater, less = (e.left, e.right) if e.operator == ">" else (e.right, e.left)
    if _doubles(greater, less):
        yield _Difference(greater, less, 0.0)  # type: ignore[arg-type]  # _doubles says so
    least, most = _number(less), _number(greater)
    match greater, less:
        case Binary(operator="-", left=Column() as a, right=Column() as b), _ if _doubles(a, b) and least is not None:
            yield _Difference(a, b, least)
        case _, Binary(operator="-", left=Column() as a, right=Column() as b) if _doubles(a, b) and most is not None:
            yield _Difference(b, a, -most)


def _doubles(*parts: Expression) -> bool:
    return all(isinstance(part, Column) and part.type is ValueType.DOUBLE for part in parts)


def _number(e: Expression) -> float | None:
    """The value of a finite number that a double holds exactly."""
    if not isinstance(e, Constant) or e.type not in (ValueType.INTEGER, ValueType.DOUBLE) or e.unit is not None:
        return None
    value = e.value
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return float(value) if float(value) == value else None


def _implied(
    d: _Difference, floors: Mapping[tuple[str, str], float], ceilings: Mapping[tuple[str, str], float]
) -> Iterator[Binary]:
    floor, ceiling = floors.get((d.less.variable, d.less.name)), ceilings.get((d.greater.variable, d.greater.name))
    if floor is not None:
        yield _compared(d.greater, ">", _rounded(Fraction(floor) + Fraction(d.least), -math.inf))
    if ceiling is not None:
        yield _compared(d.less, "<", _rounded(Fraction(ceiling) - Fraction(d.least), math.inf))


def _rounded(value: Fraction, towards: float) -> float:
    """The nearest double that is not beyond `value`, seen from `towards`."""
    greatest = Fraction(sys.float_info.max)
    if abs(value) > greatest:
        return math.copysign(sys.float_info.max, value) if (value > 0) != (towards > 0) else towards
    nearest = float(value)
    beyond = Fraction(nearest) > value if towards < 0 else Fraction(nearest) < value
    return math.nextafter(nearest, towards) if beyond else nearest


def _compared(column: Column, operator: BinaryOperator, number: float) -> Binary:
    bound = Constant(number, ValueType.DOUBLE, column.span)
    return Binary(operator, column, bound, ValueType.BOOLEAN, column.span)
