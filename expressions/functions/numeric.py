"""Functions of numbers, and their conversion between units. Source: SPARQL 1.1 §17.4.4, XPath functions 3.1 §4.4."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import polars as pl

from ...language.nodes import XSD, Binary, Call, Signature, UnitRule, ValueType
from ..arithmetic import rounded
from ..column_types import number
from ..refusal import RefusedError
from .scalar_function import BY_COLUMN, Columns, ScalarFunction, refused, same_in_sparql

__all__ = ["ABS", "CEIL", "CONVERT", "FLOOR", "ROUND"]

_NUMERIC = Signature(("a number",), 0, repeated=False, result=None, unit=UnitRule.KEPT, check=None)


def _numeric(
    name: str,
    doc: str,
    of_double: Callable[[pl.Expr], pl.Expr],
    of_integer: Callable[[pl.Expr], pl.Expr],
    sparql: Callable[[Call, Sequence[str]], str],
) -> ScalarFunction:
    def column(e: Call, columns: Columns) -> pl.Expr:
        of = e.arguments[0].type
        x = number(columns[0], of)
        return of_integer(x) if of is ValueType.INTEGER else of_double(x)

    return ScalarFunction(name, f"{name}(x)", doc, _NUMERIC, column, BY_COLUMN, sparql)


def _in_unit(e: Call, columns: Columns) -> pl.Expr:
    """A value in another unit: the checker gives the factor and what is added, and of a query's text its unit."""
    numbers = (number(x, argument.type) for x, argument in zip(columns[:3], e.arguments[:3], strict=True))
    value, factor, offset = (x.cast(pl.Float64) for x in numbers)
    return value * factor + offset


def _in_unit_in_sparql(e: Call, arguments: Sequence[str]) -> str:
    """The same as a product and a difference, whose order no engine changes (`operators/arithmetic_operators.py`)."""
    value = e.arguments[0]
    if not value.type.numeric or (isinstance(value, Binary) and value.operator == "*"):
        raise RefusedError("the function CONVERT of such a value differs between engines of SPARQL")
    return f"((<{XSD}double>({arguments[0]}) * {arguments[1]}) - (- {arguments[2]}))"


ABS = _numeric(
    "ABS",
    "the number without its sign; of an integer beyond 64 bits unbound",
    pl.Expr.abs,
    lambda x: x.cast(pl.Int128).abs().cast(pl.Int64, strict=False),
    same_in_sparql,
)
ROUND = _numeric(
    "ROUND",
    "the nearest whole number, halves towards +∞",
    rounded,
    lambda x: x,
    refused("the function ROUND differs between engines of SPARQL"),
)
FLOOR = _numeric("FLOOR", "the greatest whole number that is not above it", pl.Expr.floor, lambda x: x, same_in_sparql)
CEIL = _numeric("CEIL", "the least whole number that is not below it", pl.Expr.ceil, lambda x: x, same_in_sparql)

CONVERT = ScalarFunction(
    "CONVERT",
    "CONVERT(x, unit)",
    "the number in that unit; in one of another dimension it is refused",
    Signature(("a number", "a unit"), 0, repeated=False, result=ValueType.DOUBLE, unit=UnitRule.NAMED, check=None),
    _in_unit,
    BY_COLUMN,
    _in_unit_in_sparql,
)
