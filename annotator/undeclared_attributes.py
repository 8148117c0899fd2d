"""What is not declared is kept as one JSON object per event, so that nothing of a tuple is lost."""

from __future__ import annotations

import json
from collections.abc import Mapping

import polars as pl

from ..language.nodes import XSD
from .datatypes import EXACT_INTEGERS, lexical_text, number_text

_NEEDS_ESCAPE = r'["\\\x00-\x1f]'


def extra_column(columns: Mapping[str, pl.Series], length: int) -> pl.Series:
    """One JSON object per row: sorted keys, no white space, nulls left out at every depth; null when it is empty."""
    members = [_member(name, columns[name]) for name in sorted(columns)]
    members = [member for member in members if member.null_count() < length]
    if not members:
        return pl.repeat(None, length, dtype=pl.String, eager=True)
    joined = pl.concat_str([pl.lit(m) for m in members], separator=",", ignore_nulls=True)
    return (
        pl.DataFrame({"x": pl.select(joined).to_series()})
        .select(pl.when(pl.col("x") != "").then("{" + pl.col("x") + "}"))
        .to_series()
    )


def _member(name: str, values: pl.Series) -> pl.Series:
    key = json.dumps(name, ensure_ascii=False) + ":"
    return pl.select(pl.lit(key) + pl.lit(_json_values(values))).to_series()


def _json_values(values: pl.Series) -> pl.Series:
    dtype = values.dtype
    if dtype == pl.String or isinstance(dtype, pl.Categorical | pl.Enum):
        return _json_text(values.cast(pl.String))
    if dtype == pl.Boolean or dtype.is_integer() or dtype.is_decimal() or dtype == pl.Null:
        return values.cast(pl.String)
    if dtype.is_float():
        return number_text(values.cast(pl.Float64)).replace({"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"})
    if isinstance(dtype, pl.Datetime):
        return _json_text(lexical_text(values, XSD + "dateTime"))
    if dtype.is_nested():
        return _json_nested(values)
    if dtype == pl.Binary:
        return _json_text(values.bin.encode("base64"))
    return _json_text(values.cast(pl.String))


def _json_text(values: pl.Series) -> pl.Series:
    special = values.filter(values.str.contains(_NEEDS_ESCAPE)).unique().to_list()
    plain = pl.select(pl.lit('"') + pl.lit(values) + pl.lit('"')).to_series()
    if not special:
        return plain
    escaped = [json.dumps(text, ensure_ascii=False) for text in special]
    return plain.replace([f'"{text}"' for text in special], escaped)


def _json_nested(values: pl.Series) -> pl.Series:
    # Polars writes the members of a struct in the order of the batch's schema, absent ones as null; an event's JSON
    # must not depend on its batch. Hence once more through Python, per distinct value.
    wrapped = values.alias("x").to_frame().select(pl.struct("x").struct.json_encode()).to_series()
    wrapped = pl.select(pl.when(pl.lit(values).is_not_null()).then(pl.lit(wrapped))).to_series()
    distinct = wrapped.drop_nulls().unique().to_list()
    return wrapped.replace(distinct, [_canonical(text) for text in distinct])


def _canonical(wrapped: str) -> str:
    value = _plain(json.loads(wrapped)["x"])
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def _plain(value: object) -> object:
    match value:
        case dict():
            return {k: _plain(v) for k, v in value.items() if v is not None}
        case list():
            return [_plain(v) for v in value]
        case float() if value.is_integer() and abs(value) < EXACT_INTEGERS:
            return int(value)
        case _:
            return value
