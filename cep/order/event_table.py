"""The events that the states of several operators hold, each once: the table of a stream, and rows of it.

Of the columns of candidates those of the event itself go into the table; what is of the query (numbers, semantic
variables, windows of contexts) stays with it. Source: H2O §V; docs/decisions/292.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from typing import cast

import numpy as np
import polars as pl
import pyarrow as pa

from ...expressions import Ints

__all__ = ["EventTable", "of_query"]

_KEY = ["_time", "_id"]
_ROW = "#row"


def of_query(column: str) -> bool:
    """Whether a column of candidates is of the query, and not of the event."""
    return column.startswith(("?", "#"))


class EventTable:
    """Events of one stream by time and identity, each once.

    Args:
        events: they; a column is null where nobody holds it of an event.
    """

    def __init__(self, events: pl.DataFrame) -> None:
        self._events = events
        self._known: dict[tuple[str, int, bytes], pl.Series] = {}
        self._counted: dict[int, pl.Series] = {}

    @staticmethod
    def of(frames: Iterable[pl.DataFrame]) -> EventTable:
        """The events of candidates, all of one stream, with the columns that some of these have."""
        by_columns: dict[tuple[tuple[str, pl.DataType], ...], list[pl.DataFrame]] = {}
        for frame in frames:
            schema = {name: of for name, of in frame.schema.items() if not of_query(name)}
            by_columns.setdefault(tuple(schema.items()), []).append(frame.select(list(schema)))
        parts = [pl.concat(alike).unique(_KEY, keep="first") for alike in by_columns.values()]
        events = pl.concat([part.select(_KEY) for part in parts]).unique().sort(_KEY)
        for part in parts:
            new = [name for name in part.columns if name not in events.columns]
            again = [name for name in part.columns if name not in _KEY and events.schema.get(name) == part.schema[name]]
            found = events.select(_KEY).join(part, on=_KEY, how="left", maintain_order="left")
            filled = [events[name].zip_with(events[name].is_not_null(), found[name]) for name in again]
            events = events.with_columns(*(found[name] for name in new), *filled)
        return EventTable(events)

    def rows(self, frame: pl.DataFrame) -> Ints | None:
        """Where the events of candidates stand in the table; `None`: it has others in their place."""
        own = self._events.select(_KEY).with_row_index(_ROW)
        found = frame.select(_KEY).join(own, on=_KEY, how="left", maintain_order="left")[_ROW]
        if found.null_count():
            return None
        rows = found.cast(pl.Int64).to_numpy()
        names = [name for name in frame.columns if not of_query(name)]
        alike = all(self._events[name].gather(rows).equals(frame[name], check_dtypes=True) for name in names)
        return rows if alike else None

    def columns(self, names: Sequence[str], rows: Ints) -> list[pl.Series]:
        """Columns of events; who asks for the same gets the same, and who asks for a stretch of them gets no copy."""
        if not len(rows):
            return [self._events[name].clear() for name in names]
        if _is_stretch(rows):
            return [self._events[name].slice(int(rows[0]), len(rows)) for name in names]
        key = rows.tobytes()
        for name in names:
            if (name, len(rows), key) not in self._known:
                self._known[name, len(rows), key] = self._events[name].gather(rows)
        return [self._known[name, len(rows), key] for name in names]

    def counted(self, column: pl.Series, rows: Ints) -> pl.Series:
        """A column of a query's own beside rows; those that count events one by one from one number on are one."""
        values = column.to_numpy() if column.dtype == pl.Int64 and not column.null_count() else rows[:0]
        if not len(values) or not _is_stretch(rows) or not _is_stretch(values):
            return column
        first = int(values[0]) - int(rows[0])
        if first not in self._counted:
            self._counted[first] = pl.Series(np.arange(first, first + self._events.height))
        return self._counted[first].slice(int(rows[0]), len(rows)).alias(column.name)

    def snapshot(self) -> bytes:
        """The table, for `restored`."""
        sink = io.BytesIO()
        table = self._events.to_arrow()
        with pa.ipc.new_stream(sink, table.schema) as writer:
            writer.write_table(table)
        return sink.getvalue()

    @staticmethod
    def restored(data: bytes) -> EventTable:
        """The table of which these bytes are the snapshot."""
        return EventTable(cast("pl.DataFrame", pl.from_arrow(pa.ipc.open_stream(data).read_all())))


def _is_stretch(numbers: Ints) -> bool:
    """Whether each number is by one more than the one before."""
    return int(numbers[-1]) - int(numbers[0]) + 1 == len(numbers) and bool((np.diff(numbers) == 1).all())
