"""The log of matches: what named queries found, durable with the batch that found it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from ...annotator import exclude_ids, ids_of
from ...storage import StoragePath, folder_name
from ..folder_layout import MATCHES, PROVENANCES
from ..log import (
    EventLog,
    Position,
    PreparedSegment,
    concatenated,
    earlier_ids,
    read_consistently,
    read_segment,
    segment_facts,
)
from .match_columns import ORIGIN
from .match_target import MatchTarget, flat_pieces, later
from .provenance import Provenance

_WRITERS = 8


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

    def target(self, provenance: Provenance) -> MatchTarget:
        """How another process writes rows of a query for `append`; what earlier ones have left goes before.

        Raises:
            ArchiveError: another process writes this log, or the file system refuses.
        """
        self.log.lock()
        return MatchTarget(self.log.path.absolute() / folder_name(provenance.query), provenance)

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

    def append(self, batch_id: int, found: Iterable[tuple[Provenance, pa.Table | PreparedSegment]]) -> int:
        """Keep rows of a batch; when this returns, they survive a crash of the machine.

        Rows that the log has, of this batch or an earlier one, change nothing.

        Args:
            batch_id: not negative; ascending in order of arrival.
            found: rows as queries give them, or as a `MatchTarget` has written them, and their provenance; each query
                once.

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

    def _append(
        self, position: Position, provenance: Provenance, rows: pa.Table | PreparedSegment, *, again: bool
    ) -> int:
        """Keep a query's rows; count those that are new."""
        if isinstance(rows, pa.Table):
            return self._write(position, provenance, flat_pieces(rows, provenance), again=again)
        if rows.path is None:
            return 0
        facts, latest = segment_facts(rows.path), self._latest_of(provenance.query)
        if again or (latest is not None and facts.first <= latest):  # the log may have some of them
            found = self._write(position, provenance, iter((read_segment(rows.path),)), again=again)
            rows.path.unlink()
            return found
        self._keep(provenance)
        self.log.append(provenance.query, position.batch, rows)
        self._latest[provenance.query] = facts.last
        return facts.rows

    def _keep(self, provenance: Provenance) -> None:
        if provenance.digest not in self._known:
            provenance.keep(self._folder)
            self._known[provenance.digest] = provenance

    def _latest_of(self, query: str) -> datetime | None:
        """The greatest `_time` that the log has of a query."""
        if query not in self._latest:
            times = self.log.time_range(query)
            self._latest[query] = None if times is None else times[1]
        return self._latest[query]

    def _write(self, position: Position, provenance: Provenance, rows: Iterator[pa.Table], *, again: bool) -> int:
        query = provenance.query
        held = self.log.batch_of(query, position) if again else None
        left = (self._without_known(piece, query, position, held) for piece in rows)
        pieces = (piece for piece in left if piece.num_rows)
        first = next(pieces, None)
        if first is None:
            return 0
        self._keep(provenance)
        counted = _Counted(chain((first,), pieces))
        if held is None:
            self.log.append(query, position.batch, next(counted), counted)
        else:
            self.log.append(query, position.batch, concatenated(held, *counted))
        self._latest[query] = later(self._latest_of(query), counted.latest)
        return counted.rows

    def _without_known(self, rows: pa.Table, query: str, position: Position, held: pa.Table | None) -> pa.Table:
        """Leave out the rows that the batch or an earlier one has.

        Rows come in order of time, so mostly there is nothing to look at.
        """
        if held is not None:
            rows = exclude_ids(rows, ids_of(held))
        latest = self._latest_of(query)
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
        self.latest = later(self.latest, pc.max(piece["_time"]).as_py())
        return piece
