"""One copy of the events that several operators keep, whoever keeps it, gone with the last one that does.

What is kept of a batch are columns that never change, of which Polars counts who holds them. So it is enough that those
who keep the same events of a batch are given the same columns; they may cut off and go on with what is left as they
like. Pieces that were kept batch by batch are put together by their age, at the same moments and at the same borders
for all, so that what they are put together to is the same again. Source: H2O §V; docs/decisions/291.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

import numpy as np
import polars as pl

from ...expressions import Ints, timestamps

__all__ = ["SharedEvents", "held_bytes"]

_EVERY = 16
"""After so many batches pieces are put together."""
_PARTS = 2
"""As a power of two: a piece spans at most such a part of its age."""


class SharedEvents:
    """The columns that operators keep of one batch."""

    def __init__(self) -> None:
        self._batches = 0
        self._columns: dict[tuple[object, ...], pl.Series] = {}

    def begin(self) -> None:
        """Begin a batch: what was kept of those before is held by those who keep it, and by nobody else."""
        self._batches += 1
        self._columns = {}

    def shared(self, frame: pl.DataFrame) -> pl.DataFrame:
        """The same candidates, in columns that others have, too, who keep the same events of this batch."""
        if not frame.height:
            return frame
        time = timestamps(frame["_time"])
        events = frame.height, int(time[0]), int(time.sum())
        return pl.DataFrame([self._shared_column(column, events) for column in frame])

    def _shared_column(self, column: pl.Series, events: tuple[int, int, int]) -> pl.Series:
        known = self._columns.setdefault((column.name, column.dtype, *events), column)
        return known if known is column or known.equals(column, check_dtypes=True) else column

    def put_together(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Candidates of many batches in few pieces, the older the larger; the first ones, which go next, stay."""
        # A filter leaves a piece without rows where it takes all of them.
        lengths = [length for length in frame["_time"].chunk_lengths() if length]
        if len(lengths) < 2 or self._batches % _EVERY:
            return frame
        starts = np.cumsum([0, *lengths])
        cells = _cells(timestamps(frame["_time"].gather(starts[:-1])), int(timestamps(frame["_time"][-1:])[0]))
        borders = [*np.flatnonzero(np.append(True, (cells[1:] != cells[:-1]).any(axis=1))).tolist(), len(lengths)]
        parts = []
        for number, (first, behind) in enumerate(pairwise(borders)):
            part = frame[int(starts[first]) : int(starts[behind])]
            parts.append(self.shared(part.rechunk()) if number and behind - first > 1 else part)
        return pl.concat(parts)


def _cells(moments: Ints, now: int) -> Ints:
    """The stretch of time that each moment lies in: how long it is, a power of two, and its place."""
    age = np.maximum(now - moments, 1)
    width = np.maximum(np.floor(np.log2(age)).astype(np.int64) - _PARTS, 0)
    return np.stack([width, moments >> width], axis=1)


def held_bytes(frames: Iterable[pl.DataFrame]) -> int:
    """How many bytes stand behind columns; what several of them hold counts once."""
    pieces = [piece for frame in frames for column in frame for piece in column.get_chunks()]
    # All are exported before any of them goes, so that no other one gets its place.
    exported = [piece.to_arrow(compat_level=pl.CompatLevel.newest()) for piece in pieces]
    buffers = [buffer for array in exported for buffer in array.buffers() if buffer is not None]
    counted, end = 0, 0
    for first, behind in sorted({(buffer.address, buffer.address + buffer.size) for buffer in buffers}):
        counted += max(0, behind - max(first, end))
        end = max(end, behind)
    return counted
