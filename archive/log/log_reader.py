"""The event log as it is read, by any number of processes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from functools import partial
from heapq import merge
from itertools import groupby
from operator import itemgetter
from weakref import WeakSet

import pyarrow as pa

from ...storage import StoragePath, folder_name, name_of_folder
from .batch_index import Position
from .manifest import Manifest, Segment, SegmentSlice, SetAside, read_consistently
from .segment import SegmentFacts
from .table_union import first_of_each_id, select_columns, union_by_name

__all__ = ["LogReader"]


class LogReader:
    """Event tables of streams, in order of arrival; whoever writes them may do so meanwhile.

    Args:
        path: the log's folder, which need not be there.
        set_aside: takes a broken segment out of the log; `None`: it stays, and is an error.

    Attributes:
        readers: whatever reads of this log, in this process, what must not be dropped meanwhile.
    """

    def __init__(self, path: StoragePath, set_aside: SetAside | None = None) -> None:
        self.path = path
        self._set_aside = set_aside
        self._manifests: dict[str, Manifest] = {}
        self.readers: WeakSet[object] = WeakSet()

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
        *,
        again: bool = False,
    ) -> pa.Table:
        """`read` for some slices of a stream.

        Args:
            slices: of the stream.
            start: as of `read`.
            end: likewise.
            columns: likewise.
            again: also events whose `_id` has come before.

        Raises:
            FileNotFoundError: a segment is gone since they were found.
        """
        needed = None if columns is None else frozenset({*columns, "_time", "_id"})
        overlapping = [part for part in slices if _overlaps(part.facts, start, end)]
        # Slices are of one stream, but whoever asks does not say of which.
        tables = [(p.path, self._of_file(p.path).read(p.path, start, end, needed, p.rows)) for p in overlapping]
        events = union_by_name(tables) if again else first_of_each_id(union_by_name(tables))
        return events if columns is None else select_columns(events, columns)

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

    def _of_file(self, path: StoragePath) -> Manifest:
        return self.manifest(name_of_folder(path.parent.name))


def _overlaps(known: SegmentFacts, start: datetime | None, end: datetime | None) -> bool:
    return (start is None or known.last >= start) and (end is None or known.first < end)
