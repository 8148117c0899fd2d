"""Which integers may leave 64 bits, and where the double is that goes on in their place (docs/semantics.md 2.5)."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

from .expression import Aggregate, Binary, Binding, Call, Column, Expression, Intrinsic, Unary
from .types import ValueType

__all__ = ["COMPANION", "companion_of", "is_wide"]

COMPANION = "~double"
"""What the name of a hidden item or attribute ends with that holds the double where another's integer has left."""

Named = TypeVar("Named", bound=Column | Binding)
_CHOOSING = ("MIN", "MAX", "FIRST", "LAST", "MODE", "OLD", "NEW")
_KEEPING = ("COALESCE", "IF", "FLOOR", "CEIL", "ROUND", Intrinsic.PREV)


def is_wide(e: Expression) -> bool:
    """Whether it is an integer that may leave 64 bits."""
    if e.type is not ValueType.INTEGER:
        return False
    match e:
        case Column() | Binding():
            return e.wide
        case Unary() | Binary(operator="+" | "-" | "*") | Call(function="ABS") | Aggregate(function="SUM"):
            return True
        case Binary(left=left, right=right):
            return is_wide(left) or is_wide(right)
        case Call(function=function, arguments=arguments) if function in _KEEPING:
            return any(map(is_wide, arguments))
        case Aggregate(function=function, argument=argument) if function in _CHOOSING and argument is not None:
            return is_wide(argument)
        case _:
            return False


def companion_of(column: Named) -> Named:
    """What holds the double where the integer of a column, or of a window's attribute, has left."""
    return replace(column, name=f"{column.name}{COMPANION}", type=ValueType.DOUBLE, wide=False)
