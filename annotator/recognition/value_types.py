"""What the values of a raw column are: truth values, numbers, time stamps, texts."""

from __future__ import annotations

import polars as pl
import pyarrow as pa

from ...language.nodes import XSD
from ..type_casts import cast_column, to_series

__all__ = ["recognise_type"]

_TRIED = ("integer", "double", "boolean")
_SHARE = 0.9
_TRUTH = r"(?i)^\s*(?:true|false)\s*$"


def recognise_type(column: pa.ChunkedArray) -> str:
    """Find the XSD datatype of a raw column by its local name: `integer`, `double`, `boolean` or `string`.

    A column is of the type that nine of ten values have: a sensor that is off may say so in words.

    Args:
        column: raw values of any type; nulls and empty texts say nothing.
    """
    values = to_series(column).drop_nulls()
    if isinstance(values.dtype, pl.Categorical | pl.Enum):
        values = values.cast(pl.String)
    if values.dtype == pl.Boolean:
        return "boolean"
    if values.dtype.is_integer():
        return "integer"
    if values.dtype.is_numeric():
        return "double"
    if values.dtype != pl.String:
        return "string"
    said = values.filter(values.str.strip_chars() != "")
    if not len(said):
        return "string"
    for name in _TRIED:
        fits = said.str.contains(_TRUTH) if name == "boolean" else cast_column(said, XSD + name).values.is_not_null()
        if fits.sum() >= _SHARE * len(said) and (name != "integer" or _has_no_fractions(said, int(fits.sum()))):
            return name
    return "string"


def _has_no_fractions(said: pl.Series, integers: int) -> bool:
    """Whether what is no integer is no other number either."""
    return int(cast_column(said, XSD + "double").values.is_not_null().sum()) == integers
