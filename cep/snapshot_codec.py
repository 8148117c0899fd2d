"""Snapshots: the state of an operator as bytes that another process can go on from.

Layout: 8 bytes length of the header (little endian), the header as JSON, then one Arrow IPC stream per table, in
the header's order. Of tables that the header names under `events`, the events are kept beside the snapshot: what stands
here is the row of each there, and what is the query's own, integers as what each is more than the one before; the
tables are packed (zstd), `packed` bytes long.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, cast

import numpy as np
import polars as pl
import pyarrow as pa

from ..errors import OperatorError
from ..language.nodes import Query
from .order import EventTable, of_query
from .partitions import is_shared

__all__ = ["OperatorState", "TakenState", "digest_of", "read_snapshot"]

VERSION = 7
_READ = (6, VERSION)
"""Version 6 knew no events that are kept beside it."""
_CANDIDATES = ("pending.", "kept")
_ROW = "#row"


@dataclass(frozen=True, slots=True)
class OperatorState:
    """What an operator remembers between two calls.

    Attributes:
        tables: by name.
        numbers: by name; `None` for what is not known yet.
    """

    tables: Mapping[str, pl.DataFrame]
    numbers: Mapping[str, int | None]


@dataclass(frozen=True, slots=True)
class TakenState:
    """The state of an operator at a moment, to be written.

    Attributes:
        query: whose.
        state: the state.
    """

    query: Query
    state: OperatorState

    @property
    def candidates(self) -> list[tuple[str, pl.DataFrame]]:
        """The candidates in it, beside the names of the streams whose events they are."""
        return [(stream, self.state.tables[name]) for name, stream in self._streams.items()]

    @property
    def _streams(self) -> dict[str, str]:
        """By the name of a table that holds candidates, their stream."""
        streams = {source.variable: source.stream.name for source in self.query.sources}
        found = {}
        for name, table in self.state.tables.items():
            variable = self.query.sources[0].variable if name == "kept" else name.partition(".")[2]
            if name.startswith(_CANDIDATES) and variable in streams and {"_time", "_id"} <= {*table.columns}:
                found[name] = streams[variable]
        return found

    def written(self, events: Mapping[str, EventTable] | None = None, before: bytes = b"") -> bytes:
        """It as bytes.

        Args:
            events: by stream, events that are kept beside it: of those only the rows are written; `None`: none are.
            before: what stands in front of it.
        """
        blobs, shared = [], {}
        streams = {} if events is None else self._streams
        for name, frame in self.state.tables.items():
            rows = events[streams[name]].rows(frame) if events is not None and streams.get(name) in events else None
            if rows is None:
                blobs.append(_ipc(frame))
                continue
            shared[name] = streams[name], frame.columns
            own = [column for column in frame if of_query(column.name)]
            blobs.append(_ipc(_steps(pl.DataFrame([pl.Series(_ROW, rows), *own]))))
        sizes = {name: blob.size for name, blob in zip(self.state.tables, blobs, strict=True)}
        said = {"version": VERSION, "query": _digest(self.query), "numbers": dict(self.state.numbers), "tables": sizes}
        if events:
            body = b"".join(blobs)
            said |= {"events": shared, "packed": len(body)}
            blobs = [pa.compress(body, codec="zstd")]
        head = json.dumps(said).encode()
        return b"".join([before, len(head).to_bytes(8, "little"), head, *blobs])  # of much, one copy


def read_snapshot(query: Query, data: bytes, events: Mapping[str, EventTable] | None = None) -> OperatorState:
    """The state that was `written`; `events`: those that were kept beside it.

    Raises:
        OperatorError: the bytes are no snapshot, of another version, or of another query.
    """
    header = _header(data)
    if header["version"] not in _READ:
        raise OperatorError(
            f"the snapshot has version {header['version']}, this kaicep reads version {VERSION}",
            hint="run the kaicep that wrote it, or remove the snapshots to start from the archive",
        )
    if header["query"] != _digest(query):
        raise OperatorError("the snapshot is of another query", hint="register the query that wrote it, unchanged")
    tables, start = {}, 0
    body = data[8 + int.from_bytes(data[:8], "little") :]
    if "packed" in header:
        body = pa.decompress(body, header["packed"], codec="zstd", asbytes=True)
    shared = header.get("events", {})
    for name, size in header["tables"].items():
        tables[name] = _frame(body[start : start + size])
        start += size
        if name in shared:
            stream, columns = shared[name]
            if events is None or stream not in events:
                raise OperatorError(
                    f"the snapshot holds rows of events of '{stream}', which are not there",
                    hint="restore the snapshot of the data flow as a whole",
                )
            tables[name] = _with_events(tables[name], events[stream], columns)
    return OperatorState(tables, header["numbers"])


def _with_events(own: pl.DataFrame, events: EventTable, columns: Sequence[str]) -> pl.DataFrame:
    """Candidates, of the rows of their events and what is the query's own."""
    own = _steps(own, back=True)
    of_events = [name for name in columns if not of_query(name)]
    rows = own[_ROW].to_numpy()
    found = {column.name: events.counted(column, rows) for column in own}
    found |= {column.name: column for column in events.columns(of_events, rows)}
    return pl.DataFrame([found[name] for name in columns])


def _steps(frame: pl.DataFrame, *, back: bool = False) -> pl.DataFrame:
    """Columns of integers as how much each is more than the one before, or back: most grow evenly, and pack well."""
    return pl.DataFrame([_step(column, back=back) for column in frame])


def _step(column: pl.Series, *, back: bool) -> pl.Series:
    if column.dtype != pl.Int64 or column.null_count():
        return column
    values = column.to_numpy()
    return pl.Series(column.name, np.cumsum(values) if back else np.diff(values, prepend=0))


def digest_of(state: OperatorState) -> str:
    """What is equal of states that are."""
    found = sha256(json.dumps(dict(state.numbers), sort_keys=True).encode())
    for name in sorted(state.tables):
        found.update(name.encode())
        found.update(_ipc(state.tables[name]))
    return found.hexdigest()


def _header(data: bytes) -> dict[str, Any]:
    try:
        header = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])
    except ValueError:
        header = None
    if not isinstance(header, dict) or not {"version", "query", "numbers", "tables"} <= header.keys():
        raise OperatorError("these bytes are no snapshot of an operator", hint="restore what snapshot() gave")
    return header


def _digest(query: Query) -> str:
    within = query.in_context
    apart = "" if within is None or within.grouped else "\x1fevery window by itself"
    apart += "\x1fby keys" if within is not None and len(within.contexts) == 1 and is_shared(query) else ""
    return sha256(f"{query.normal}{apart}".encode()).hexdigest()


def _ipc(frame: pl.DataFrame) -> pa.Buffer:
    sink = pa.BufferOutputStream()
    # Column by column each is one piece; of a frame each piece of a few rows would be written with a head of its own.
    table = pa.table([column.to_arrow() for column in frame], names=frame.columns)
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue()


def _frame(data: bytes) -> pl.DataFrame:
    return cast("pl.DataFrame", pl.from_arrow(pa.ipc.open_stream(data).read_all()))
