"""What a log knows already of events that come again, of which admission has forgotten that they came."""

from __future__ import annotations

from datetime import timedelta

import polars as pl
import pyarrow as pa

from ...annotator import ids_of
from .batch_index import Position
from .late_events import late_rows
from .log_reader import LogReader
from .manifest import read_consistently

__all__ = ["drop_late_duplicates", "earlier_ids"]

_MICROSECOND = timedelta(microseconds=1)


def earlier_ids(log: LogReader, stream: str, position: Position, times: pa.ChunkedArray) -> pl.Series:
    """Return the ids of a stream's events of earlier batches that may be the same as some others.

    Args:
        log: of the stream.
        stream: its name.
        position: of a batch; what that one and later ones hold is left out.
        times: `_time` of the others, at least one.
    """
    moments = pl.Series(times).sort()
    end = moments[-1] + _MICROSECOND

    def read() -> pa.Table:
        parts = log.slices(stream, upto=position.before)
        near = [part for part in parts if moments.is_between(part.facts.first, part.facts.last).any()]
        return log.read_slices(near, moments[0], end, ["_id"])

    return ids_of(read_consistently(read))


def drop_late_duplicates(log: LogReader, stream: str, position: Position, rows: pa.Table) -> pa.Table:
    """Rows of a batch, but late ones whose event an earlier batch has: that it came again says nothing new of it.

    Args:
        log: has them.
        stream: its name.
        position: of the batch, or of the first one that the rows are of.
        rows: `_time`, `_id`, perhaps `_late`, and others.
    """
    late = late_rows(rows)
    if late is None:
        return rows
    known = earlier_ids(log, stream, position, rows.filter(late.to_arrow())["_time"])
    again = late & ids_of(rows).is_in(known.implode())
    return rows.filter((~again).to_arrow()) if again.any() else rows
