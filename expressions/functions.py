"""The functions of expressions on columns: a call and the columns of its arguments in, the column of its result out.

Source: SPARQL 1.1 §17.4, XPath functions 3.1.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import polars as pl

from ..language.nodes import Call, Constant, ValueType, rust_regex
from .arithmetic import ieee, rounded
from .column_types import POLARS_TYPES, converted, moment, number, text, truth
from .lexical import lexical_form

__all__ = ["function_column"]

_Columns = Sequence[pl.Expr]
_Function = Callable[[Call, _Columns], pl.Expr]


def function_column(e: Call, arguments: Sequence[pl.Expr]) -> pl.Expr:
    """The column of a call's results; null where one is an error."""
    return _FUNCTIONS[e.function](e, arguments)


def _numeric(of_double: Callable[[pl.Expr], pl.Expr], of_integer: Callable[[pl.Expr], pl.Expr]) -> _Function:
    def compiled(e: Call, columns: _Columns) -> pl.Expr:
        of = e.arguments[0].type
        x = number(columns[0], of)
        return of_integer(x) if of is ValueType.INTEGER else of_double(x)

    return compiled


def _on_text(apply: Callable[..., pl.Expr]) -> _Function:
    def compiled(e: Call, columns: _Columns) -> pl.Expr:
        return apply(*(text(x, argument.type) for x, argument in zip(columns, e.arguments, strict=True)))

    return compiled


def _on_moment(part: Callable[[pl.Expr], pl.Expr]) -> _Function:
    def compiled(e: Call, columns: _Columns) -> pl.Expr:
        return part(moment(columns[0], e.arguments[0].type)).cast(POLARS_TYPES[e.type])

    return compiled


def _in_unit(e: Call, columns: _Columns) -> pl.Expr:
    """A value in another unit."""
    numbers = (number(x, argument.type) for x, argument in zip(columns, e.arguments, strict=True))
    value, factor, offset = (x.cast(pl.Float64) for x in numbers)
    return value * factor + offset


def _coalesce(e: Call, columns: _Columns) -> pl.Expr:
    return pl.coalesce([converted(x, a.type, e.type) for x, a in zip(columns, e.arguments, strict=True)])


def _if(e: Call, columns: _Columns) -> pl.Expr:
    test = truth(columns[0], e.arguments[0].type)
    yes, no = (converted(x, a.type, e.type) for x, a in zip(columns[1:], e.arguments[1:], strict=True))
    return pl.when(test).then(yes).when(test.not_()).then(no)


def _bound(e: Call, columns: _Columns) -> pl.Expr:
    if isinstance(e.arguments[0], Constant):  # of which Polars makes one row where a column is wanted
        return pl.lit(True)  # noqa: FBT003 - a value
    return columns[0].is_not_null()


def _str(e: Call, columns: _Columns) -> pl.Expr:
    return lexical_form(columns[0], e.arguments[0].type)


def _regex(e: Call, columns: _Columns) -> pl.Expr:
    pattern, *flags = (str(a.value) for a in e.arguments[1:] if isinstance(a, Constant))
    return text(columns[0], e.arguments[0].type).str.contains(rust_regex(pattern, "".join(flags)), strict=False)


def _seconds(x: pl.Expr) -> pl.Expr:
    micros = x.dt.second().cast(pl.Int64) * 1_000_000 + x.dt.microsecond().cast(pl.Int64)
    return ieee(np.divide, micros.cast(pl.Float64), pl.lit(1e6))


_FUNCTIONS: dict[str, _Function] = {
    "CONVERT": _in_unit,
    "ABS": _numeric(pl.Expr.abs, lambda x: x.cast(pl.Int128).abs().cast(pl.Int64, strict=False)),
    "ROUND": _numeric(rounded, lambda x: x),
    "FLOOR": _numeric(pl.Expr.floor, lambda x: x),
    "CEIL": _numeric(pl.Expr.ceil, lambda x: x),
    "COALESCE": _coalesce,
    "IF": _if,
    "BOUND": _bound,
    "STR": _str,
    "LCASE": _on_text(lambda x: x.str.to_lowercase()),
    "UCASE": _on_text(lambda x: x.str.to_uppercase()),
    "STRLEN": _on_text(lambda x: x.str.len_chars().cast(pl.Int64)),
    "CONTAINS": _on_text(lambda x, part: x.str.contains(part, literal=True)),
    "STRSTARTS": _on_text(lambda x, start: x.str.starts_with(start)),
    "STRENDS": _on_text(lambda x, end: x.str.ends_with(end)),
    "REGEX": _regex,
    "YEAR": _on_moment(lambda x: x.dt.year()),
    "MONTH": _on_moment(lambda x: x.dt.month()),
    "DAY": _on_moment(lambda x: x.dt.day()),
    "HOURS": _on_moment(lambda x: x.dt.hour()),
    "MINUTES": _on_moment(lambda x: x.dt.minute()),
    "SECONDS": _on_moment(_seconds),
}
