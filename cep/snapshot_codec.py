"""Snapshots: the state of an operator as bytes that another process can go on from.

Layout: 8 bytes length of the header (little endian), the header as JSON, then one Arrow IPC stream per table, in
the header's order.
"""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, cast

import polars as pl
import pyarrow as pa

from ..errors import OperatorError
from ..language.nodes import Query
from .partitions import is_shared

__all__ = ["OperatorState", "digest_of", "read_snapshot", "write_snapshot"]

VERSION = 6


@dataclass(frozen=True, slots=True)
class OperatorState:
    """What an operator remembers between two calls.

    Attributes:
        tables: by name.
        numbers: by name; `None` for what is not known yet.
    """

    tables: Mapping[str, pl.DataFrame]
    numbers: Mapping[str, int | None]


def write_snapshot(query: Query, state: OperatorState) -> bytes:
    """The state of `query`'s operator as bytes."""
    blobs = [_ipc(frame) for frame in state.tables.values()]
    sizes = dict(zip(state.tables, map(len, blobs), strict=True))
    header = {"version": VERSION, "query": _digest(query), "numbers": dict(state.numbers), "tables": sizes}
    head = json.dumps(header).encode()
    return b"".join([len(head).to_bytes(8, "little"), head, *blobs])


def read_snapshot(query: Query, data: bytes) -> OperatorState:
    """The state that `write_snapshot` wrote.

    Raises:
        OperatorError: the bytes are no snapshot, of another version, or of another query.
    """
    header = _header(data)
    if header["version"] != VERSION:
        raise OperatorError(
            f"the snapshot has version {header['version']}, this kaicep reads version {VERSION}",
            hint="run the kaicep that wrote it, or remove the snapshots to start from the archive",
        )
    if header["query"] != _digest(query):
        raise OperatorError("the snapshot is of another query", hint="register the query that wrote it, unchanged")
    tables, start = {}, 8 + int.from_bytes(data[:8], "little")
    for name, size in header["tables"].items():
        tables[name] = _frame(data[start : start + size])
        start += size
    return OperatorState(tables, header["numbers"])


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


def _ipc(frame: pl.DataFrame) -> bytes:
    sink = io.BytesIO()
    # Column by column each is one piece; of a frame each piece of a few rows would be written with a head of its own.
    table = pa.table([column.to_arrow() for column in frame], names=frame.columns)
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue()


def _frame(data: bytes) -> pl.DataFrame:
    return cast("pl.DataFrame", pl.from_arrow(pa.ipc.open_stream(data).read_all()))
