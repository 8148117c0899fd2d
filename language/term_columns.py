"""Columns of RDF terms: N-Triples text of which nothing was known before run time.

Two terms compare by value when both are numeric literals, else by term; order is that of numbers, strings and
dateTimes, and between other kinds there is none (null). Source: SPARQL 1.1 §17.3, RDF 1.1 N-Triples.
"""

from __future__ import annotations

import re

import polars as pl

from .types import XSD, ValueType

__all__ = ["apply", "compare", "encode", "moment", "number", "string", "text", "truth"]

_NUMERIC = [
    XSD + name
    for name in (
        "integer long int short byte nonNegativeInteger positiveInteger nonPositiveInteger negativeInteger "
        "unsignedLong unsignedInt unsignedShort unsignedByte double float decimal"
    ).split()
]
_MOMENTS = [XSD + "dateTime", XSD + "dateTimeStamp"]
_ESCAPE = re.compile(r'\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|([tbnrf"\'\\]))')
_ESCAPED = {"t": "\t", "b": "\b", "n": "\n", "r": "\r", "f": "\f"}


def apply(operator: str, a: pl.Expr, b: pl.Expr) -> pl.Expr:
    """A comparison as Polars has it."""
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
        case _:
            return a >= b


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
    boolean = _boolean(x)
    return (
        pl.when(value.is_not_null())
        .then((value != 0.0) & value.is_not_nan())
        .when(boolean.is_not_null())
        .then(boolean)
        .otherwise(string(x) != "")
    )


def encode(x: pl.Expr, of: ValueType) -> pl.Expr:
    """N-Triples text of typed values."""
    from .lexical import lexical_form  # noqa: PLC0415 - lexical forms of terms come from here

    if of is ValueType.TERM:
        return x
    if of is ValueType.IRI:
        return pl.lit("<") + x + ">"
    if of is ValueType.STRING:
        escaped = x
        for raw, written in (("\\", "\\\\"), ('"', '\\"'), ("\n", "\\n"), ("\r", "\\r")):
            escaped = escaped.str.replace_all(raw, written, literal=True)
        return pl.lit('"') + escaped + '"'
    return pl.lit('"') + lexical_form(x, of) + f'"^^<{XSD}{of.value}>'


def compare(operator: str, a: pl.Expr, of_a: ValueType, b: pl.Expr, of_b: ValueType) -> pl.Expr:
    """A comparison at least one side of which is a column of terms."""
    if of_a is ValueType.TERM and of_b is ValueType.TERM:
        return _compare_terms(operator, a, b)
    if of_a is ValueType.TERM:
        return _compare_typed(operator, a, _typed(a, of_b), b, of_b)
    mirrored = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}.get(operator, operator)
    return _compare_typed(mirrored, b, _typed(b, of_a), a, of_a)


def _compare_typed(operator: str, term: pl.Expr, value: pl.Expr, other: pl.Expr, of: ValueType) -> pl.Expr:
    if of.numeric:
        other = other.cast(pl.Float64)
    known = _without_nan(operator, value, other) if of.numeric else apply(operator, value, other)
    differ = pl.lit({"=": False, "!=": True}.get(operator), dtype=pl.Boolean)
    return pl.when(term.is_null() | other.is_null()).then(None).when(value.is_not_null()).then(known).otherwise(differ)


def _compare_terms(operator: str, a: pl.Expr, b: pl.Expr) -> pl.Expr:
    x, y = number(a), number(b)
    numeric = _without_nan(operator, x, y)
    by_term = pl.when(x.is_not_null() & y.is_not_null()).then(numeric)
    if operator in ("=", "!="):
        return by_term.otherwise(apply(operator, a, b))
    for kind in (string, moment):
        x, y = kind(a), kind(b)
        by_term = pl.coalesce(by_term, apply(operator, x, y))
    return by_term


def _without_nan(operator: str, x: pl.Expr, y: pl.Expr) -> pl.Expr:
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
            return _boolean(x).cast(pl.Int8)
        case ValueType.IRI:
            return pl.when(x.str.starts_with("<")).then(_iri(x))
        case ValueType.STRING:
            return pl.when(~x.str.contains('"@[A-Za-z0-9-]+$')).then(string(x))
        case ValueType.DURATION | ValueType.TERM:
            return pl.lit(None)


def _boolean(x: pl.Expr) -> pl.Expr:
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
