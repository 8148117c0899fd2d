"""Between Arrow tables, Polars frames and NumPy arrays."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta

import numpy as np
import numpy.typing as npt
import polars as pl
import pyarrow as pa

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]

__all__ = [
    "EPOCH",
    "FIRST_MOMENT",
    "LAST_MOMENT",
    "Bools",
    "Floats",
    "Ints",
    "all_of",
    "column_of",
    "doubles_of",
    "frame_of",
    "in_calendar",
    "mask_by",
    "mask_of",
    "micros",
    "moment_of",
    "moments",
    "pieces_of",
    "timestamps",
    "unsigned_zero",
    "value_codes",
]

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_EXACT = 2**53
_MICROSECOND = timedelta(microseconds=1)


def frame_of(table: pa.Table, columns: Sequence[str]) -> pl.DataFrame:
    """The named columns of a table; dictionaries of strings become strings."""
    return pl.DataFrame([_series(name, table.column(name)) for name in columns])


def _series(name: str, column: pa.ChunkedArray) -> pl.Series:
    """Column by column: Polars would convert a whole table in its threads, whose waking costs more than the rest."""
    if pa.types.is_dictionary(column.type):  # Polars would make categories of them, which costs more than strings
        column = column.cast(column.type.value_type)
    return pl.Series(name, column)


def doubles_of(column: pl.Series) -> Floats | None:
    """Numbers as doubles, NaN where there is none; `None`: they are no numbers, or no double is exactly one of them."""
    if column.dtype == pl.Int64:
        exact = column.is_between(-_EXACT, _EXACT).all()
        return column.cast(pl.Float64).fill_null(float("nan")).to_numpy() if exact else None
    return column.to_numpy() if column.dtype == pl.Float64 else None


def timestamps(times: pl.Series) -> Ints:
    """Microseconds since the epoch of a column of time stamps that has no nulls."""
    return times.cast(pl.Int64).to_numpy()


def column_of(frame: pl.DataFrame, e: pl.Expr) -> pl.Series:
    """The values of an expression, row by row; where it is a column, it is not worth a query plan."""
    if e.meta.is_column():
        return frame[e.meta.output_name()]
    values = frame.select(e.alias("value")).to_series()
    return values if len(values) == frame.height else values.new_from_index(0, frame.height)


def moments(times: Ints) -> pl.Series:
    """A column of time stamps from microseconds since the epoch."""
    return pl.Series(times, dtype=pl.Int64).cast(pl.Datetime("us", "UTC"))


def pieces_of(
    released: Mapping[str, pl.DataFrame], watermark: int, size: int
) -> Iterator[tuple[dict[str, pl.DataFrame], int]]:
    """Frames with a column `_time`, each in order of time, cut at the same moments, so many rows a piece or a few more.

    Yields:
        Each piece, and the watermark that passes it alone: what lies below it and is in no piece before.
    """
    times = {name: timestamps(frame["_time"]) for name, frame in released.items()}
    every = np.sort(np.concatenate(list(times.values())))
    cuts = [int(t) for t in np.unique(every[size::size])]
    begin = dict.fromkeys(released, 0)
    for cut in (*cuts, watermark):
        end = {name: int(np.searchsorted(of_frame, cut, "left")) for name, of_frame in times.items()}
        yield {name: frame[begin[name] : end[name]] for name, frame in released.items()}, cut
        begin = end


def micros(value: datetime | timedelta) -> int:
    """Whole microseconds of a duration, or since the epoch of a moment."""
    return (value - EPOCH if isinstance(value, datetime) else value) // _MICROSECOND


FIRST_MOMENT, LAST_MOMENT = (micros(moment.replace(tzinfo=UTC)) for moment in (datetime.min, datetime.max))  # noqa: DTZ901 - has one here
"""Where the calendar begins and ends, the years 1 to 9999, in microseconds since the epoch."""


def moment_of(microseconds: int) -> datetime:
    """The moment so many microseconds after the epoch; for what lies beyond the calendar, where that begins or ends."""
    return EPOCH + min(max(microseconds, FIRST_MOMENT), LAST_MOMENT) * _MICROSECOND


def in_calendar(times: Ints) -> Ints:
    """Microseconds since the epoch, what lies beyond the calendar cut to it."""
    return times.clip(FIRST_MOMENT, LAST_MOMENT)


def all_of(conditions: Sequence[pl.Expr]) -> pl.Expr | None:
    """What is true where all conditions are (neither false nor unbound); `None`: there are none."""
    if not conditions:
        return None
    first, *others = (condition.fill_null(value=False) for condition in conditions)
    return pl.all_horizontal(first, *others) if others else first


def mask_of(frame: pl.DataFrame, conditions: Sequence[pl.Expr]) -> Bools:
    """Where all conditions are true (neither false nor unbound)."""
    return mask_by(frame, all_of(conditions))


def mask_by(frame: pl.DataFrame, condition: pl.Expr | None) -> Bools:
    """Where what `all_of` gave is true."""
    if condition is None:
        return np.ones(frame.height, dtype=bool)
    mask = frame.select(condition.alias("keep")).to_series()
    if mask.len() != frame.height:  # conditions without any column
        mask = mask.new_from_index(0, frame.height)
    return mask.to_numpy()


def unsigned_zero(x: pl.Expr) -> pl.Expr:
    """One zero for both: Polars leaves out `+ 0.0`, which would do the same."""
    return pl.when(x == 0.0).then(0.0).otherwise(x)


def value_codes(values: pl.Series, *, nulls_match: bool = False) -> Ints:
    """Codes from 0 on, the same for equal values; null is −1, or a value of its own. NaN is one value here."""
    if values.dtype.is_float():
        values = values.to_frame("value").select(unsigned_zero(pl.col("value"))).to_series()
    encoded = values.to_arrow(compat_level=pl.CompatLevel.newest()).dictionary_encode()
    null = len(encoded.dictionary) if nulls_match else -1
    return np.asarray(encoded.indices.fill_null(null), dtype=np.int64)
