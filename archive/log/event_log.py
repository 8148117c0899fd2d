"""The event log: append-only Parquet segments, the source of truth of the archive."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial
from heapq import merge
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from weakref import WeakSet

import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

from ...errors import ArchiveError, Place
from ...storage import ProcessLock, folder_name, make_folder, name_of_folder, remove_temporaries
from ..folder_layout import LOCK, SPOOL
from .batch_index import BatchFacts, Position
from .manifest import Manifest, Segment, SegmentSlice, read_consistently
from .quarantine import quarantine, quarantined
from .segment import (
    TIME,
    BrokenSegmentError,
    SegmentFacts,
    plain_table,
    segment_name,
    write_segment,
)

_LOG = logging.getLogger("kaicep")


class EventLog:
    """Event tables of streams, one segment per stream and batch until they are put together, in order of arrival.

    Any number of processes read; one writes, from its first `append` until `close`. A segment is there as a whole
    or not at all. What is appended has passed admission: a log does not look for an event's id in older segments.
    The writer sets segments aside that are broken, and goes on without them.

    Args:
        path: the log's folder; made by the first `append`.
        generation: that of the checkpoint whose batch ids are appended; a later generation follows all earlier ones.
        keeper: sets broken segments aside also while another process writes.

    Attributes:
        settling: held by whoever changes segments of batches before the newest one.
        newest: the newest batch since `lock`; it may be torn between its streams, and is left alone.
        readers: whatever reads of this log, in this process, what must not be dropped meanwhile.
    """

    def __init__(self, path: Path, generation: int = 0, *, keeper: bool = False) -> None:
        self.path = path
        self._keeper = keeper
        self.generation = generation
        self._lock: ProcessLock | None = None
        self._manifests: dict[str, Manifest] = {}
        self.settling = threading.Lock()
        self.newest: Position | None = None
        self.readers: WeakSet[object] = WeakSet()

    def lock(self, timeout: float = 0.0) -> None:
        """Become the writer, if this log is not yet; delete what a killed writer left half written.

        Args:
            timeout: seconds to wait for another writer.

        Raises:
            ArchiveError: somebody else is, or the file system refuses.
        """
        if self._lock is not None:
            return
        lock = ProcessLock(self.path / LOCK)
        try:
            make_folder(self.path)
            held = lock.acquire(timeout)
        except OSError as error:
            raise ArchiveError(
                f"the log cannot be written: {error.strerror}",
                place=Place(str(self.path)),
                hint="choose another path under [archive]",
            ) from error
        if not held:
            raise ArchiveError(
                f"{lock.holder()} writes this archive",
                place=Place(str(self.path)),
                hint="stop it first, or choose another path under [archive]",
            )
        self._lock = lock
        for stream in self.streams():
            remove_temporaries(self.path / folder_name(stream))
            read_consistently(partial(_remove_leftovers, self.manifest(stream)))
        lost = [one.last for one in quarantined(self.path)]
        self.newest = max([*lost, *([] if self.last is None else [self.last])], default=None)

    def append(self, stream: str, batch_id: int, events: pa.Table) -> Position:
        """Keep a batch of a stream; when this returns, it survives a crash of the machine.

        The same batch id again replaces the segment: a re-delivered batch changes nothing.

        Args:
            stream: its name.
            batch_id: not negative; ascending in order of arrival.
            events: an event table; perhaps with `_late` bool. `_row` is not kept.

        Raises:
            ArchiveError: another process writes this log, the table is none of events, the file system refuses.
        """
        position = Position(self.generation, batch_id)
        kept = plain_table(events) if events.num_rows else None
        self.lock()
        if self.newest is None or position >= self.newest:
            self._write(stream, position, kept)
            self.newest = position
        else:
            with self.settling:
                self._write_again(stream, position, kept)
        return position

    def _write(self, stream: str, position: Position, events: pa.Table | None) -> None:
        path = self.path / folder_name(stream) / segment_name(position)
        if events is None:
            path.unlink(missing_ok=True)
        else:
            write_segment(path, events)

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

    def put_back(self, stream: str, batches: Mapping[Position, pa.Table], home: Path | None = None) -> None:
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

    def read(
        self,
        stream: str,
        start: datetime | None = None,
        end: datetime | None = None,
        columns: Sequence[str] | None = None,
    ) -> pa.Table:
        """Return the events of a stream with start <= `_time` < end, in order of arrival, each `_id` once: the first.

        Args:
            stream: its name; a stream that the log does not have has no events.
            start: aware; `None`: from the first event.
            end: aware; `None`: to the last.
            columns: names, in the wanted order; one that no segment has is null. `None`: all that there are.

        Raises:
            ArchiveError: a segment is broken, or a column has types that do not go together.
        """
        return read_consistently(lambda: self.read_slices(self.slices(stream), start, end, columns))

    def slices(self, stream: str, after: Position | None = None, upto: Position | None = None) -> list[SegmentSlice]:
        """Find a stream's events of the batches behind `after` and not behind `upto`, in order of arrival."""
        return read_consistently(lambda: self.manifest(stream).slices(after, upto))

    def read_slices(
        self,
        slices: Iterable[SegmentSlice],
        start: datetime | None = None,
        end: datetime | None = None,
        columns: Sequence[str] | None = None,
    ) -> pa.Table:
        """`read` for some slices of a stream.

        Raises:
            FileNotFoundError: a segment is gone since they were found.
        """
        needed = None if columns is None else frozenset({*columns, "_time", "_id"})
        overlapping = [part for part in slices if _overlaps(part.facts, start, end)]
        # Slices are of one stream, but whoever asks does not say of which.
        tables = [(p.path, self._of_file(p.path).read(p.path, start, end, needed, p.rows)) for p in overlapping]
        events = first_of_each_id(_concatenate(tables))
        return events if columns is None else _select(events, columns)

    def read_batch(self, position: Position) -> dict[str, pa.Table]:
        """Return the events of one batch by stream, in order of the streams' names, as they were appended."""
        found = {stream: self.batch_of(stream, position) for stream in self.streams()}
        return {stream: events for stream, events in found.items() if events is not None}

    def batch_of(self, stream: str, position: Position) -> pa.Table | None:
        """Return the events of one batch of a stream as they were appended; `None`: there are none."""

        def read() -> pa.Table | None:
            part = self.manifest(stream).slice_of(position)
            return None if part is None else self.manifest(stream).read(part.path, rows=part.rows)

        return read_consistently(read)

    def positions(self, after: Position | None = None) -> list[Position]:
        """List the batches that the log holds, ascending; only those later than `after`."""
        return [position for position, _ in self.rows_by_batch(after)]

    def rows_by_batch(self, after: Position | None = None) -> Iterator[tuple[Position, int]]:
        """Each batch that the log holds, ascending, and its number of events over all streams; those behind `after`."""
        streams = [self.manifest(stream).rows_by_batch(after) for stream in self.streams()]
        for position, found in groupby(merge(*streams), key=itemgetter(0)):
            yield position, sum(rows for _, rows in found)

    @property
    def first(self) -> Position | None:
        """The first batch that the log holds, as its files' names say; `None`: it holds none."""
        return min((found[0].first for found in self._segments() if found), default=None)

    @property
    def last(self) -> Position | None:
        """The last one."""
        return max((found[-1].last for found in self._segments() if found), default=None)

    def _segments(self) -> Iterator[Sequence[Segment]]:
        return (self.manifest(stream).segments() for stream in self.streams())

    def streams(self) -> tuple[str, ...]:
        """Name the streams that the log holds, sorted."""
        if not self.path.is_dir():
            return ()
        return tuple(sorted(name_of_folder(p.name) for p in self.path.iterdir() if p.is_dir()))

    def count(self, stream: str) -> int:
        """Count the events of the stream, late ones included."""
        return sum(part.facts.rows for part in self.slices(stream))

    def batch_rows(self, position: Position) -> int:
        """Count the events of a batch over all streams."""
        found = (read_consistently(partial(self.manifest(s).slice_of, position)) for s in self.streams())
        return sum(part.facts.rows for part in found if part is not None)

    def time_range(self, stream: str) -> tuple[datetime, datetime] | None:
        """Return least and greatest `_time` of the stream's events; `None` without events."""
        known = [part.facts for part in self.slices(stream)]
        return (min(f.first for f in known), max(f.last for f in known)) if known else None

    def extent(self) -> tuple[datetime, datetime] | None:
        """Return least and greatest `_time` of all events; `None` without events."""
        known = [found for stream in self.streams() if (found := self.time_range(stream)) is not None]
        return (min(first for first, _ in known), max(last for _, last in known)) if known else None

    def manifest(self, stream: str) -> Manifest:
        """The segments of a stream."""
        if stream not in self._manifests:
            self._manifests[stream] = Manifest(self.path / folder_name(stream), self._set_aside)
        return self._manifests[stream]

    def _of_file(self, path: Path) -> Manifest:
        return self.manifest(name_of_folder(path.parent.name))

    def _set_aside(self, path: Path, error: BrokenSegmentError) -> None:
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
            self._lock = None


def _remove_leftovers(manifest: Manifest) -> None:
    """Remove the parts of segments that were put together, where the whole is sound."""
    for whole, parts in manifest.leftovers().items():
        manifest.check(whole.path)
        for part in parts:
            part.path.unlink(missing_ok=True)


def write_compacted(path: Path, batches: Mapping[Position, pa.Table]) -> None:
    """Write one segment of several batches of a stream, durably and at once.

    Args:
        path: its file.
        batches: their plain events; none is empty.

    Raises:
        ArchiveError: the file system refuses, or a column has types that do not go together.
    """
    ordered = sorted(batches.items())
    ranges = [pc.min_max(events["_time"]).as_py() for _, events in ordered]
    known = [BatchFacts(p, t.num_rows, r["min"], r["max"]) for (p, t), r in zip(ordered, ranges, strict=True)]
    write_segment(path, _concatenate([(path, events) for _, events in ordered]), known)


def batches_of(manifest: Manifest, one: Segment) -> Iterator[tuple[Position, pa.Table]]:
    """Read the batches of a segment.

    Raises:
        FileNotFoundError: it is gone.
        ArchiveError: it is broken.
    """
    events = manifest.read(one.path)
    if one.single:
        yield one.first, events
        return
    index = manifest.batches(one)
    for i, position in enumerate(index.positions()):
        rows = index.rows(range(i, i + 1))
        yield position, events.slice(rows.start, len(rows))


def _same(held: pa.Table, events: pa.Table) -> bool:
    """Whether events say the same; columns that others of the segment have are null in these."""
    return set(events.column_names) <= set(held.column_names) and all(
        events[name].equals(held[name]) if name in events.column_names else held[name].null_count == held.num_rows
        for name in held.column_names
    )


def first_of_each_id(events: pa.Table) -> pa.Table:
    """The events, each `_id` once: the first."""
    ids = pl.Series(events["_id"])
    return events if ids.n_unique() == len(ids) else events.filter(ids.is_first_distinct().to_arrow())


def _overlaps(known: SegmentFacts, start: datetime | None, end: datetime | None) -> bool:
    return (start is None or known.last >= start) and (end is None or known.first < end)


def concatenated(*tables: pa.Table) -> pa.Table:
    """Plain tables one after the other, with the columns of all.

    Raises:
        ArchiveError: a column has types that do not go together.
    """
    return _concatenate([(Path(), table) for table in tables])


def _concatenate(parts: Sequence[tuple[Path, pa.Table]]) -> pa.Table:
    """One table of all, with the columns of all; what a segment lacks is null, integers beside doubles are doubles."""
    types: dict[str, tuple[pa.DataType, Path]] = {"_time": (TIME, Path()), "_id": (pa.string(), Path())}
    for path, part in parts:
        for field in part.schema:
            known, where = types.get(field.name, (field.type, path))
            types[field.name] = (_common(field.name, (known, where), (field.type, path)), where)
    schema = pa.schema([(name, kind) for name, (kind, _) in types.items()])
    return pa.concat_tables([_conform(part, schema) for _, part in parts]) if parts else schema.empty_table()


def _common(name: str, known: tuple[pa.DataType, Path], new: tuple[pa.DataType, Path]) -> pa.DataType:
    if known[0] == new[0]:
        return known[0]
    if {known[0], new[0]} == {pa.int64(), pa.float64()}:
        return pa.float64()
    raise ArchiveError(
        f"column '{name}' is {new[0]} here and {known[0]} in {known[1]}",
        place=Place(str(new[1])),
        hint="the attribute's datatype was changed; ask for columns that leave it out",
    )


def _conform(part: pa.Table, schema: pa.Schema) -> pa.Table:
    def column(field: pa.Field) -> pa.ChunkedArray | pa.Array:
        if field.name not in part.column_names:
            return pa.nulls(part.num_rows, field.type)
        return part[field.name].cast(field.type, safe=False)

    return pa.table([column(field) for field in schema], schema=schema)


def _select(events: pa.Table, columns: Iterable[str]) -> pa.Table:
    known = set(events.column_names)
    return pa.table({name: events[name] if name in known else pa.nulls(events.num_rows) for name in columns})
