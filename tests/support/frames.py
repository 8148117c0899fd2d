"""Candidates of one variable as operators hold them: microseconds and ids become the columns of a frame."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl
from kaicep.cep.order import NUMBER, Candidates
from kaicep.expressions.frames import moments

__all__ = ["candidates_at", "frame_at"]


def frame_at(
    times: Sequence[int], ids: Sequence[str] | None = None, columns: Mapping[str, Sequence[object]] | None = None
) -> pl.DataFrame:
    """A row per time stamp, in microseconds; without ids they are called by their rows."""
    names = [str(row) for row in range(len(times))] if ids is None else list(ids)
    head = {"_time": moments(np.array(times, dtype=np.int64)), "_id": pl.Series(names, dtype=pl.String)}
    return pl.DataFrame({**head, **{name: pl.Series(values, strict=True) for name, values in (columns or {}).items()}})


def candidates_at(times: Sequence[int], numbers: Sequence[int] | None = None, first_new: int = 0) -> Candidates:
    """Candidates; without numbers each is numbered by its time stamp."""
    number = np.array(times if numbers is None else numbers, dtype=np.int64)
    return Candidates(frame_at(times).with_columns(pl.Series(NUMBER, number)), number, first_new)
