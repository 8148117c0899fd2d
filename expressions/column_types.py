"""The types of columns, and a value of one type taken as another, where SPARQL does so; null where it is an error."""

from __future__ import annotations

import polars as pl

from ..language.nodes import ValueType
from . import terms

__all__ = ["POLARS_TYPES", "converted", "moment", "number", "text", "truth"]

POLARS_TYPES: dict[ValueType, pl.DataType] = {
    ValueType.BOOLEAN: pl.Boolean(),
    ValueType.INTEGER: pl.Int64(),
    ValueType.DOUBLE: pl.Float64(),
    ValueType.STRING: pl.String(),
    ValueType.DATETIME: pl.Datetime("us", "UTC"),
    ValueType.DURATION: pl.Duration("us"),
    ValueType.IRI: pl.String(),
    ValueType.TERM: pl.String(),
}


def truth(x: pl.Expr, of: ValueType) -> pl.Expr:
    """The effective boolean value (SPARQL 1.1 §17.2.2)."""
    match of:
        case ValueType.BOOLEAN:
            return x
        case ValueType.INTEGER:
            return x != 0
        case ValueType.DOUBLE:
            return (x != 0.0) & x.is_not_nan()
        case ValueType.STRING:
            return x != ""
        case ValueType.TERM:
            return terms.truth(x)
        case _:
            return pl.lit(None, dtype=pl.Boolean)


def number(x: pl.Expr, of: ValueType) -> pl.Expr:
    """A number; anything else is an error."""
    return terms.number(x) if of is ValueType.TERM else x


def text(x: pl.Expr, of: ValueType) -> pl.Expr:
    """The characters of a string; anything else is an error."""
    return terms.string(x) if of is ValueType.TERM else x


def moment(x: pl.Expr, of: ValueType) -> pl.Expr:
    """A dateTime; anything else is an error."""
    return terms.moment(x) if of is ValueType.TERM else x


def converted(x: pl.Expr, of: ValueType, to: ValueType) -> pl.Expr:
    """A value as one of a wider type: integers as doubles, all as terms."""
    if of is to:
        return x
    return terms.encode(x, of) if to is ValueType.TERM else x.cast(POLARS_TYPES[to])
