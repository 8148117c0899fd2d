"""Checked expressions as Polars expressions: whole columns at a time, with SPARQL's meaning.

Unbound and error are null; AND, OR and NOT are three-valued. Columns have the canonical type of their value type
(`POLARS_TYPES`). Source: SPARQL 1.1 §17 (operators, effective boolean value) and XPath functions 3.1 (rounding,
casting, regular expressions). Departures: decimals are doubles; integers are 64 bits wide, beyond which a result is
unbound; regular expressions are those of Rust's `regex`, which knows neither back-references nor look-around.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import reduce
from typing import assert_never

import numpy as np
import polars as pl

from . import term_columns as terms
from .expressions import Aggregate, Binary, Binding, Call, Column, Constant, Expression, Membership, Unary
from .lexical import lexical_form
from .types import ValueType

__all__ = ["POLARS_TYPES", "Names", "column_expression", "plain_name"]

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

Names = Callable[[Column | Binding | Aggregate], str]
"""The name of the column that holds a node's value."""

_COMPARISONS = ("=", "!=", "<", "<=", ">", ">=")
_UNKNOWN = pl.lit(None, dtype=pl.Boolean)


def plain_name(node: Column | Binding | Aggregate) -> str:
    """The column of a node in a table of one variable's candidates; aggregates have none there."""
    match node:
        case Column():
            return node.name
        case Binding():
            return f"?{node.name}"
        case Aggregate():
            message = f"{node.function} has no column among candidates"
            raise ValueError(message)


def column_expression(e: Expression, names: Names = plain_name) -> pl.Expr:
    """The Polars expression that computes `e` for every row of a frame.

    Args:
        e: a checked expression.
        names: where the frame holds the values of columns, bindings and aggregates.

    Returns:
        An expression of type `POLARS_TYPES[e.type]`; null where `e` is unbound or an error.
    """
    match e:
        case Constant():
            return _constant(e)
        case Column() | Binding() | Aggregate():
            return pl.col(names(e))
        case Unary():
            return _unary(e, names)
        case Binary():
            return _binary(e, names)
        case Membership():
            return _membership(e, names)
        case Call():
            return _call(e, names)
        case _:
            assert_never(e)


def _constant(e: Constant) -> pl.Expr:
    wide = isinstance(e.value, int) and e.type is ValueType.INTEGER and not -(2**63) <= e.value < 2**63
    return pl.lit(e.value, dtype=pl.Int128() if wide else POLARS_TYPES[e.type])


def _unary(e: Unary, names: Names) -> pl.Expr:
    if e.operator == "NOT":
        return _truth(e.operand, names).not_()
    if e.operand.type is ValueType.DURATION:
        return -column_expression(e.operand, names)
    if e.operand.type is ValueType.INTEGER:
        return _narrow(pl.lit(0, dtype=pl.Int128) - _wide(e.operand, names), e.type)
    return -_wide(e.operand, names)


def _binary(e: Binary, names: Names) -> pl.Expr:
    if e.operator == "AND":
        return _truth(e.left, names) & _truth(e.right, names)
    if e.operator == "OR":
        return _truth(e.left, names) | _truth(e.right, names)
    if e.operator in _COMPARISONS:
        left, right = column_expression(e.left, names), column_expression(e.right, names)
        return _compare(e.operator, left, e.left, right, e.right)
    if ValueType.DATETIME in (e.left.type, e.right.type) or ValueType.DURATION in (e.left.type, e.right.type):
        return _of_time(e, names)
    return _arithmetic(e, names)


def _truth(e: Expression, names: Names) -> pl.Expr:
    """The effective boolean value (SPARQL 1.1 §17.2.2)."""
    x = column_expression(e, names)
    match e.type:
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
            return _UNKNOWN


def _compare(operator: str, left: pl.Expr, left_node: Expression, right: pl.Expr, right_node: Expression) -> pl.Expr:
    of_left, of_right = left_node.type, right_node.type
    if of_left is ValueType.TERM or of_right is ValueType.TERM:
        return terms.compare(operator, left, of_left, right, of_right)
    if of_left.numeric and of_right.numeric:
        return _compare_numbers(operator, left, left_node, right, right_node)
    if of_left is ValueType.IRI and operator not in ("=", "!="):
        return _UNKNOWN
    if of_left is not of_right:  # an IRI is no literal; literals of different kinds are an error, as is order
        known = {"=": False, "!=": True}.get(operator) if ValueType.IRI in (of_left, of_right) else None
        return pl.when(left.is_not_null() & right.is_not_null()).then(pl.lit(known, dtype=pl.Boolean))
    if of_left is ValueType.BOOLEAN:
        left, right = left.cast(pl.Int8), right.cast(pl.Int8)
    return terms.apply(operator, left, right)


def _compare_numbers(
    operator: str, left: pl.Expr, left_node: Expression, right: pl.Expr, right_node: Expression
) -> pl.Expr:
    """Polars orders NaN above all numbers and equal to itself; IEEE 754 says that it compares with nothing."""
    if operator == "!=":
        return _compare_numbers("=", left, left_node, right, right_node).not_()
    guarded, node, other = (right, right_node, left) if operator in ("<", "<=") else (left, left_node, right)
    if operator == "=" and not _may_be_nan(node):
        guarded, node, other = right, right_node, left
    plain = terms.apply(operator, left, right)
    if not _may_be_nan(node) or (operator == "=" and not _may_be_nan(left_node)):
        return plain
    return plain & (guarded.is_not_nan() | other.is_null())


def _may_be_nan(e: Expression) -> bool:
    constant = isinstance(e, Constant) and e.value == e.value
    return e.type is ValueType.DOUBLE and not constant


def _membership(e: Membership, names: Names) -> pl.Expr:
    x = column_expression(e.operand, names)
    by_value = (ValueType.STRING, ValueType.IRI, ValueType.INTEGER)
    if e.operand.type in by_value and all(option.type is e.operand.type for option in e.options):
        options = [option.value for option in e.options]
        return x.is_in(pl.Series(options, dtype=POLARS_TYPES[e.operand.type]).implode())
    none: pl.Expr = pl.when(x.is_not_null()).then(statement=False)
    equal = (_compare("=", x, e.operand, _constant(option), option) for option in e.options)
    return reduce(lambda some, one: some | one, equal, none)


def _number(e: Expression, names: Names) -> pl.Expr:
    x = column_expression(e, names)
    return terms.number(x) if e.type is ValueType.TERM else x


def _wide(e: Expression, names: Names) -> pl.Expr:
    """A number in a type in which one operation on 64-bit integers cannot overflow."""
    return _number(e, names).cast(pl.Int128 if e.type is ValueType.INTEGER else pl.Float64)


def _narrow(x: pl.Expr, to: ValueType) -> pl.Expr:
    return x.cast(pl.Int64, strict=False) if to is ValueType.INTEGER else x.cast(pl.Float64)


def _arithmetic(e: Binary, names: Names) -> pl.Expr:
    integers = e.left.type is ValueType.INTEGER and e.right.type is ValueType.INTEGER
    if integers and e.operator in "+-*":
        a, b = _wide(e.left, names), _wide(e.right, names)
        return _narrow(_apply_arithmetic(e.operator, a, b), ValueType.INTEGER)
    a, b = _number(e.left, names), _number(e.right, names)
    if integers and e.operator == "%":
        floored = a % b  # by 0: null
        return floored - pl.when((floored != 0) & ((a < 0) != (b < 0))).then(b).otherwise(0)
    a, b = a.cast(pl.Float64), b.cast(pl.Float64)
    if integers:
        return pl.when(b != 0.0).then(_ieee(np.divide, a, b))
    if e.operator == "%":
        return _ieee(np.fmod, a, b)
    return _apply_arithmetic(e.operator, a, b)


def _apply_arithmetic(operator: str, a: pl.Expr, b: pl.Expr) -> pl.Expr:
    match operator:
        case "+":
            return a + b
        case "-":
            return a - b
        case "*":
            return a * b
        case _:
            return _ieee(np.divide, a, b)


def _ieee(operation: np.ufunc, a: pl.Expr, b: pl.Expr) -> pl.Expr:
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


def _of_time(e: Binary, names: Names) -> pl.Expr:
    """Arithmetic of dateTimes and durations; XPath functions 3.1 §8.4, §9.7."""
    a, b = _moment_or_number(e.left, names), _moment_or_number(e.right, names)
    if e.operator in "+-":
        return _apply_arithmetic(e.operator, a, b)
    if e.operator == "/" and e.right.type is ValueType.DURATION:
        divisor = b.cast(pl.Int64)
        ratio = _ieee(np.divide, a.cast(pl.Int64).cast(pl.Float64), divisor.cast(pl.Float64))
        return pl.when(divisor != 0).then(ratio)
    if e.left.type is ValueType.DURATION:
        a = a.cast(pl.Int64)
    else:
        b = b.cast(pl.Int64)
    if e.operator == "*" and ValueType.DOUBLE not in (e.left.type, e.right.type):
        return (a * b).cast(pl.Duration("us"))
    exact = _apply_arithmetic(e.operator, a.cast(pl.Float64), b.cast(pl.Float64))
    return _round(exact).cast(pl.Int64, strict=False).cast(pl.Duration("us"))


def _moment_or_number(e: Expression, names: Names) -> pl.Expr:
    return _number(e, names) if e.type.numeric else column_expression(e, names)


def _round(x: pl.Expr) -> pl.Expr:
    """Half towards +∞; `floor(x + 0.5)` would round 0.49999999999999994 up."""
    below = x.floor()
    return pl.when(x - below >= 0.5).then(below + 1.0).otherwise(below)


def _call(e: Call, names: Names) -> pl.Expr:
    function = _FUNCTIONS[e.function]
    return function(e, names)


def _numeric(of_double: Callable[[pl.Expr], pl.Expr], of_integer: Callable[[pl.Expr], pl.Expr]) -> _Function:
    def compiled(e: Call, names: Names) -> pl.Expr:
        x = _number(e.arguments[0], names)
        return of_integer(x) if e.arguments[0].type is ValueType.INTEGER else of_double(x)

    return compiled


def _convert(e: Expression, to: ValueType, names: Names) -> pl.Expr:
    x = column_expression(e, names)
    if e.type is to:
        return x
    return terms.encode(x, e.type) if to is ValueType.TERM else x.cast(POLARS_TYPES[to])


def _coalesce(e: Call, names: Names) -> pl.Expr:
    return pl.coalesce([_convert(argument, e.type, names) for argument in e.arguments])


def _if(e: Call, names: Names) -> pl.Expr:
    test = _truth(e.arguments[0], names)
    yes, no = (_convert(branch, e.type, names) for branch in e.arguments[1:])
    return pl.when(test).then(yes).when(test.not_()).then(no)


def _bound(e: Call, names: Names) -> pl.Expr:
    if isinstance(e.arguments[0], Constant):  # of which Polars makes one row where a column is wanted
        return pl.lit(True)  # noqa: FBT003 - a value
    return column_expression(e.arguments[0], names).is_not_null()


def _str(e: Call, names: Names) -> pl.Expr:
    return lexical_form(column_expression(e.arguments[0], names), e.arguments[0].type)


def _text(e: Expression, names: Names) -> pl.Expr:
    """The characters of a string; anything else is an error."""
    x = column_expression(e, names)
    return terms.string(x) if e.type is ValueType.TERM else x


def _on_text(apply: Callable[..., pl.Expr]) -> _Function:
    def compiled(e: Call, names: Names) -> pl.Expr:
        return apply(*(_text(argument, names) for argument in e.arguments))

    return compiled


def _regex(e: Call, names: Names) -> pl.Expr:
    text, pattern = _text(e.arguments[0], names), e.arguments[1]
    flags = e.arguments[2].value if len(e.arguments) > 2 and isinstance(e.arguments[2], Constant) else ""
    inline = "".join(flag for flag in "imsx" if flag in str(flags))
    prefix = f"(?{inline})" if inline else ""
    if isinstance(pattern, Constant):
        body = re.escape(str(pattern.value)) if "q" in str(flags) else str(pattern.value)
        return text.str.contains(prefix + body, strict=False)
    return text.str.contains(pl.lit(prefix) + _text(pattern, names), strict=False)


def _on_moment(part: Callable[[pl.Expr], pl.Expr]) -> _Function:
    def compiled(e: Call, names: Names) -> pl.Expr:
        x = column_expression(e.arguments[0], names)
        x = terms.moment(x) if e.arguments[0].type is ValueType.TERM else x
        return part(x).cast(POLARS_TYPES[e.type])

    return compiled


def _seconds(x: pl.Expr) -> pl.Expr:
    micros = x.dt.second().cast(pl.Int64) * 1_000_000 + x.dt.microsecond().cast(pl.Int64)
    return _ieee(np.divide, micros.cast(pl.Float64), pl.lit(1e6))


_Function = Callable[[Call, Names], pl.Expr]


def _unit(e: Call, names: Names) -> pl.Expr:
    """A value in another unit."""
    value, factor, offset = (_number(argument, names).cast(pl.Float64) for argument in e.arguments)
    return value * factor + offset


_FUNCTIONS: dict[str, _Function] = {
    "CONVERT": _unit,
    "ABS": _numeric(pl.Expr.abs, lambda x: x.cast(pl.Int128).abs().cast(pl.Int64, strict=False)),
    "ROUND": _numeric(_round, lambda x: x),
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
