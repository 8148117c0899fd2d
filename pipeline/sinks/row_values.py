"""Matches as rows: Python values for the API, JSON for sinks."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

from .row_source import RECOVERED, SOURCE

__all__ = ["JsonLines", "json_lines", "rows", "slices"]

_AT_ONCE = 2**14

# Fractions of a second only where there are some: 2026-01-01T00:00:00Z, 2026-01-01T00:00:00.500Z.
_ISO_8601 = "%Y-%m-%dT%H:%M:%S%.fZ"


def rows(matches: pa.Table) -> list[dict[str, Any]]:
    """Return matches as dicts, in order: items, `_time`, `_events`, `_window` (aggregate rows), `_id`.

    Time stamps are aware, in UTC; what is unbound is `None`; `_events` maps variables to the ids of their events.
    """
    found: list[dict[str, Any]] = matches.to_pylist()
    return found


def json_lines(matches: pa.Table, query: str, *, recovered: bool = False) -> bytes:
    """Return matches as JSON lines: the columns of `rows`, with the name of the query as `_query`.

    Where rows say where they come from, `_recovered` stands only where one of them is, or of those that belong to them
    (`recovered`).

    Time stamps are ISO 8601 with `Z`; unbound values, and numbers that JSON has none for (NaN, INF), are null.
    """
    if not matches.num_rows:
        return b""
    frame = pl.DataFrame(pl.from_arrow(matches))
    if RECOVERED in frame.columns and not (recovered or frame[RECOVERED].any()):
        frame = frame.drop(RECOVERED)
    items = [name for name in frame.columns if name not in _LAST]
    last = [name for name in _LAST if name in frame.columns]
    named = frame.select(
        *(_as_json(pl.col(name), frame.schema[name]).alias(name) for name in items),
        pl.lit(query).alias("_query"),
        *(_as_json(pl.col(name), frame.schema[name]).alias(name) for name in last),
    )
    text = io.BytesIO()
    named.write_ndjson(text)
    return text.getvalue()


class JsonLines:
    """Writes rows of one query as JSON lines, piece by piece; the lines are those of all at once.

    Args:
        write: takes text.
        query: its name.
    """

    def __init__(self, write: Callable[[bytes], object], query: str) -> None:
        self._write, self._query = write, query
        self._recovered = False

    def write(self, rows: pa.Table) -> None:
        """Write the next rows; those that were missed come first."""
        self._recovered = self._recovered or (RECOVERED in rows.column_names and bool(pc.any(rows[RECOVERED]).as_py()))
        for piece in slices(rows):
            self._write(json_lines(piece, self._query, recovered=self._recovered))

    def close(self) -> None:
        """Nothing is held back."""


def slices(table: pa.Table) -> Iterator[pa.Table]:
    """The rows, few enough at a time to be values of Python, or text."""
    return (table.slice(start, _AT_ONCE) for start in range(0, table.num_rows, _AT_ONCE))


_LAST = ("_time", "_events", "_window", "_id", "_sampled", SOURCE, RECOVERED)


def _as_json(value: pl.Expr, kind: pl.DataType) -> pl.Expr:
    """Write the time stamps in a column, also those in its structs and lists."""
    match kind:
        case pl.Datetime():
            return value.dt.strftime(_ISO_8601)
        case pl.Struct(fields=fields) if any(_has_time(field.dtype) for field in fields):
            return value.struct.with_fields(
                *(_as_json(pl.field(field.name), _kind(field.dtype)).alias(field.name) for field in fields)
            )
        case pl.List(inner=inner) if _has_time(inner):
            return value.list.eval(_as_json(pl.element(), _kind(inner)))
        case _:
            return value


def _has_time(kind: Any) -> bool:
    nested = [field.dtype for field in getattr(kind, "fields", ())] or [getattr(kind, "inner", None)]
    return isinstance(kind, pl.Datetime) or any(_has_time(each) for each in nested if each is not None)


def _kind(kind: Any) -> pl.DataType:
    found: pl.DataType = kind() if isinstance(kind, type) else kind
    return found
