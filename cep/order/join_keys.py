"""Equality conditions as join keys: columns of equal codes instead of comparisons of pairs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from ...expressions import Ints, Names, column_expression, terms, unsigned_zero, value_codes
from ...language.nodes import Expression, ValueType

__all__ = ["combine", "group_codes", "joint_codes", "key_expressions", "physical", "row_tuples", "stable_order"]

_SPREAD = 4
"""So many times as many numbers as there are values are close together."""
_TEXTUAL = (ValueType.STRING, ValueType.IRI)


def key_expressions(left: Expression, right: Expression, names: Names) -> tuple[pl.Expr, pl.Expr] | None:
    """Expressions that are equal, as Polars sees it, exactly when `left = right` is true in SPARQL.

    Returns:
        One for each side, null where nothing is equal; `None` for types between which there is no such pair.
    """
    of_left, of_right = left.type, right.type
    a, b = column_expression(left, names), column_expression(right, names)
    if of_left is ValueType.INTEGER and of_right is ValueType.INTEGER:
        return a, b
    if of_left.numeric and of_right.numeric:
        return _double(a), _double(b)
    if ValueType.TERM not in (of_left, of_right):
        return (a, b) if of_left is of_right else None
    other = of_right if of_left is ValueType.TERM else of_left
    if other.numeric:
        as_numbers = (terms.number(x) if of is ValueType.TERM else x for x, of in ((a, of_left), (b, of_right)))
        first, second = (_double(x) for x in as_numbers)
        return first, second
    if other in (*_TEXTUAL, ValueType.TERM):
        return _term(a, of_left), _term(b, of_right)
    return None


def _double(x: pl.Expr) -> pl.Expr:
    """NaN equals nothing, the zeros are equal."""
    return unsigned_zero(x.cast(pl.Float64).fill_nan(None))


def _term(x: pl.Expr, of: ValueType) -> pl.Expr:
    """Numbers, booleans and dateTimes by value, marked so that no N-Triples text looks like one; others by text."""
    if of is not ValueType.TERM:
        return terms.encode(x, of)
    number, boolean, moment = terms.number(x), terms.boolean(x), terms.moment(x)
    return (
        pl.when(number.is_not_null())
        .then(pl.lit("#") + _double(number).cast(pl.String))
        .when(boolean.is_not_null())
        .then(pl.lit("&") + boolean.cast(pl.String))
        .when(moment.is_not_null())
        .then(pl.lit("@") + moment.cast(pl.Int64).cast(pl.String))
        .otherwise(x)
    )


def equality_codes(values: pl.Series, *, nulls_match: bool = False) -> Ints:
    """As `value_codes`, but for gaps: integers that lie close together are codes by themselves."""
    if values.dtype.is_integer() and len(values) and not values.null_count():
        numbers = values.to_numpy()
        least = int(numbers.min())
        if int(numbers.max()) - least < _SPREAD * len(numbers):
            return (numbers - least).astype(np.int64, copy=False)
    return value_codes(values, nulls_match=nulls_match)


def joint_codes(columns: Sequence[pl.Series], *, nulls_match: bool = False) -> list[Ints]:
    """`equality_codes` that are the same for equal values of all columns."""
    apart: list[pl.Series] = []
    places = []
    for column in columns:
        place = next((i for i, known in enumerate(apart) if _are_equal(known, column)), len(apart))
        apart += [column] if place == len(apart) else []
        places.append(place)
    codes = equality_codes(pl.concat(apart, rechunk=True) if len(apart) > 1 else apart[0], nulls_match=nulls_match)
    of_apart = np.split(codes, np.cumsum([column.len() for column in apart])[:-1])
    return [of_apart[place] for place in places]


def _are_equal(one: pl.Series, other: pl.Series) -> bool:
    """Whether two columns of numbers are the same, row by row: events of a stream that nothing tells apart."""
    return (
        one.dtype.is_integer() and one.dtype == other.dtype and len(one) == len(other)
        and not (one.null_count() or other.null_count()) and np.array_equal(one.to_numpy(), other.to_numpy())
    )  # fmt: skip


def combine(first: Sequence[Ints], second: Sequence[Ints]) -> list[Ints]:
    """Codes of pairs of codes, column by column; −1 where either is."""
    width = max((int(codes.max(initial=-1)) for codes in second), default=-1) + 1
    pairs = [np.where((a < 0) | (b < 0), -1, a * width + b) for a, b in zip(first, second, strict=True)]
    every = np.concatenate(pairs)
    dense = np.where(every < 0, -1, equality_codes(pl.Series(every)))
    return np.split(dense, np.cumsum([len(codes) for codes in pairs])[:-1])


def group_codes(columns: Sequence[pl.Series]) -> Ints:
    """One code per row: equal where all columns are equal, null being a value."""
    combined = [equality_codes(columns[0], nulls_match=True)]
    for column in columns[1:]:
        combined = combine(combined, [equality_codes(column, nulls_match=True)])
    return combined[0]


def stable_order(codes: Ints) -> Ints:
    """What sorts codes, those that are equal in the order in which they stand."""
    if len(codes) and codes.min() >= 0 and codes.max() < 2**16:
        return np.argsort(codes.astype(np.uint16), kind="stable")  # radix sort
    return np.argsort(codes, kind="stable")


def physical(column: pl.Series) -> pl.Series:
    """Moments and durations as numbers."""
    return column.to_physical() if column.dtype.is_temporal() else column


def row_tuples(columns: Sequence[pl.Series]) -> list[tuple[object, ...]]:
    """Rows as keys: in which NaN equals itself, and that a snapshot can hold."""
    return list(zip(*(_key_values(physical(column)) for column in columns), strict=True))


def _key_values(column: pl.Series) -> list[object]:
    values: list[object] = column.to_list()
    if column.dtype.is_float() and column.is_nan().any():
        return ["NaN" if value != value else value for value in values]  # noqa: PLR0124
    return values
