"""Aggregates that grow event by event: what generated steps call. `None` is the state of an empty run."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from .scalar_operators import NOTHING, narrow

__all__: list[str] = []

Sum = tuple[int, int, float | None]
"""How many values, their exact sum in units of 2**-1074, and the sum of those that are not finite."""
_UNITS = 1074


def add_double(state: Sum | None, value: float | None) -> Sum:
    """One event more for SUM and AVG of doubles."""
    count, exact, special = state or (0, 0, None)
    if value is None:
        return count, exact, special
    if not math.isfinite(value):
        return count + 1, exact, value if special is None else special + value
    numerator, denominator = value.as_integer_ratio()
    return count + 1, exact + (numerator << (_UNITS - denominator.bit_length() + 1)), special


def add_integer(state: tuple[int, int] | None, value: int | None) -> tuple[int, int]:
    """One event more for SUM and AVG of integers."""
    count, total = state or (0, 0)
    return (count, total) if value is None else (count + 1, total + value)


def double_sum(state: Sum | None) -> float:
    """SUM of doubles, correctly rounded."""
    if state is None:
        return 0.0
    _, exact, special = state
    if special is not None:
        return special
    try:
        return exact / (1 << _UNITS)
    except OverflowError:
        return math.copysign(math.inf, exact)


def integer_sum(state: tuple[int, int] | None) -> int | None:
    """SUM of integers; beyond 64 bits unbound."""
    return 0 if state is None else narrow(state[1])


def double_average(state: Sum | None) -> float | None:
    """AVG of doubles."""
    return None if state is None or not state[0] else double_sum(state) / state[0]


def integer_average(state: tuple[int, int] | None) -> float | None:
    """AVG of integers."""
    return None if state is None or not state[0] else float(state[1]) / state[0]


def count_bound(state: int | None, value: object) -> int:
    """One event more for COUNT of a value."""
    return (state or 0) + (value is not None)


def counted(state: int | None) -> int:
    """COUNT."""
    return state or 0


def add_distinct(state: frozenset[object] | None, value: object) -> frozenset[object]:
    """One event more for COUNT (DISTINCT …); NaN is one value."""
    known = state or frozenset()
    return known if value is None else known | {value if value == value else NOTHING}  # noqa: PLR0124 - NaN


def distinct(state: frozenset[object] | None) -> int:
    """COUNT (DISTINCT …)."""
    return len(state or ())


def least(state: tuple[Any, ...] | None, value: Any) -> tuple[Any, ...]:
    """One event more for MIN; a number beats NaN."""
    if value is None or (state and not (value < state[0] or state[0] != state[0])):
        return state or ()
    return (value,)


def most(state: tuple[Any, ...] | None, value: Any) -> tuple[Any, ...]:
    """One event more for MAX; a number beats NaN."""
    if value is None or (state and not (value > state[0] or state[0] != state[0])):
        return state or ()
    return (value,)


def only(state: tuple[Any, ...] | None) -> Any:
    """MIN and MAX."""
    return state[0] if state else None


def append(state: tuple[Any, ...] | None, value: Any) -> tuple[Any, ...]:
    """One event more for what looks at all values."""
    return state or () if value is None else (*(state or ()), value)


def nth(state: tuple[Any, ...] | None, offset: int) -> Any:
    """FIRST with an offset."""
    return state[offset] if state and offset < len(state) else None


def nth_last(state: tuple[Any, ...] | None, offset: int) -> Any:
    """LAST with an offset."""
    return state[-1 - offset] if state and offset < len(state) else None


def deviation(state: tuple[Any, ...] | None) -> float | None:
    """STDDEV: of the sample, from exact fractions."""
    if state is None or len(state) < 2:
        return None
    if not all(math.isfinite(value) for value in state):
        return math.nan
    exact = [Fraction(value) for value in state]
    mean = sum(exact, Fraction()) / len(exact)
    return math.sqrt(sum(((value - mean) ** 2 for value in exact), Fraction()) / (len(exact) - 1))
