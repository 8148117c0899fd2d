"""The canonical lexical forms of values, and their N-Triples, as columns of text.

Source: XML Schema 1.1 part 2, canonical mappings: `500`, `5.0E2`, `true`, `2012-05-07T00:00:00.5Z`, `PT1M30S`.
"""

from __future__ import annotations

import polars as pl

from ...language.nodes import XSD, ValueType
from . import term_columns

__all__ = ["encode", "lexical_of"]


def lexical_of(x: pl.Expr, of: ValueType) -> pl.Expr:
    """SPARQL's STR of a column of the canonical type of `of`: text, null where `x` is."""
    match of:
        case ValueType.STRING | ValueType.IRI:
            return x
        case ValueType.TERM:
            return term_columns.text(x)
        case ValueType.BOOLEAN | ValueType.INTEGER:
            return x.cast(pl.String)
        case ValueType.DOUBLE:
            return double_text(x)
        case ValueType.DATETIME:
            return moment_text(x)
        case ValueType.DURATION:
            return duration_text(x)


def encode(x: pl.Expr, of: ValueType) -> pl.Expr:
    """N-Triples text of typed values."""
    if of is ValueType.TERM:
        return x
    if of is ValueType.IRI:
        return pl.lit("<") + x + ">"
    if of is ValueType.STRING:
        escaped = x
        for raw, written in (("\\", "\\\\"), ('"', '\\"'), ("\n", "\\n"), ("\r", "\\r")):
            escaped = escaped.str.replace_all(raw, written, literal=True)
        return pl.lit('"') + escaped + '"'
    return pl.lit('"') + lexical_of(x, of) + f'"^^<{XSD}{of.value}>'


def double_text(x: pl.Expr) -> pl.Expr:
    """`5.0E2`: the shortest digits that read back as the same double, one of them before the point."""
    shortest = x.abs().cast(pl.String)
    mantissa = shortest.str.extract(r"^([0-9.]+)", 1)
    written = shortest.str.extract(r"e([+-]?\d+)$", 1).str.strip_chars_start("+").cast(pl.Int64).fill_null(0)
    whole = mantissa.str.extract(r"^(\d+)", 1)
    digits = whole + mantissa.str.extract(r"\.(\d+)", 1).fill_null("")
    significant = digits.str.strip_chars_start("0")
    leading = digits.str.len_bytes().cast(pl.Int64) - significant.str.len_bytes().cast(pl.Int64)
    exponent = written + whole.str.len_bytes().cast(pl.Int64) - 1 - leading
    significant = significant.str.strip_chars_end("0")
    rest = significant.str.slice(1)
    fraction = pl.when(rest == "").then(pl.lit("0")).otherwise(rest)
    normal = pl.concat_str([significant.str.slice(0, 1), pl.lit("."), fraction, pl.lit("E"), exponent.cast(pl.String)])
    unsigned = pl.when(x.is_infinite()).then(pl.lit("INF")).when(x == 0.0).then(pl.lit("0.0E0")).otherwise(normal)
    negative = x.cast(pl.String).str.starts_with("-")  # the sign of zero counts
    signed = pl.when(negative).then(pl.lit("-") + unsigned).otherwise(unsigned)
    return pl.when(x.is_nan()).then(pl.lit("NaN")).when(x.is_not_null()).then(signed)


def moment_text(x: pl.Expr) -> pl.Expr:
    """`2012-05-07T00:00:00.5Z`: UTC, no fraction when it is zero and no zeros at its end."""
    fraction = x.dt.strftime("%6f").str.strip_chars_end("0")
    text = x.dt.strftime("%Y-%m-%dT%H:%M:%S")
    return text + pl.when(fraction == "").then(pl.lit("")).otherwise(pl.lit(".") + fraction) + "Z"


def duration_text(x: pl.Expr) -> pl.Expr:
    """`-P1DT2H3M4.5S`, units that are zero left out; nothing at all is `PT0S`."""
    micros = x.cast(pl.Int64).abs()
    parts = (micros // 86_400_000_000, micros // 3_600_000_000 % 24, micros // 60_000_000 % 60)
    days, hours, minutes = (
        pl.when(part != 0).then(part.cast(pl.String) + unit).otherwise(pl.lit(""))
        for part, unit in zip(parts, "DHM", strict=True)
    )
    rest = micros % 60_000_000
    fraction = (rest % 1_000_000).cast(pl.String).str.zfill(6).str.strip_chars_end("0")
    second = (rest // 1_000_000).cast(pl.String) + pl.when(fraction == "").then(pl.lit("")).otherwise(
        pl.lit(".") + fraction
    )
    seconds = pl.when(rest != 0).then(second + "S").otherwise(pl.lit(""))
    time = hours + minutes + seconds
    time = pl.when(time != "").then(pl.lit("T") + time).otherwise(pl.lit(""))
    sign = pl.when(x.cast(pl.Int64) < 0).then(pl.lit("-")).otherwise(pl.lit(""))
    return pl.when(micros == 0).then(pl.lit("PT0S")).when(micros != 0).then(sign + "P" + days + time)
