"""The event log: append-only Parquet segments, the source of truth of the archive."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from errno import EACCES
from functools import partial
from pathlib import Path

import pyarrow as pa

from ...errors import ArchiveError, Place
from ...storage import BucketPath, ProcessLock, StoragePath, folder_name, make_folder, remove_temporaries
from ..folder_layout import LOCK, SPOOL
from ..writer_claim import Settling, WriterClaim
from .batch_index import Position
from .compacted_segment import batches_of, write_compacted
from .log_reader import LogReader
from .manifest import Manifest, read_consistently
from .quarantine import quarantine, quarantined
from .segment import BrokenSegmentError, plain_table, read_segment, segment_name, write_segment
from .table_union import concatenated

__all__ = ["EventLog", "PreparedSegment"]

_LOG = logging.getLogger("kaicep")


@dataclass(frozen=True, slots=True)
class PreparedSegment:
    """A batch of a stream that another process has written as a segment; it counts when it is appended.

    Attributes:
        path: a file in the folder of the stream, hidden and durable; `None`: the batch has no events.
        num_rows: events in it.
        late: those among them that are marked late.
    """

    path: StoragePath | None
    num_rows: int = 0
    late: int = 0


class EventLog(LogReader):
    """The log as it is read and written: one segment per stream and batch until they are put together.

    Any number of processes read; one writes, from its first `append` until `close`. A segment is there as a whole
    or not at all. What is appended has passed admission: a log does not look for an event's id in older segments.
    The writer sets segments aside that are broken, and goes on without them.

    Args:
        path: the log's folder, or a prefix in a bucket; made by the first `append`.
        generation: that of the checkpoint whose batch ids are appended; a later generation follows all earlier ones.
        keeper: sets broken segments aside also while another process writes.
        locks: the folder of the lock file; `None`: the log's own, which a bucket is not.

    Attributes:
        settling: held by whoever changes segments of batches before the newest one.
        newest: the newest batch since `lock`; it may be torn between its streams, and is left alone.
    """

    def __init__(
        self, path: StoragePath, generation: int = 0, *, keeper: bool = False, locks: Path | None = None
    ) -> None:
        super().__init__(path, self._set_aside)
        self._keeper = keeper
        self.generation = generation
        self._locks = locks
        self._lock: ProcessLock | None = None
        self.settling = Settling(path)
        self.newest: Position | None = None

    @property
    def is_kept(self) -> bool:
        """Whether its writer has something to look after: a bucket, of which nobody else knows what is in it."""
        return isinstance(self.path, BucketPath) or self.path.is_dir()

    def lock(self, timeout: float = 0.0) -> None:
        """Become the writer, if this log is not yet; delete what a killed writer left half written.

        Args:
            timeout: seconds to wait for another writer.

        Raises:
            ArchiveError: somebody else is, or the file system refuses.
        """
        if self._lock is not None:
            return
        try:
            lock = self._locked(timeout)
            if isinstance(self.path, BucketPath):
                self.settling.claim = WriterClaim(self.path)
                self.path.own()
        except OSError as error:
            raise ArchiveError(
                f"the log cannot be written: {error.strerror}",
                place=Place(str(self.path)),
                hint="choose another path under [archive]",
            ) from error
        self._lock = lock
        for stream in self.streams():
            remove_temporaries(self.path / folder_name(stream))
            read_consistently(partial(_remove_leftovers, self.manifest(stream)))
        lost = [one.last for one in quarantined(self.path)]
        self.newest = max([*lost, *([] if self.last is None else [self.last])], default=None)

    def _locked(self, timeout: float) -> ProcessLock:
        """The lock of this machine's writer, which is held."""
        folder = self.path if isinstance(self.path, Path) else self._locks
        if folder is None:
            raise OSError(EACCES, "it is in a bucket, and has no folder for its lock")
        lock = ProcessLock(folder / LOCK)
        make_folder(folder)
        if not lock.acquire(timeout):
            raise ArchiveError(
                f"{lock.holder()} writes this archive",
                place=Place(str(self.path)),
                hint="stop it first, or choose another path under [archive]",
            )
        return lock

    def append(
        self, stream: str, batch_id: int, events: pa.Table | PreparedSegment, more: Iterable[pa.Table] = ()
    ) -> Position:
        """Keep a batch of a stream; when this returns, it survives a crash of the machine.

        The same batch id again replaces the segment: a re-delivered batch changes nothing.

        Args:
            stream: its name.
            batch_id: not negative; ascending in order of arrival.
            events: an event table; perhaps with `_late` bool. `_row` is not kept. Or a segment, which is there no more
                under its old name.
            more: those behind them, with the same columns; many need not be in memory at once.

        Raises:
            ArchiveError: another process writes this log, the table is none of events, the file system refuses.
        """
        position = Position(self.generation, batch_id)
        if isinstance(events, PreparedSegment):
            return self._take(stream, position, events)
        kept = plain_table(events) if events.num_rows else None
        self.lock()
        pieces = map(plain_table, more)
        if self.newest is None or position >= self.newest:
            self._write(stream, position, kept, pieces)
            self.newest = position
        else:
            with self.settling:
                self._write_again(stream, position, kept if kept is None else concatenated(kept, *pieces))
        return position

    def _take(self, stream: str, position: Position, prepared: PreparedSegment) -> Position:
        """Let a segment count that another process has written."""
        self.lock()
        path, written = self.path / folder_name(stream) / segment_name(position), prepared.path
        if self.newest is not None and position < self.newest:
            with self.settling:
                self._write_again(stream, position, None if written is None else read_segment(written))
            if written is not None:
                written.unlink()
            return position
        if written is None:
            path.unlink(missing_ok=True)
        else:
            self.settling.name(written, path)
        self.newest = position
        return position

    def _write(self, stream: str, position: Position, events: pa.Table | None, more: Iterable[pa.Table] = ()) -> None:
        path = self.path / folder_name(stream) / segment_name(position)
        if events is None:
            path.unlink(missing_ok=True)
        else:
            write_segment(path, events, more=more, put=self.settling.put)

    def _write_again(self, stream: str, position: Position, events: pa.Table | None) -> None:
        """Write a batch that is not the newest, perhaps in the middle of a segment of several."""
        read_consistently(lambda: self._replace(stream, position, events))

    def _replace(self, stream: str, position: Position, events: pa.Table | None) -> None:
        holder = self.manifest(stream).holder(position)
        if holder is None or holder.single:
            self._write(stream, position, events)
            return
        held = self.batch_of(stream, position)
        if (held is None and events is None) or (held is not None and events is not None and _same(held, events)):
            return
        tables = {p: table for p, table in batches_of(self.manifest(stream), holder) if p != position}
        tables |= {} if events is None else {position: events}
        if tables:
            write_compacted(holder.path, tables)
        else:
            holder.path.unlink()

    def put_back(self, stream: str, batches: Mapping[Position, pa.Table], home: StoragePath | None = None) -> None:
        """Keep events that were lost; those that the log has of these batches stay before them.

        Args:
            stream: or query.
            batches: with events that the log lacks; at least one.
            home: of the segment of all of them, if they were put together.

        Raises:
            ArchiveError: another process writes this log, or the file system refuses.
        """
        self.lock()
        plain = {position: plain_table(events) for position, events in batches.items()}
        with self.settling:
            if home is not None and len(plain) > 1 and self.manifest(stream).holder(min(plain)) is None:
                write_compacted(home, plain)
                return
            for position, events in plain.items():
                held = self.batch_of(stream, position)
                self._write_again(stream, position, events if held is None else concatenated(held, events))

    def _set_aside(self, path: StoragePath, error: BrokenSegmentError) -> None:
        """Put a broken segment into quarantine; a reader leaves that to the writer.

        Raises:
            BrokenSegmentError: this log is only read, or the file system refuses.
        """
        if self._lock is None and not self._keeper:
            raise error
        try:
            lost = quarantine(self.path, path)
        except FileNotFoundError:
            return  # another thread has
        except OSError as refusal:
            raise error from refusal
        said = "it lies in quarantine now, and the log goes on without"
        back = "`kaicep repair` brings them back" if self.path.name != SPOOL else "their sources may have them still"
        _LOG.warning("%s: %s; %s %s; %s", path, error.message, said, lost, back)

    def close(self) -> None:
        """Let another process write."""
        if self._lock is not None:
            self._lock.release()
            self._lock = self.settling.claim = None
            if isinstance(self.path, BucketPath):
                self.path.disown()


def _remove_leftovers(manifest: Manifest) -> None:
    """Remove the parts of segments that were put together, where the whole is sound."""
    for whole, parts in manifest.leftovers().items():
        manifest.check(whole.path)
        for part in parts:
            part.path.unlink(missing_ok=True)


def _same(held: pa.Table, events: pa.Table) -> bool:
    """Whether events say the same; columns that others of the segment have are null in these."""
    return set(events.column_names) <= set(held.column_names) and all(
        events[name].equals(held[name]) if name in events.column_names else held[name].null_count == held.num_rows
        for name in held.column_names
    )
