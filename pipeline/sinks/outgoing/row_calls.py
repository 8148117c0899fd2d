"""Rows of queries as calls in the outbox: durable with their batch, and out when that is done (docs/decisions/352).

It is a sink of the engine, and stands before what keeps the calls of rules. What the end of the streams brings goes
out by itself: the batch that later events bring has other rows at the same places.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pyarrow as pa

from ...actions import CallDelivery
from ..row_values import json_lines, slices
from ..sink import PieceSink, RowWriter

__all__ = ["RowCalls"]


class RowCalls(PieceSink):
    """Keeps rows for the sinks of a project.

    Args:
        calls: of the engine, in whose outbox they wait.
        schema: of calls.
        wanted: by name of a sink, the queries whose rows it gets; none: all.
    """

    def __init__(self, calls: CallDelivery, schema: pa.Schema, wanted: Mapping[str, Sequence[str]]) -> None:
        self._calls, self._schema, self._wanted = calls, schema, wanted
        self._batch = 0
        self._rows: list[pa.Table] = []
        self._begun = False

    def begin(self, batch_id: int, query_name: str) -> RowWriter:
        """Take the rows of a query that somebody wants."""
        if not self._begun:
            self._rows.clear()
        self._begun, self._batch = True, batch_id
        names = [name for name, queries in self._wanted.items() if not queries or query_name in queries]
        return _RowCollector(self._rows, self._schema, query_name, names)

    def flush(self) -> None:
        """All of a batch is here; of one without rows nothing is."""
        if not self._begun:
            self._rows.clear()
        self._begun = False

    def put(self, batch: int, calls: pa.Table) -> None:
        """Keep the calls of rules and the rows of a batch durably; see `CallKeeper.put`."""
        rows = self._rows if batch == self._batch else []
        self._calls.put(batch, pa.concat_tables([calls, *rows]))
        self._rows = []

    def release(self, batch: int) -> None:
        """Let the calls and rows of all batches up to one go out."""
        self._calls.release(batch)

    def end(self) -> None:
        """Keep the rows of the end of the streams, and let them go out."""
        rows, self._rows = self._rows, []
        if rows:
            self._calls.put_apart(pa.concat_tables(rows))


class _RowCollector:
    """Takes the rows of one query."""

    def __init__(self, into: list[pa.Table], schema: pa.Schema, query: str, sinks: Sequence[str]) -> None:
        self._into, self._schema, self._query, self._sinks = into, schema, query, sinks

    def write(self, rows: pa.Table) -> None:
        """See `RowWriter.write`."""
        for piece in slices(rows) if self._sinks else ():
            lines = json_lines(piece, self._query).decode().split("\n")[:-1]
            own = {
                "rule": pa.repeat(self._query, piece.num_rows),
                "_id": piece["_id"],
                "_time": piece["_time"],
                "arguments": pa.array(lines, pa.string()),
            }
            for sink in self._sinks:
                table = pa.table({**own, "action": pa.repeat(sink, piece.num_rows)})
                self._into.append(table.select(self._schema.names).cast(self._schema))

    def close(self) -> None:
        """See `RowWriter.close`."""
