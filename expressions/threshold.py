"""A column of numbers compared with a value: the commonest condition, asked of an array without an expression."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import polars as pl

from ..language.nodes import Binary, Column, Constant, Expression, ValueType, columns_of, uses_bindings
from .columns import column_expression
from .frames import Bools

__all__ = ["COMPARED", "Threshold", "threshold_of"]

_EXACT = 2**53
COMPARED: Final[Mapping[str, Callable[[Any, Any], Any]]] = {
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
}
"""What compares arrays, by how a threshold is written."""
_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


@dataclass(frozen=True, slots=True)
class Threshold:
    """A column that is to lie above or below a value.

    Attributes:
        column: the plain name of a column of doubles, or of integers that keep 64 bits.
        symbol: how it is compared: <, <=, >, >=.
        value: with what.
    """

    column: str
    symbol: str
    value: float

    def passed(self, values: npt.NDArray[np.float64]) -> Bools:
        """Of which values it is true; NaN, which stands for null too, compares with nothing."""
        compared: Bools = COMPARED[self.symbol](values, self.value)
        return compared


def threshold_of(condition: Expression) -> Threshold | None:
    """The threshold that a condition is; `None`: it is another condition."""
    if not isinstance(condition, Binary) or condition.operator not in COMPARED:
        return None
    left, right = condition.left, condition.right
    symbol: str = condition.operator
    if isinstance(right, Column):
        left, right, symbol = right, left, _TURNED[symbol]
    if not isinstance(left, Column) or left.type not in (ValueType.DOUBLE, ValueType.INTEGER) or left.wide:
        return None
    value = _value_of(right)
    return None if value is None else Threshold(left.name, symbol, value)


def _value_of(e: Expression) -> float | None:
    """What an expression without columns is, where a double is exactly that."""
    if not e.type.numeric or uses_bindings(e) or any(True for _ in columns_of(e)):
        return None
    value = e.value if isinstance(e, Constant) else pl.select(column_expression(e)).item()
    if isinstance(value, float) or (isinstance(value, int) and abs(value) <= _EXACT):
        return float(value)
    return None
