"""What generated conditions call: SPARQL's operators on single values.

Unbound is `None`; `NOTHING` is what stands before the first event of a run (see `scalar`).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

from .frames import FIRST_MOMENT, LAST_MOMENT

__all__ = ["NOTHING", "narrow"]


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


def rescued(known: Callable[[], object], otherwise: Callable[[], object]) -> object:
    """OVERFLOW: what is known, else the other."""
    value = known()
    return otherwise() if value is None else value


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


def add_integers(a: int | None, b: int | None) -> int | None:
    """`+`; beyond 64 bits unbound."""
    return None if a is None or b is None else narrow(a + b)


def subtract_integers(a: int | None, b: int | None) -> int | None:
    """`-`; beyond 64 bits unbound."""
    return None if a is None or b is None else narrow(a - b)


def multiply_integers(a: int | None, b: int | None) -> int | None:
    """`*`; beyond 64 bits unbound."""
    return None if a is None or b is None else narrow(a * b)


def narrow(value: int) -> int | None:
    """An integer of 64 bits; beyond them unbound."""
    return value if -_WIDTH <= value < _WIDTH else None


def add(a: Any, b: Any) -> Any:
    """`+` of doubles."""
    return None if a is None or b is None else a + b


def subtract(a: Any, b: Any) -> Any:
    """`-` of doubles, or of two moments."""
    return None if a is None or b is None else a - b


def add_to_moment(a: int | None, b: int | None) -> int | None:
    """`+` of a moment and a duration; beyond the calendar unbound."""
    return None if a is None or b is None else in_years(a + b)


def subtract_from_moment(a: int | None, b: int | None) -> int | None:
    """`-` of a moment and a duration; beyond the calendar unbound."""
    return None if a is None or b is None else in_years(a - b)


def in_years(moment: int) -> int | None:
    """A moment of the years 1 to 9999; another is unbound."""
    return moment if FIRST_MOMENT <= moment <= LAST_MOMENT else None


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
