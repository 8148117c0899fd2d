"""Columns of RDF terms: N-Triples text of which nothing was known before run time.

Terms compare by value when both are numbers, strings, booleans or dateTimes; the same term is equal whatever it is;
an IRI differs from everything else; between other literals an error is raised (null), as order is between other
kinds. Source: SPARQL 1.1 §17.3 and §17.4.1.7 (RDFterm-equal), RDF 1.1 N-Triples.
"""

from __future__ import annotations

import re
from typing import Literal, assert_never

import polars as pl

from ...language.nodes import XSD, ValueType

__all__ = ["apply", "boolean", "compare", "moment", "number", "string", "text", "truth"]

_NUMERIC = [
    XSD + name
    for name in (
        *("integer", "long", "int", "short", "byte", "double", "float", "decimal", "positiveInteger"),
        *("nonNegativeInteger", "nonPositiveInteger", "negativeInteger"),
        *("unsignedLong", "unsignedInt", "unsignedShort", "unsignedByte"),
    )
]
_MOMENTS = [XSD + "dateTime", XSD + "dateTimeStamp"]
_ESCAPE = re.compile(r'\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|([tbnrf"\'\\]))')
_ESCAPED = {"t": "\t", "b": "\b", "n": "\n", "r": "\r", "f": "\f"}

Comparison = Literal["=", "!=", "<", "<=", ">", ">="]

_MIRRORED: dict[Comparison, Comparison] = {"=": "=", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}


def apply(operator: Comparison, a: pl.Expr, b: pl.Expr) -> pl.Expr:
    """A comparison as Polars has it.

    What is constant stands on the right: else Polars takes `0 = coalesce(x, 0)` for constant where all of x is null.
    """
    if not a.meta.root_names():
        a, b, operator = b, a, _MIRRORED[operator]
    match operator:
        case "=":
            return a == b
        case "!=":
            return a != b
        case "<":
            return a < b
        case "<=":
            return a <= b
        case ">":
            return a > b
        case ">=":
            return a >= b
        case _:
            assert_never(operator)


def text(x: pl.Expr) -> pl.Expr:
    """IRI text or lexical form; null for blank nodes."""
    return pl.when(x.str.starts_with("<")).then(_iri(x)).otherwise(_lexical(x))


def number(x: pl.Expr) -> pl.Expr:
    """The value of numeric literals as a double, null for other terms."""
    return pl.when(_datatype(x).is_in(_NUMERIC)).then(_lexical(x).cast(pl.Float64, strict=False))


def string(x: pl.Expr) -> pl.Expr:
    """The characters of string literals, with and without language, null for other terms."""
    return pl.when(_datatype(x).is_null() | (_datatype(x) == XSD + "string")).then(_lexical(x))


def moment(x: pl.Expr) -> pl.Expr:
    """The value of dateTime literals in UTC, null for other terms; without a zone they are UTC."""
    zoned = _lexical(x).str.replace("Z$", "+00:00")
    zoned = pl.when(zoned.str.contains(r"[+-]\d\d:\d\d$")).then(zoned).otherwise(zoned + "+00:00")
    parsed = zoned.str.to_datetime("%Y-%m-%dT%H:%M:%S%.f%:z", time_unit="us", strict=False)
    return pl.when(_datatype(x).is_in(_MOMENTS)).then(parsed.dt.convert_time_zone("UTC"))


def truth(x: pl.Expr) -> pl.Expr:
    """The effective boolean value of terms."""
    value = number(x)
    verdict = boolean(x)
    return (
        pl.when(value.is_not_null())
        .then((value != 0.0) & value.is_not_nan())
        .when(verdict.is_not_null())
        .then(verdict)
        .otherwise(string(x) != "")
    )


def compare(operator: Comparison, a: pl.Expr, of_a: ValueType, b: pl.Expr, of_b: ValueType) -> pl.Expr:
    """A comparison at least one side of which is a column of terms."""
    if of_a is ValueType.TERM and of_b is ValueType.TERM:
        return _compare_terms(operator, a, b)
    if of_a is ValueType.TERM:
        return _compare_typed(operator, a, _typed(a, of_b), b, of_b)
    return _compare_typed(_MIRRORED[operator], b, _typed(b, of_a), a, of_a)


def _compare_typed(operator: Comparison, term: pl.Expr, value: pl.Expr, other: pl.Expr, of: ValueType) -> pl.Expr:
    if of.numeric or of is ValueType.BOOLEAN:
        other = other.cast(pl.Float64 if of.numeric else pl.Int8)
    known = _without_nan(operator, value, other) if of.numeric else apply(operator, value, other)
    differ = pl.lit({"=": False, "!=": True}.get(operator), dtype=pl.Boolean)
    if of is ValueType.IRI and operator not in ("=", "!="):
        return differ
    apart = pl.when(_is_resource(term) | (of is ValueType.IRI)).then(differ)
    return pl.when(value.is_not_null()).then(known).when(term.is_not_null() & other.is_not_null()).then(apart)


def _compare_terms(operator: Comparison, a: pl.Expr, b: pl.Expr) -> pl.Expr:
    x, y = number(a), number(b)
    by_number = pl.when(x.is_not_null() & y.is_not_null()).then(_without_nan(operator, x, y))
    same = pl.lit(operator == "=")
    apart = (a != b) & (_is_resource(a) | _is_resource(b))
    by_term = by_number.when(a == b).then(same).when(apart).then(~same)
    compared = [
        by_term if operator in ("=", "!=") else by_number,
        *(apply(operator, kind(a), kind(b)) for kind in (_plain_string, _boolean_number, moment)),
    ]
    return pl.coalesce(compared)


def _is_resource(x: pl.Expr) -> pl.Expr:
    """Whether it is an IRI or a blank node."""
    return ~x.str.starts_with('"')


def _without_nan(operator: Comparison, x: pl.Expr, y: pl.Expr) -> pl.Expr:
    ordered = x.is_not_nan() & y.is_not_nan()
    return ~(ordered & (x == y)) if operator == "!=" else ordered & apply(operator, x, y)


def _typed(x: pl.Expr, of: ValueType) -> pl.Expr:
    """What a term is as a value of that type, null when it is none."""
    match of:
        case ValueType.INTEGER | ValueType.DOUBLE:
            return number(x)
        case ValueType.DATETIME:
            return moment(x)
        case ValueType.BOOLEAN:
            return _boolean_number(x)
        case ValueType.IRI:
            return pl.when(x.str.starts_with("<")).then(_iri(x))
        case ValueType.STRING:
            return _plain_string(x)
        case ValueType.DURATION | ValueType.TERM:
            return pl.lit(None)


def _plain_string(x: pl.Expr) -> pl.Expr:
    return pl.when(~x.str.contains('"@[A-Za-z0-9-]+$')).then(string(x))


def _boolean_number(x: pl.Expr) -> pl.Expr:
    return boolean(x).cast(pl.Int8)


def boolean(x: pl.Expr) -> pl.Expr:
    """The value of boolean literals, null for other terms."""
    written = pl.when(_datatype(x) == XSD + "boolean").then(_lexical(x))
    return (
        pl.when(written.is_in(["true", "1"]))
        .then(statement=True)
        .when(written.is_in(["false", "0"]))
        .then(statement=False)
    )


def _iri(x: pl.Expr) -> pl.Expr:
    return x.str.strip_prefix("<").str.strip_suffix(">")


def _datatype(x: pl.Expr) -> pl.Expr:
    return x.str.extract(r'"\^\^<([^<>"]*)>$', 1)


def _lexical(x: pl.Expr) -> pl.Expr:
    quoted = x.str.extract(r'(?s)^"(.*)"[^"]*$', 1)
    return (
        pl.when(quoted.str.contains("\\", literal=True))
        .then(quoted.map_batches(_unescape, return_dtype=pl.String))
        .otherwise(quoted)
    )


def _unescape(quoted: pl.Series) -> pl.Series:
    """Escapes are rare: only the distinct texts that have one are rewritten."""
    written = quoted.filter(quoted.str.contains("\\", literal=True)).unique()
    plain = [_ESCAPE.sub(_character, text) for text in written.to_list()]
    return quoted.replace(written, pl.Series(plain, dtype=pl.String))


def _character(escape: re.Match[str]) -> str:
    code = escape[1] or escape[2]
    return chr(int(code, 16)) if code else _ESCAPED.get(escape[3], escape[3])
