"""What generated conditions call: SPARQL's operators on single values, and aggregates that grow event by event.

Unbound is `None`; `NOTHING` is what stands before the first event of a run (see `source`).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any, Final

__all__ = ["NOTHING"]


class _Nothing:
    """What stands before the first event of a run."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "NOTHING"


NOTHING: Final = _Nothing()
_WIDTH = 2**63


def excused(value: object) -> bool:
    """Whether a condition holds that may be `NOTHING`."""
    return value is NOTHING or truth(value)


def truth(value: object) -> bool:
    """Whether the effective boolean value is true."""
    return effective(value) is True


def effective(value: Any) -> Any:
    """The effective boolean value (SPARQL 1.1 §17.2.2), unbound and `NOTHING` as they are."""
    if value is None or value is NOTHING or isinstance(value, bool):
        return value
    return value == value and bool(value)  # noqa: PLR0124 - NaN is false


def _worst(*sides: object) -> object:
    """Of what has no truth: unbound, if there is one, else `NOTHING`."""
    return None if None in sides else NOTHING


def both(left: object, right: object) -> object:
    """AND."""
    if left is False or right is False:
        return False
    return True if left is True and right is True else _worst(left, right)


def either(left: object, right: object) -> object:
    """OR."""
    if left is True or right is True:
        return True
    return False if left is False and right is False else _worst(left, right)


def negation(value: object) -> object:
    """NOT."""
    return (not value) if isinstance(value, bool) else value


def is_bound(value: object) -> bool:
    """BOUND."""
    return value is not None and value is not NOTHING


def coalesce(*arguments: Callable[[], object]) -> object:
    """The first that is bound."""
    found: list[object] = []
    for argument in arguments:
        value = argument()
        if value is not None and value is not NOTHING:
            return value
        found.append(value)
    return _worst(*found)


def choose(test: object, yes: Callable[[], object], no: Callable[[], object]) -> object:
    """IF."""
    if test is True:
        return yes()
    return no() if test is False else test


def strict(operation: Callable[..., object], *operands: object) -> object:
    """An operation, unbound where an operand is."""
    if None in operands:
        return None
    if any(operand is NOTHING for operand in operands):
        return NOTHING
    return operation(*operands)


def as_double(value: Any) -> Any:
    """An integer as a double."""
    return float(value) if isinstance(value, int) else value


def equal(a: Any, b: Any) -> bool:
    """`=`."""
    return bool(a == b)


def differ(a: Any, b: Any) -> bool:
    """`!=`."""
    return bool(a != b)


def less(a: Any, b: Any) -> bool:
    """`<`."""
    return bool(a < b)


def at_most(a: Any, b: Any) -> bool:
    """`<=`."""
    return bool(a <= b)


def greater(a: Any, b: Any) -> bool:
    """`>`."""
    return bool(a > b)


def at_least(a: Any, b: Any) -> bool:
    """`>=`."""
    return bool(a >= b)


def add_integers(a: int | None, b: int | None) -> int | None:
    """`+`; beyond 64 bits unbound."""
    return None if a is None or b is None else _narrow(a + b)


def subtract_integers(a: int | None, b: int | None) -> int | None:
    """`-`; beyond 64 bits unbound."""
    return None if a is None or b is None else _narrow(a - b)


def multiply_integers(a: int | None, b: int | None) -> int | None:
    """`*`; beyond 64 bits unbound."""
    return None if a is None or b is None else _narrow(a * b)


def _narrow(value: int) -> int | None:
    return value if -_WIDTH <= value < _WIDTH else None


def add(a: Any, b: Any) -> Any:
    """`+` of doubles, or of moments and durations."""
    return None if a is None or b is None else a + b


def subtract(a: Any, b: Any) -> Any:
    """`-` of doubles, or of moments and durations."""
    return None if a is None or b is None else a - b


def multiply(a: Any, b: Any) -> Any:
    """`*` of doubles."""
    return None if a is None or b is None else float(a) * float(b)


def divide(a: Any, b: Any) -> float | None:
    """`/` of numbers one of which is a double, by IEEE 754; of integers, by 0 unbound."""
    if a is None or b is None:
        return None
    if b:
        return float(a) / float(b)
    if isinstance(a, int) and isinstance(b, int):
        return None
    if not a or math.isnan(a):
        return math.nan
    return math.copysign(math.inf, a) * math.copysign(1.0, b)


# Aggregates: `None` is the state of an empty run.

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
    return 0 if state is None else _narrow(state[1])


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


def taken(sides: frozenset[Any] | None, wanted: frozenset[Any]) -> bool:
    """Whether any of the wanted sides was taken."""
    return sides is not None and not wanted.isdisjoint(sides)
