"""The log of matches: what named queries found, durable with the batch that found it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path

import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

from ...annotator import exclude_ids, ids_of
from ...storage import StoragePath
from ..folder_layout import MATCHES, PROVENANCES
from ..log import EventLog, Position, concatenated, earlier_ids, first_of_each_id, read_consistently, read_segment
from .match_columns import ORIGIN, flat
from .provenance import Provenance

_WRITERS = 8
_PIECE = 131_072
"""So many rows are put into the log's form at once."""


class MatchLog:
    """Rows by query and batch; a row is known by its `_id`, and stands in one batch alone.

    A batch's rows are never taken back: delivered again it may find fewer of them (what a late query has ready differs)
    and the others in a later batch, but what was found is a match.

    Args:
        root: what the archive's logs lie in.
        generation: that of the checkpoint whose batch ids are appended.
        locks: the folder of the lock file; `None`: the log's own, which a bucket is not.

    Attributes:
        log: the rows, as `match_columns.flat` puts them; a query is a stream.
    """

    def __init__(self, root: StoragePath, generation: int = 0, *, locks: Path | None = None) -> None:
        self.log = EventLog(root / MATCHES, generation, locks=locks)
        self._folder = root / PROVENANCES
        self._known: dict[str, Provenance] = {}
        self._latest: dict[str, datetime | None] = {}

    def open(self) -> None:
        """Become the writer of what is there: it can be put together, and dropped, before there is more.

        Raises:
            ArchiveError: somebody else is, or the file system refuses.
        """
        if self.log.is_kept:
            self.log.lock()

    def close(self) -> None:
        """Let another process write."""
        self.log.close()

    def provenance(self, digest: str) -> Provenance:
        """What rows that name it come from.

        Raises:
            ArchiveError: it is lost.
        """
        if digest not in self._known:
            self._known[digest] = Provenance.read(self._folder, digest)
        return self._known[digest]

    def provenances(self) -> frozenset[str]:
        """What all rows come from, by digest."""

        def named() -> frozenset[str]:
            parts = [part for query in self.log.streams() for part in self.log.slices(query)]
            columns = [read_segment(part.path, columns=frozenset({"_time", ORIGIN}), rows=part.rows) for part in parts]
            return frozenset(digest for table in columns for digest in table[ORIGIN].unique().to_pylist())

        return read_consistently(named)

    def append(self, batch_id: int, found: Iterable[tuple[Provenance, pa.Table]]) -> int:
        """Keep rows of a batch; when this returns, they survive a crash of the machine.

        Rows that the log has, of this batch or an earlier one, change nothing.

        Args:
            batch_id: not negative; ascending in order of arrival.
            found: rows as queries give them, and their provenance; each query once.

        Returns:
            How many rows of the batch the log has now; 0 where nothing is new.

        Raises:
            ArchiveError: another process writes this log, or the file system refuses.
        """
        some = [(provenance, rows) for provenance, rows in found if rows.num_rows]
        if not some:
            return 0
        self.log.lock()
        position = Position(self.log.generation, batch_id)
        again = self.log.newest is not None and position <= self.log.newest
        if len(some) == 1:
            new = self._append(position, *some[0], again=again)
        else:
            with ThreadPoolExecutor(min(_WRITERS, len(some))) as pool:  # each file waits for the disk
                new = sum(pool.map(lambda entry: self._append(position, *entry, again=again), some))
        return self.log.batch_rows(position) if new and again else new

    def _append(self, position: Position, provenance: Provenance, rows: pa.Table, *, again: bool) -> int:
        """Keep a query's rows; count those that are new."""
        query = provenance.query
        held = self.log.batch_of(query, position) if again else None
        pieces = self._new(rows, provenance, position, held)
        first = next(pieces, None)
        if first is None:
            return 0
        if provenance.digest not in self._known:
            provenance.keep(self._folder)
            self._known[provenance.digest] = provenance
        counted = _Counted(chain((first,), pieces))
        if held is None:
            self.log.append(query, position.batch, next(counted), counted)
        else:
            self.log.append(query, position.batch, concatenated(held, *counted))
        self._latest[query] = _later(self._latest[query], counted.latest)
        return counted.rows

    def _new(
        self, rows: pa.Table, provenance: Provenance, position: Position, held: pa.Table | None
    ) -> Iterator[pa.Table]:
        """The rows that the log has not, in its form, piece by piece; each once."""
        latest: datetime | None = None
        for start in range(0, rows.num_rows, _PIECE):
            piece = first_of_each_id(flat(rows.slice(start, _PIECE), provenance))
            times = pc.min_max(piece["_time"]).as_py()
            if latest is not None and times["min"] <= latest:  # rows come in order of time: at most its last moment
                piece = exclude_ids(piece, _ids_between(rows.slice(0, start), times["min"], times["max"]))
            latest = _later(latest, times["max"])
            new = self._without_known(piece, provenance.query, position, held)
            if new.num_rows:
                yield new

    def _without_known(self, rows: pa.Table, query: str, position: Position, held: pa.Table | None) -> pa.Table:
        """Leave out the rows that the batch or an earlier one has.

        Rows come in order of time, so mostly there is nothing to look at.
        """
        if held is not None:
            rows = exclude_ids(rows, ids_of(held))
        if query not in self._latest:
            times = self.log.time_range(query)
            self._latest[query] = None if times is None else times[1]
        latest = self._latest[query]
        if latest is None or not rows.num_rows or pc.min(rows["_time"]).as_py() > latest:
            return rows
        return exclude_ids(rows, earlier_ids(self.log, query, position, rows["_time"]))


class _Counted(Iterator[pa.Table]):
    """Rows as they pass.

    Attributes:
        rows: how many have.
        latest: their greatest `_time`.
    """

    def __init__(self, pieces: Iterator[pa.Table]) -> None:
        self._pieces = pieces
        self.rows = 0
        self.latest = datetime.min.replace(tzinfo=UTC)

    def __next__(self) -> pa.Table:
        piece = next(self._pieces)
        self.rows += piece.num_rows
        self.latest = _later(self.latest, pc.max(piece["_time"]).as_py())
        return piece


def _ids_between(rows: pa.Table, first: datetime, last: datetime) -> pl.Series:
    """The ids of the rows of a time, its end included."""
    times, kind = rows["_time"], rows.schema.field("_time").type
    within = pc.and_(pc.greater_equal(times, pa.scalar(first, kind)), pc.less_equal(times, pa.scalar(last, kind)))
    return ids_of(rows.select(["_id"]).filter(within))


def _later(known: datetime | None, new: datetime) -> datetime:
    return new if known is None else max(known, new)
