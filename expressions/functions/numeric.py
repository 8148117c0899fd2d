"""Functions of numbers, and their conversion between units. Source: SPARQL 1.1 §17.4.4, XPath functions 3.1 §4.4."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import polars as pl

from ...language.nodes import XSD, Binary, Call, Intrinsic, Signature, UnitRule, ValueType
from ..arithmetic import rounded
from ..column_types import POLARS_TYPES, number
from ..refusal import RefusedError
from ..scalar_operators import rescued
from .scalar_function import BY_COLUMN, Columns, Given, Scalar, ScalarFunction, refused, same_in_sparql

__all__ = ["ABS", "CEIL", "CONVERT", "DOUBLE", "EXACT", "FLOOR", "OVERFLOW", "ROUND"]

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
    "the number without its sign",
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

DOUBLE = ScalarFunction(
    Intrinsic.DOUBLE,
    "DOUBLE(x)",
    "the number as a double; `wide_integers` writes it, no query can",
    Signature(("a number",), 0, repeated=False, result=ValueType.DOUBLE, unit=UnitRule.KEPT, check=None),
    lambda e, columns: number(columns[0], e.arguments[0].type).cast(pl.Float64),
    Scalar(Given.BOUND, lambda _call: float),
    lambda _call, arguments: f"<{XSD}double>({arguments[0]})",
)


EXACT = ScalarFunction(
    Intrinsic.EXACT,
    "EXACT(x)",
    "the integer as far as it has 64 bits; `wide_integers` writes it, no query can",
    Signature(("a number",), 0, repeated=False, result=ValueType.INTEGER, unit=UnitRule.KEPT, check=None),
    lambda _e, columns: columns[0],
    Scalar(Given.ANY, lambda _call: lambda value: value),
    lambda _call, arguments: arguments[0],
)


def _rescued(e: Call, columns: Columns) -> pl.Expr:
    """The second is computed for tables only in which the first is unbound somewhere: integers leave rarely."""
    known, otherwise = columns
    names = sorted({*known.meta.root_names(), *otherwise.meta.root_names()})
    if not names:
        return pl.coalesce(known, otherwise)

    def compute(given: Sequence[pl.Series]) -> pl.Series:
        frame = pl.DataFrame([column.alias(name) for column, name in zip(given, names, strict=True)])
        found = frame.select(known.alias("value")).to_series()
        if found.has_nulls():
            found = frame.select(pl.coalesce(known, otherwise).alias("value")).to_series()
        return found if len(found) == frame.height else found.new_from_index(0, frame.height)

    return pl.map_batches([pl.col(name) for name in names], compute, return_dtype=POLARS_TYPES[e.type])


OVERFLOW = ScalarFunction(
    Intrinsic.OVERFLOW,
    "OVERFLOW(x, y)",
    "x, or y where an integer in x has left 64 bits; `wide_integers` writes it, no query can",
    Signature(("one type", "one type"), 0, repeated=False, result=None, unit=UnitRule.AGREED, check=None),
    _rescued,
    Scalar(Given.DELAYED, lambda _call: rescued),
    lambda _call, arguments: f"COALESCE({', '.join(arguments)})",
)
CONVERT = ScalarFunction(
    Intrinsic.CONVERT,
    "CONVERT(x, unit)",
    "the number in that unit; in one of another dimension it is refused",
    Signature(("a number", "a unit"), 0, repeated=False, result=ValueType.DOUBLE, unit=UnitRule.NAMED, check=None),
    _in_unit,
    BY_COLUMN,
    _in_unit_in_sparql,
)
