"""Arithmetic on columns: of numbers, and of dateTimes and durations.

Source: XPath functions 3.1 §4.2 (numbers), §8.4, §9.7 (durations and dateTimes). Departures: decimals are doubles;
integers are 64 bits wide, beyond which a result is unbound; beyond the years 1 to 9999 there is no dateTime, beyond 64
bits of microseconds no duration, and both are errors.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, assert_never

import numpy as np
import polars as pl

from ..language.nodes import ValueType
from .column_types import number
from .frames import FIRST_MOMENT, LAST_MOMENT

_DURATION = pl.Duration("us")
_Symbol = Literal["+", "-", "*", "/", "%"]

__all__ = ["arithmetic", "ieee", "negated", "rounded"]


def arithmetic(operator: _Symbol, a: pl.Expr, of_a: ValueType, b: pl.Expr, of_b: ValueType) -> pl.Expr:
    """`a operator b`, one of + - * / %."""
    if {of_a, of_b} & {ValueType.DATETIME, ValueType.DURATION}:
        a, b = (number(x, of) if of.numeric else x for x, of in ((a, of_a), (b, of_b)))
        return _of_time(operator, a, of_a, b, of_b)
    a, b = number(a, of_a), number(b, of_b)
    return _of_integers(operator, a, b) if of_a is of_b is ValueType.INTEGER else _of_doubles(operator, a, b)


def negated(x: pl.Expr, of: ValueType) -> pl.Expr:
    """`-x`."""
    if of is ValueType.DURATION:
        return _narrow(pl.lit(0, dtype=pl.Int128) - x.cast(pl.Int64).cast(pl.Int128)).cast(_DURATION)
    if of is ValueType.INTEGER:
        return _narrow(pl.lit(0, dtype=pl.Int128) - x.cast(pl.Int128))
    return -number(x, of).cast(pl.Float64)


def rounded(x: pl.Expr) -> pl.Expr:
    """Half towards +∞; `floor(x + 0.5)` would round 0.49999999999999994 up."""
    below = x.floor()
    return pl.when(x - below >= 0.5).then(below + 1.0).otherwise(below)


def ieee(operation: np.ufunc, a: pl.Expr, b: pl.Expr) -> pl.Expr:
    """An operation on doubles by NumPy: Polars multiplies by 1/b instead of dividing by a constant b."""
    scalar = not (a.meta.root_names() or b.meta.root_names())  # of constants: one value for all rows

    def compute(pair: Sequence[pl.Series]) -> pl.Series | float | None:
        a, b = pair
        with np.errstate(all="ignore"):
            value = pl.Series(operation(a.to_numpy(), b.to_numpy()), dtype=pl.Float64)
        bound = pl.lit(a).is_not_null() & pl.lit(b).is_not_null()
        if a.has_nulls() or b.has_nulls():
            value = pl.select(pl.when(bound).then(pl.lit(value))).to_series()
        return value.item() if scalar else value

    return pl.map_batches([a, b], compute, return_dtype=pl.Float64, returns_scalar=scalar)


def _of_integers(operator: _Symbol, a: pl.Expr, b: pl.Expr) -> pl.Expr:
    if operator in "+-*":  # one operation on 64-bit integers cannot overflow 128 bits
        return _narrow(_apply(operator, a.cast(pl.Int128), b.cast(pl.Int128)))
    if operator == "%":
        floored = a % b  # by 0: null
        return floored - pl.when((floored != 0) & ((a < 0) != (b < 0))).then(b).otherwise(0)
    a, b = a.cast(pl.Float64), b.cast(pl.Float64)
    return pl.when(b != 0.0).then(ieee(np.divide, a, b))


def _of_doubles(operator: _Symbol, a: pl.Expr, b: pl.Expr) -> pl.Expr:
    a, b = a.cast(pl.Float64), b.cast(pl.Float64)
    return _apply(operator, a, b)


def _of_time(operator: _Symbol, a: pl.Expr, of_a: ValueType, b: pl.Expr, of_b: ValueType) -> pl.Expr:
    if operator in ("+", "-"):
        return _moved(operator, a, of_a, b, of_b)
    if operator == "/" and of_b is ValueType.DURATION:
        divisor = b.cast(pl.Int64)
        ratio = ieee(np.divide, a.cast(pl.Int64).cast(pl.Float64), divisor.cast(pl.Float64))
        return pl.when(divisor != 0).then(ratio)
    if of_a is ValueType.DURATION:
        a = a.cast(pl.Int64)
    else:
        b = b.cast(pl.Int64)
    if operator == "*" and ValueType.DOUBLE not in (of_a, of_b):
        return _narrow(a.cast(pl.Int128) * b.cast(pl.Int128)).cast(_DURATION)
    exact = _apply(operator, a.cast(pl.Float64), b.cast(pl.Float64))
    return rounded(exact).cast(pl.Int64, strict=False).cast(_DURATION)


def _moved(operator: Literal["+", "-"], a: pl.Expr, of_a: ValueType, b: pl.Expr, of_b: ValueType) -> pl.Expr:
    """A sum or difference of dateTimes and durations; a sum that wraps around 64 bits is no dateTime either."""
    if of_a is of_b is ValueType.DATETIME:
        return _apply(operator, a, b)
    if of_a is of_b:
        return _narrow(_apply(operator, *(x.cast(pl.Int64).cast(pl.Int128) for x in (a, b)))).cast(_DURATION)
    moved = _apply(operator, a, b)
    return pl.when(moved.cast(pl.Int64).is_between(FIRST_MOMENT, LAST_MOMENT)).then(moved)


def _apply(operator: _Symbol, a: pl.Expr, b: pl.Expr) -> pl.Expr:
    match operator:
        case "+":
            return a + b
        case "-":
            return a - b
        case "*":
            return a * b
        case "/":
            return ieee(np.divide, a, b)
        case "%":
            return ieee(np.fmod, a, b)
        case _:
            assert_never(operator)


def _narrow(x: pl.Expr) -> pl.Expr:
    return x.cast(pl.Int64, strict=False)
