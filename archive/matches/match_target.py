"""Rows of a named query as the log of matches keeps them, written by whoever has them: a task, in any process."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

from ...annotator import exclude_ids, ids_of
from ...storage import StoragePath
from ..log import first_of_each_id, write_segment
from .match_columns import flat
from .provenance import Provenance

__all__ = ["MatchTarget", "flat_pieces", "later"]

_PIECE = 131_072
"""So many rows are put into the log's form at once."""


@dataclass(frozen=True, slots=True)
class MatchTarget:
    """Writes rows of a query as a segment, which counts when the log is given it; can be pickled.

    Attributes:
        folder: of the query in the log, as all machines know it; segments have to be written there.
        provenance: of the rows.
    """

    folder: StoragePath
    provenance: Provenance

    def write(self, rows: pa.Table, path: StoragePath) -> None:
        """Write rows as queries give them, in order of time, of which there are some, durably.

        Raises:
            ArchiveError: the file system refuses.
        """
        pieces = flat_pieces(rows, self.provenance)
        write_segment(path, next(pieces), more=pieces)


def flat_pieces(rows: pa.Table, provenance: Provenance) -> Iterator[pa.Table]:
    """Rows in the log's form, piece by piece; each id once, and no piece is empty.

    Args:
        rows: as queries give them, in order of time.
        provenance: of all of them.
    """
    latest: datetime | None = None
    for start in range(0, rows.num_rows, _PIECE):
        piece = first_of_each_id(flat(rows.slice(start, _PIECE), provenance))
        times = pc.min_max(piece["_time"]).as_py()
        if latest is not None and times["min"] <= latest:  # at most the last moment before
            piece = exclude_ids(piece, _ids_between(rows.slice(0, start), times["min"], times["max"]))
        latest = later(latest, times["max"])
        if piece.num_rows:
            yield piece


def _ids_between(rows: pa.Table, first: datetime, last: datetime) -> pl.Series:
    """The ids of the rows of a time, its end included."""
    times, kind = rows["_time"], rows.schema.field("_time").type
    within = pc.and_(pc.greater_equal(times, pa.scalar(first, kind)), pc.less_equal(times, pa.scalar(last, kind)))
    return ids_of(rows.select(["_id"]).filter(within))


def later(known: datetime | None, new: datetime) -> datetime:
    """The later one of two moments, the first of which may be missing."""
    return new if known is None else max(known, new)
