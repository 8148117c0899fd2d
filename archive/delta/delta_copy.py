"""A log copied into tables of Delta Lake: what a table lacks is read from the log, some rows at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pyarrow as pa

from ...errors import ArchiveError, Place
from ...storage import folder_name
from ..log import EventLog, LogReader, Position, drop_late_duplicates, read_consistently
from .delta_table import CopiedTo, DeltaPlace, StorageAwayError, StreamTable

__all__ = ["DeltaCopy"]

_ROWS = 500_000
"""About so many rows go into a commit at most."""


class DeltaCopy:
    """The tables of a log; only one process copies at a time, that which writes the log.

    Args:
        log: read only here.
        place: of the tables.
        name: of the log's folder in it.

    Attributes:
        held: up to here the tables have all of the log, as far as this knows; `None`: not even the first batch.
    """

    def __init__(self, log: EventLog, place: DeltaPlace, name: str) -> None:
        self._log, self._place, self._name = log, place, name
        self._tables: dict[str, StreamTable] = {}
        self.held: Position | None = None

    def table(self, stream: str) -> StreamTable:
        """The table of a stream."""
        if stream not in self._tables:
            self._tables[stream] = StreamTable(self._place, f"{self._name}/{_table_name(stream)}")
        return self._tables[stream]

    @property
    def lag(self) -> int:
        """How many rows the log has that the tables lack, as far as this knows: no storage is asked."""
        return sum(self._lag_of(stream) for stream in self._log.streams())

    def _lag_of(self, stream: str) -> int:
        table = self._tables.get(stream)
        known = None if table is None else table.known
        behind = self._log.slices(stream, None if known is None else known.position)
        return sum(part.facts.rows for part in behind)

    def check(self, streams: Iterable[str]) -> None:
        """Make sure that the tables of these streams, and of those in the log, are this archive's, or not there yet.

        Raises:
            ArchiveError: they are not, or have batches that the log has not.
            StorageAwayError: the storage does not answer.
        """
        newest = self._log.newest
        for stream in sorted({*streams, *self._log.streams()}):
            copied = self.table(stream).copied()
            if copied is not None and (newest is None or copied.position > newest):
                raise ArchiveError(
                    f"the table of Delta Lake is ahead of the log: it has batch {copied.position}, the log {newest}",
                    place=Place(self.table(stream).uri),
                    hint="move the table away: it is written anew from the log; was a backup of the archive put back?",
                )

    def catch_up(self) -> None:
        """Append what the tables lack, each also when another one cannot be written.

        Raises:
            ArchiveError: a table is none of this archive, or has other types; a segment is broken.
            StorageAwayError: the storage does not answer, or refuses.
        """
        upto, faults = self._log.last, []
        for stream in self._log.streams():
            table = self.table(stream)
            try:
                for rows, copied in _lacking(self._log, stream, table.copied()):
                    table.append(rows, copied)
            except (ArchiveError, StorageAwayError) as error:
                faults.append(error)
        if faults:
            raise faults[0]
        self.held = upto


def _table_name(stream: str) -> str:
    """The folder of a stream's table: as in the log, but `~` for `%`, which readers of Delta Lake would decode."""
    return folder_name(stream).replace("~", "%7E").replace("%", "~")


def _lacking(log: LogReader, stream: str, copied: CopiedTo | None) -> Iterator[tuple[pa.Table, CopiedTo]]:
    """What a table lacks of a stream, in order of arrival, each event once; and how far it is with that.

    The last batch that it has may have grown since: the rows of queries do when a batch is delivered again.
    """
    after = None if copied is None else copied.position
    if copied is not None:
        held = log.batch_of(stream, copied.position)
        if held is not None and held.num_rows > copied.rows:
            more = drop_late_duplicates(log, stream, copied.position, held.slice(copied.rows))
            yield more, CopiedTo(copied.position, held.num_rows)
    while (found := read_consistently(lambda after=after: _next(log, stream, after))) is not None:  # type: ignore[misc]
        yield found
        after = found[1].position


def _next(log: LogReader, stream: str, after: Position | None) -> tuple[pa.Table, CopiedTo] | None:
    """The next rows of a stream behind a batch; `None`: there are no more."""
    manifest, taken, rows = log.manifest(stream), [], 0
    for one in manifest.behind(after):
        taken.append(one)
        rows += manifest.facts(one.path).rows
        if rows >= _ROWS:
            break
    if not taken:
        return None
    last = taken[-1].last
    newest = manifest.slice_of(last)
    events = log.read_slices(manifest.slices(after, last))
    first = taken[0].first if after is None else Position(after.generation, after.batch + 1)
    return drop_late_duplicates(log, stream, first, events), CopiedTo(last, 0 if newest is None else newest.facts.rows)
