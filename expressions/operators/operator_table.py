"""All infix operators, by symbol."""

from __future__ import annotations

from ...language.nodes import BinaryOperator
from .arithmetic_operators import DIVIDED, MINUS, PLUS, REMAINDER, TIMES
from .comparison import AT_LEAST, AT_MOST, EQUAL, GREATER, LESS, UNEQUAL
from .infix_operator import InfixOperator
from .logic import AND, OR

__all__ = ["OPERATORS"]

OPERATORS: dict[BinaryOperator, InfixOperator] = {
    operator.symbol: operator
    for operator in (
        *(OR, AND),
        *(EQUAL, UNEQUAL, LESS, AT_MOST, GREATER, AT_LEAST),
        *(PLUS, MINUS, TIMES, DIVIDED, REMAINDER),
    )
}
"""In the order of the reference."""
