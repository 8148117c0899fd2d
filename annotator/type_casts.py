"""Raw columns of any type → columns of the declared type, and which rows do not fit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import assert_never

import polars as pl
import pyarrow as pa

from ..language.nodes import XSD, ValueType, type_of_datatype
from .datatypes import ARROW_MOMENT, COLUMN_TYPES, canonical_text, integer_bounds, lexical_text, number_text, short
from .moments import parse_moments

_DOUBLE_TEXT = r"^(?:[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|[+-]?INF|NaN)$"
_INTEGER_TEXT = r"^[+-]?\d+$"
_SPACE = " \t\r\n"
_SHOWN = 60


@dataclass(frozen=True, slots=True)
class Cast:
    """A raw column made typed.

    Attributes:
        values: the typed column; null where the raw value is null or does not fit.
        raw: what was cast, for messages.
        failed: true where a raw value does not fit its datatype; `None`: everywhere it does.
        datatype: XSD datatype IRI.
        told: why each value does not fit that does not, in their order; `None`: it is none of the datatype.
    """

    values: pl.Series
    raw: pl.Series
    failed: pl.Series | None
    datatype: str
    told: pl.Series | None = None

    def reasons(self, name: str) -> pl.Series:
        """Per row why it is refused, null where it is not; `name` is the raw attribute's."""
        if self.failed is None:
            return pl.repeat(None, len(self.values), dtype=pl.String, eager=True)
        texts = f"{name}: " + (self._plain_reasons() if self.told is None else self.told)
        at = self.failed.cast(pl.Int64).cum_sum() - 1
        return pl.select(pl.when(self.failed).then(texts.gather(at.clip(0)))).to_series()

    def _plain_reasons(self) -> pl.Series:
        because = ""
        if self._is_epoch:
            because = ' (numbers are not guessed at: state time.format, such as "epoch_s", or write ISO 8601)'
        refused = self.raw.filter(self.failed).to_list() if self.failed is not None else []
        return pl.Series([f"{shown_value(v)} is no {short(self.datatype)}{because}" for v in refused], dtype=pl.String)

    @property
    def _is_epoch(self) -> bool:
        return type_of_datatype(self.datatype) is ValueType.DATETIME and self.raw.dtype.is_numeric()


def to_series(column: pa.ChunkedArray) -> pl.Series:
    """A raw Arrow column as a Polars one; zoned and naive time stamps of any unit become UTC microseconds."""
    if pa.types.is_timestamp(column.type):
        column = column.cast(ARROW_MOMENT, safe=False)
    if pa.types.is_dictionary(column.type) and not _is_text(column.type.value_type):
        column = column.cast(column.type.value_type)
    if isinstance(column.type, pa.ExtensionType):
        column = column.cast(column.type.storage_type)
    series = pl.from_arrow(column)
    if not isinstance(series, pl.Series):  # pl.from_arrow gives a frame for tables only
        raise TypeError(type(series))
    return series.rename("")  # the name in the raw table may have a zero character, which Arrow takes in no name


def _is_text(kind: pa.DataType) -> bool:
    return kind in (pa.string(), pa.large_string(), pa.string_view())


def cast_column(raw: pl.Series, datatype: str) -> Cast:
    """Type a raw column as XSD `datatype`.

    Text is read as the datatype's lexical space (white space around it ignored), numbers are taken where no digit
    would be lost, and anything becomes text.
    """
    if isinstance(raw.dtype, pl.Categorical | pl.Enum):
        raw = raw.cast(pl.String)
    kind = type_of_datatype(datatype) or ValueType.STRING
    match kind:
        case ValueType.DOUBLE:
            values = _doubles(raw, datatype)
        case ValueType.INTEGER:
            values = _integers(raw, datatype)
        case ValueType.BOOLEAN:
            values = _booleans(raw)
        case ValueType.DATETIME:
            values = parse_moments(raw)
        case ValueType.STRING | ValueType.DURATION | ValueType.IRI | ValueType.TERM:
            values = as_text(raw)
        case _:
            assert_never(kind)
    failed = values.is_null() & raw.is_not_null() if values.null_count() > raw.null_count() else None
    return Cast(values, raw, failed, datatype)


def _nothing(raw: pl.Series, kind: ValueType) -> pl.Series:
    return pl.repeat(None, len(raw), dtype=COLUMN_TYPES[kind], eager=True)


def _doubles(raw: pl.Series, datatype: str) -> pl.Series:
    if raw.dtype == pl.String:
        text = raw.str.strip_chars(_SPACE)
        fits = pl.DataFrame({"x": text}).select(pl.when(pl.col("x").str.contains(_DOUBLE_TEXT)).then(pl.col("x")))
        values = fits.to_series().cast(pl.Float64, strict=False)
    elif raw.dtype.is_numeric():
        values = raw.cast(pl.Float64)
    else:
        values = _nothing(raw, ValueType.DOUBLE)
    if datatype == XSD + "decimal" and not (finite := values.is_finite()).all():
        values = pl.select(pl.when(finite).then(values)).to_series()
    return values


def _integers(raw: pl.Series, datatype: str) -> pl.Series:
    if raw.dtype == pl.String:
        text = raw.str.strip_chars(_SPACE)
        fits = pl.DataFrame({"x": text}).select(pl.when(pl.col("x").str.contains(_INTEGER_TEXT)).then(pl.col("x")))
        values = fits.to_series().str.strip_prefix("+").cast(pl.Int64, strict=False)
    elif raw.dtype.is_integer() or raw.dtype.is_decimal():
        values = _whole(raw, raw.cast(pl.Int64, strict=False))
    elif raw.dtype.is_float():
        # 2^63 itself is a double but no int64, so the upper bound is exclusive.
        inside = (raw >= -(2.0**63)) & (raw < 2.0**63) & (raw == raw.floor())
        values = pl.select(pl.when(inside).then(raw)).to_series().cast(pl.Int64, strict=False)
    else:
        values = _nothing(raw, ValueType.INTEGER)
    least, most = integer_bounds(datatype)
    within = values.is_between(least, most)
    return values if within.all() else pl.select(pl.when(within).then(values)).to_series()


def _whole(raw: pl.Series, values: pl.Series) -> pl.Series:
    if raw.dtype.is_integer():
        return values
    return pl.select(pl.when(raw == values.cast(raw.dtype, strict=False)).then(values)).to_series()


def _booleans(raw: pl.Series) -> pl.Series:
    if raw.dtype == pl.Boolean:
        return raw
    if raw.dtype == pl.String:
        text = raw.str.strip_chars(_SPACE)
        return text.replace_strict(
            ["true", "1", "false", "0"], [True, True, False, False], default=None, return_dtype=pl.Boolean
        )
    if raw.dtype.is_integer():
        return raw.replace_strict([1, 0], [True, False], default=None, return_dtype=pl.Boolean)
    return _nothing(raw, ValueType.BOOLEAN)


def as_text(raw: pl.Series) -> pl.Series:
    """Scalars as text, numbers alike however they were written; what has parts (lists, structs, binary) as null."""
    if raw.dtype == pl.String:
        return raw
    if raw.dtype.is_float():
        return number_text(raw.cast(pl.Float64))
    if raw.dtype == pl.Boolean:
        return canonical_text(raw, ValueType.BOOLEAN)
    if isinstance(raw.dtype, pl.Datetime):
        return lexical_text(raw, XSD + "dateTime")
    if raw.dtype.is_nested() or raw.dtype in (pl.Binary, pl.Object):
        return _nothing(raw, ValueType.STRING)
    return raw.cast(pl.String)


def shown_value(value: object) -> str:
    """A raw value as messages show it."""
    match value:
        case bool():
            return "true" if value else "false"
        case pl.Series():
            text = str(value.to_list())
        case str():
            text = repr(value)
        case _:
            text = str(value)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"
