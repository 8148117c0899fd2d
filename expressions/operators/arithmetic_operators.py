"""Arithmetic: of numbers, and of dateTimes with durations.

SPARQL has it only where engines agree: Oxigraph sums and multiplies in an order of its own, which rounds otherwise, and
finds no sum of a duration and a moment in that order. Source: XPath functions 3.1 §4.2, §8.4, §9.7.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import timedelta
from types import MappingProxyType
from typing import Any, Literal

import polars as pl

from ...language.nodes import XSD, Binary, Constant, Expression, ValueType
from .. import scalar_operators as scalars
from ..arithmetic import arithmetic
from ..frames import FIRST_MOMENT, LAST_MOMENT, moment_of
from ..refusal import RefusedError
from .infix_operator import InfixOperator, Reference

__all__ = ["DIVIDED", "MINUS", "PLUS", "REMAINDER", "TIMES"]

_Kernel = Callable[[Any, Any], Any] | None
_DOUBLE = f"<{XSD}double>"
_TIME = (ValueType.DATETIME, ValueType.DURATION)


def _columns(symbol: Literal["+", "-", "*", "/", "%"]) -> Callable[[Binary, pl.Expr, pl.Expr], pl.Expr]:
    return lambda e, a, b: arithmetic(symbol, a, e.left.type, b, e.right.type)


def _scalars(
    of_integers: _Kernel, of_numbers: _Kernel, of_time: Mapping[ValueType, _Kernel] = MappingProxyType({})
) -> Callable[[Binary], _Kernel]:
    """The kernel by the types of both sides, of time by that of the result; `None`: by column."""

    def kernel(e: Binary) -> _Kernel:
        types = (e.left.type, e.right.type)
        if types == (ValueType.INTEGER, ValueType.INTEGER):
            return of_integers
        if all(of.numeric for of in types):
            return of_numbers
        return of_time.get(e.type) if all(of in _TIME for of in types) else None

    return kernel


def _refused(e: Binary) -> RefusedError:
    return RefusedError(f"SPARQL has no operator {e.operator} for a {e.left.type} and a {e.right.type}")


def _plus(e: Binary, left: str, right: str, value: Reference) -> str:
    if e.left.type.numeric and e.right.type.numeric:
        return f"({left} - (- {right}))"
    if e.left.type is ValueType.DATETIME and isinstance(e.right, Constant):
        return _moved(left, _negative(e.right), value)
    raise _refused(e)


def _moved(moment: str, less: Constant, value: Reference) -> str:
    """A moment less a constant duration, an error beyond the years 1 to 9999, which SPARQL does not end with."""
    duration = less.value
    if not isinstance(duration, timedelta):
        raise RefusedError(f"SPARQL takes no {less.type} from a moment")
    first, last = moment_of(FIRST_MOMENT), moment_of(LAST_MOMENT)
    if abs(duration) > last - first:
        raise RefusedError("the duration is longer than the calendar")
    bound = first + duration if duration > timedelta(0) else last + duration
    inside = ">=" if duration > timedelta(0) else "<="
    limit = value(replace(less, value=bound, type=ValueType.DATETIME))
    return f"IF({moment} {inside} {limit}, {moment} - {value(less)}, 1/0)"


def _negative(duration: Constant) -> Constant:
    if not isinstance(duration.value, timedelta):
        raise RefusedError(f"SPARQL adds no {duration.type} to a moment")
    return replace(duration, value=-duration.value)


def _minus(e: Binary, left: str, right: str, value: Reference) -> str:
    if e.left.type is ValueType.DATETIME and e.right.type is ValueType.DURATION and isinstance(e.right, Constant):
        return _moved(left, e.right, value)
    if _countable(e.left) and _countable(e.right):
        return f"({left} - {right})"
    raise _refused(e)


def _countable(node: Expression) -> bool:
    return node.type.numeric or node.type is ValueType.DATETIME or isinstance(node, Constant)


def _times(e: Binary, left: str, right: str, _value: Reference) -> str:
    product = any(isinstance(factor, Binary) and factor.operator == "*" for factor in (e.left, e.right))
    if e.left.type.numeric and e.right.type.numeric and not product:
        return f"({left} * {right})"
    raise _refused(e)


def _divided(e: Binary, left: str, right: str, _value: Reference) -> str:
    if ValueType.DURATION in (e.left.type, e.right.type):
        raise _refused(e)
    if ValueType.DOUBLE not in (e.left.type, e.right.type):
        raise RefusedError("SPARQL divides integers into decimals")
    return f"({_DOUBLE}({left}) / {_DOUBLE}({right}))"


def _remainder(e: Binary, _left: str, _right: str, _value: Reference) -> str:
    raise _refused(e)


PLUS = InfixOperator(
    "+",
    "the sum; of a dateTime and a duration the dateTime then, of the years 1 to 9999",
    _columns("+"),
    _scalars(
        scalars.add_integers,
        scalars.add,
        {ValueType.DATETIME: scalars.add_to_moment, ValueType.DURATION: scalars.add_integers},
    ),
    None,
    _plus,
)
MINUS = InfixOperator(
    "-",
    "the difference; of two dateTimes a duration",
    _columns("-"),
    _scalars(
        scalars.subtract_integers,
        scalars.subtract,
        {ValueType.DATETIME: scalars.subtract_from_moment, ValueType.DURATION: scalars.subtract_integers},
    ),
    None,
    _minus,
)
TIMES = InfixOperator(
    "*", "the product", _columns("*"), _scalars(scalars.multiply_integers, scalars.multiply), None, _times
)
DIVIDED = InfixOperator(
    "/",
    "the quotient, a double; of integers by 0 unbound",
    _columns("/"),
    _scalars(None, scalars.divide),
    None,
    _divided,
)
REMAINDER = InfixOperator(
    "%", "the remainder, with the dividend's sign", _columns("%"), _scalars(None, None), None, _remainder
)
