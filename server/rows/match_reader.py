"""Reads rows of a query from the log of matches, in the order in which they were found."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ...archive import ArchivePlace
from ...archive.log import Manifest, Position, Segment, read_consistently
from ...archive.matches import MatchLog
from ...config import Settings
from ...storage import BucketPath
from .row_cursor import RowCursor
from .row_json import row_json

__all__ = ["MatchReader", "MatchRow"]

_ORIGIN = "_origin"


@dataclass(frozen=True, slots=True)
class MatchRow:
    """A row, as JSON has it.

    Attributes:
        cursor: its place.
        row: items in the order of SELECT, `_time`, `_events`, `_window` and `_context` where there are some, `_id`; as
            sinks write them.
    """

    cursor: RowCursor
    row: Mapping[str, Any]


class MatchReader:
    """The rows that named queries have found, each durable before it is read; any thread may ask.

    Args:
        settings: of the project.
    """

    def __init__(self, settings: Settings) -> None:
        self._place = ArchivePlace.of(settings)
        self._lock = threading.Lock()
        self._opened: MatchLog | None = None

    def queries(self) -> tuple[str, ...]:
        """The names of those that have rows."""
        with self._lock:
            return self._log().log.streams()

    def count(self, query: str) -> int:
        """How many rows a query has."""
        with self._lock:
            return self._log().log.count(query)

    def columns(self, query: str) -> tuple[str, ...]:
        """The items of the rows of a query that were found last; none without rows."""
        with self._lock:
            return read_consistently(partial(self._columns, query))

    def after(self, query: str, cursor: RowCursor | None, limit: int) -> list[MatchRow]:
        """The first rows of a query behind a place.

        Args:
            query: its name.
            cursor: the place; `None`: before all.
            limit: so many rows at most.

        Raises:
            ArchiveError: a segment is broken.
        """
        with self._lock:
            return read_consistently(partial(self._after, query, cursor, limit))

    def newest(self, query: str, limit: int) -> list[MatchRow]:
        """The last rows of a query, the oldest of them first."""
        with self._lock:
            return read_consistently(partial(self._newest, query, limit))

    def end(self, query: str) -> RowCursor | None:
        """The place of the last row, by what footers say of their segments; `None`: there is none."""
        with self._lock:
            return read_consistently(partial(self._end, query))

    def reached(self, query: str, cursor: RowCursor | None) -> RowCursor | None:
        """A place, or that of the last row if it is behind that; `None`: before the first row.

        The log of a backup that was restored ends before what clients have had, and what is found now stands at places
        that they have passed.
        """
        if cursor is None:
            return None
        end = self.end(query)
        return cursor if end is not None and cursor <= end else end

    def cursor_of(self, query: str, row: str) -> RowCursor | None:
        """The place of the row that has an `_id`; `None`: no row has it."""
        with self._lock:
            return read_consistently(partial(self._cursor_of, query, row))

    def row(self, query: str, row: str) -> MatchRow | None:
        """The row that has an `_id`; `None`: no row has it."""
        place = self.cursor_of(query, row)
        if place is None:
            return None
        before = RowCursor(place.position, place.number - 1)
        return next(iter(self.after(query, before, 1)), None)

    def version(self, query: str) -> tuple[object, ...]:
        """What is another one as soon as there are more rows; costs next to nothing."""
        with self._lock:
            segments = self._manifest(query).segments()
            if not segments:
                return ()
            path = segments[-1].path
            try:
                if isinstance(path, BucketPath):
                    return (path, path.stat().tag)
                return (path, path.stat().st_mtime_ns, path.stat().st_size)
            except OSError:  # it was put together with others
                return (path,)

    def _columns(self, query: str) -> tuple[str, ...]:
        segments = self._manifest(query).segments()
        if not segments:
            return ()
        table = self._tables(query, segments[-1])[-1][1]
        return tuple(self._log().provenance(table[_ORIGIN][-1].as_py()).items)

    def _end(self, query: str) -> RowCursor | None:
        manifest = self._manifest(query)
        for segment in reversed(manifest.segments()):
            if segment.single:
                if rows := manifest.facts(segment.path).rows:
                    return RowCursor(segment.first, rows - 1)
                continue
            index = manifest.batches(segment)
            for number in reversed(index.between(None, None)):
                if rows := index.count(number):
                    return RowCursor(index.position(number), rows - 1)
        return None

    def _cursor_of(self, query: str, row: str) -> RowCursor | None:
        for segment in reversed(self._manifest(query).segments()):
            for position, table in self._tables(query, segment):
                number = pc.index(table["_id"], row).as_py()
                if number >= 0:
                    return RowCursor(position, number)
        return None

    def _after(self, query: str, cursor: RowCursor | None, limit: int) -> list[MatchRow]:
        found: list[MatchRow] = []
        manifest = self._manifest(query)
        for segment in manifest.behind(None if cursor is None else cursor.position.before):
            for position, table in self._tables(query, segment):
                if cursor is not None and position < cursor.position:
                    continue
                first = cursor.number + 1 if cursor is not None and position == cursor.position else 0
                found += self._rows(position, table.slice(first, limit - len(found)), first)
                if len(found) >= limit:
                    return found
        return found

    def _newest(self, query: str, limit: int) -> list[MatchRow]:
        found: deque[MatchRow] = deque()
        for segment in reversed(self._manifest(query).segments()):
            for position, table in reversed(self._tables(query, segment)):
                first = max(0, table.num_rows - (limit - len(found)))
                found.extendleft(reversed(list(self._rows(position, table.slice(first), first))))
                if len(found) >= limit:
                    return list(found)
        return list(found)

    def _tables(self, query: str, segment: Segment) -> list[tuple[Position, pa.Table]]:
        """The rows of a segment by batch."""
        manifest = self._manifest(query)
        rows = manifest.read(segment.path)
        if segment.single:
            return [(segment.first, rows)]
        index = manifest.batches(segment)
        held = ((i, index.rows(range(i, i + 1))) for i in index.between(None, None))
        return [(index.position(i), rows.slice(part.start, len(part))) for i, part in held]

    def _rows(self, position: Position, table: pa.Table, first: int) -> Iterator[MatchRow]:
        for number, row in enumerate(table.to_pylist(), start=first):
            items = self._log().provenance(row[_ORIGIN]).items
            yield MatchRow(RowCursor(position, number), row_json(row, items))

    def _manifest(self, query: str) -> Manifest:
        return self._log().log.manifest(query)

    def _log(self) -> MatchLog:
        if self._opened is None:
            self._opened = MatchLog(self._place.logs)
        return self._opened
