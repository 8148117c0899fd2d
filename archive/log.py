"""The event log: append-only Parquet segments, the source of truth of the archive."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from pathlib import Path

import polars as pl
import pyarrow as pa

from ..errors import ArchiveError, Place
from . import segment
from .layout import LOCK, folder_of_stream, make_folder, remove_temporaries, stream_of_folder
from .lock import ProcessLock
from .segment import TIME, Position, SegmentFacts


class EventLog:
    """Event tables of streams, one segment per stream and batch, in order of arrival.

    Any number of processes read; one writes, from its first `append` until `close`. A segment is there as a whole
    or not at all. What is appended has passed admission: a log does not look for an event's id in older segments.

    Args:
        path: the log's folder; made by the first `append`.
        generation: that of the checkpoint whose batch ids are appended; a later generation follows all earlier ones.
    """

    def __init__(self, path: Path, generation: int = 0) -> None:
        self.path = path
        self.generation = generation
        self._lock: ProcessLock | None = None
        self._facts: dict[Path, tuple[int, SegmentFacts]] = {}

    def lock(self) -> None:
        """Become the writer, if this log is not yet; delete what a killed writer left half written.

        Raises:
            ArchiveError: somebody else is, or the file system refuses.
        """
        if self._lock is not None:
            return
        lock = ProcessLock(self.path / LOCK)
        try:
            make_folder(self.path)
            held = lock.acquire()
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
        for folder in self.path.iterdir():
            if folder.is_dir():
                remove_temporaries(folder)

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
        path = self._path(stream, position)
        self.lock()
        if events.num_rows:
            segment.write(path, segment.plain(events))
        else:
            path.unlink(missing_ok=True)
        return position

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
        return self.read_segments(self.segments(stream), start, end, columns)

    def segments(self, stream: str, after: Position | None = None, upto: Position | None = None) -> list[Path]:
        """List the segments of a stream of the batches behind `after` and not behind `upto`, in order of arrival."""
        found = self._segments(stream).items()
        return [
            path for position, path in found
            if (after is None or position > after) and (upto is None or position <= upto)
        ]  # fmt: skip

    def read_segments(
        self,
        paths: Iterable[Path],
        start: datetime | None = None,
        end: datetime | None = None,
        columns: Sequence[str] | None = None,
    ) -> pa.Table:
        """`read` for some segments of a stream."""
        needed = None if columns is None else frozenset({*columns, "_time", "_id"})
        overlapping = [path for path in paths if _overlaps(self.facts(path), start, end)]
        events = _first_of_each_id(_concatenate([(p, segment.read(p, start, end, needed)) for p in overlapping]))
        return events if columns is None else _select(events, columns)

    def read_batch(self, position: Position) -> dict[str, pa.Table]:
        """Return the events of one batch by stream, in order of the streams' names, as they were appended."""
        paths = {stream: self._path(stream, position) for stream in self.streams()}
        return {s: segment.read(p, None, None, None) for s, p in paths.items() if p.exists()}

    def positions(self, after: Position | None = None) -> list[Position]:
        """List the batches that the log holds, ascending; only those later than `after`."""
        found = {position for stream in self.streams() for position in self._segments(stream)}
        return sorted(p for p in found if after is None or p > after)

    def streams(self) -> tuple[str, ...]:
        """Name the streams that the log holds, sorted."""
        if not self.path.is_dir():
            return ()
        return tuple(sorted(stream_of_folder(p.name) for p in self.path.iterdir() if p.is_dir()))

    def count(self, stream: str) -> int:
        """Count the events of the stream, late ones included."""
        return sum(self.facts(path).rows for path in self._segments(stream).values())

    def batch_rows(self, position: Position) -> int:
        """Count the events of a batch over all streams."""
        paths = [self._path(stream, position) for stream in self.streams()]
        return sum(self.facts(path).rows for path in paths if path.exists())

    def time_range(self, stream: str) -> tuple[datetime, datetime] | None:
        """Return least and greatest `_time` of the stream's events; `None` without events."""
        known = [self.facts(path) for path in self._segments(stream).values()]
        return (min(f.first for f in known), max(f.last for f in known)) if known else None

    def facts(self, path: Path) -> SegmentFacts:
        """Return what the footer of a segment says, read once per version of the file."""
        version = path.stat().st_mtime_ns
        known = self._facts.get(path)
        if known is None or known[0] != version:
            known = self._facts[path] = (version, segment.facts(path))
        return known[1]

    def close(self) -> None:
        """Let another process write."""
        if self._lock is not None:
            self._lock.release()
            self._lock = None

    def _path(self, stream: str, position: Position) -> Path:
        return self.path / folder_of_stream(stream) / segment.file_name(position)

    def _segments(self, stream: str) -> dict[Position, Path]:
        folder = self.path / folder_of_stream(stream)
        if not folder.is_dir():
            return {}
        found = ((segment.position_of(path), path) for path in folder.iterdir())
        return dict(sorted((position, path) for position, path in found if position is not None))


def _first_of_each_id(events: pa.Table) -> pa.Table:
    ids = pl.Series(events["_id"])
    return events if ids.n_unique() == len(ids) else events.filter(ids.is_first_distinct().to_arrow())


def _overlaps(known: SegmentFacts, start: datetime | None, end: datetime | None) -> bool:
    return (start is None or known.last >= start) and (end is None or known.first < end)


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
