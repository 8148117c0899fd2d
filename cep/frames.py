"""Between Arrow tables, Polars frames and NumPy arrays."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import cast

import numpy as np
import numpy.typing as npt
import polars as pl
import pyarrow as pa

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]

__all__ = ["EPOCH", "Bools", "Floats", "Ints", "frame_of", "mask_of", "micros", "moment_of", "moments", "timestamps"]

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_LAST = datetime.max.replace(tzinfo=UTC)


def frame_of(table: pa.Table, columns: Sequence[str]) -> pl.DataFrame:
    """The named columns of a table; dictionaries of strings become strings."""
    chosen = table.select(list(columns))
    for i, field in enumerate(chosen.schema):
        if pa.types.is_dictionary(field.type):  # Polars would make categories of them, which costs more than strings
            chosen = chosen.set_column(i, field.name, chosen.column(i).cast(field.type.value_type))
    return cast("pl.DataFrame", pl.from_arrow(chosen))


def timestamps(times: pl.Series) -> Ints:
    """Microseconds since the epoch of a column of time stamps that has no nulls."""
    return times.to_physical().to_numpy()


def moments(times: Ints) -> pl.Series:
    """A column of time stamps from microseconds since the epoch."""
    return pl.Series(times, dtype=pl.Int64).cast(pl.Datetime("us", "UTC"))


def micros(value: datetime | timedelta) -> int:
    """Whole microseconds of a duration, or since the epoch of a moment."""
    return (value - EPOCH if isinstance(value, datetime) else value) // _MICROSECOND


def moment_of(microseconds: int) -> datetime:
    """The moment so many microseconds after the epoch; the last one that there is for what lies beyond."""
    return EPOCH + min(microseconds * _MICROSECOND, _LAST - EPOCH)


def mask_of(frame: pl.DataFrame, conditions: Sequence[pl.Expr]) -> Bools:
    """Where all conditions are true (neither false nor unbound)."""
    if not conditions:
        return np.ones(frame.height, dtype=bool)
    keep = pl.all_horizontal(*(condition.fill_null(value=False) for condition in conditions))
    mask = frame.select(keep.alias("keep")).to_series()
    if mask.len() != frame.height:  # conditions without any column
        mask = mask.new_from_index(0, frame.height)
    return mask.to_numpy()
