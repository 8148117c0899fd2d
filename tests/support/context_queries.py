"""Queries in contexts as the language makes them, and what operators are told of context windows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import cast

import polars as pl
import pyarrow as pa
from kaicep.cep import NO_END, WINDOW_COLUMN, is_windowed, windows_schema
from kaicep.cep.nfa import stop_events
from kaicep.cep.order import EVENTS, all_events, sees_all_events
from kaicep.cep.partitions import placed_variables
from kaicep.language.nodes import ContextReference, InContext, Query

from .operators import Reading, candidates, compiled

__all__ = ["NAMES", "ContextSpan", "candidates_in", "in_contexts", "told"]

NAMES = ("jam", "accident")


@dataclass(frozen=True)
class ContextSpan:
    """A window of a context: moments in microseconds, `key` its partition; `calendar`: its end is known beforehand."""

    number: int
    context: str
    key: str
    since: int
    until: int
    calendar: bool = False
    unbegun: bool = False

    @property
    def end(self) -> int:
        """Its end as people see it: a calendar's stretches are half open."""
        return self.until + 1 if self.calendar else self.until


def in_contexts(query: Query, names: Sequence[str] = NAMES, required: Sequence[str] = ()) -> Query:
    """The query in these contexts of the set `road`."""
    references = tuple(ContextReference("road", name) for name in names)
    return replace(query, in_context=InContext(references, tuple(required), (), query.span))


def told(spans: Sequence[ContextSpan], names: Sequence[str] = NAMES, watermark: int | None = None) -> pa.Table:
    """What is known of windows below a watermark."""

    def ended(span: ContextSpan) -> bool:
        return span.calendar or watermark is None or (span.until < watermark and span.until < NO_END)

    rows = [
        {
            "window": span.number,
            "context": span.context,
            "rank": names.index(span.context),
            "key": span.key,
            "partition": partition_of(span.key),
            "since": span.since,
            "until": span.until if ended(span) else NO_END,
            "start": None if span.unbegun else span.since,
            "end": span.end if ended(span) and span.until < NO_END else None,
        }
        for span in spans
    ]
    return pa.Table.from_pylist(rows, windows_schema())


def partition_of(key: str) -> int:
    """The number of a partition."""
    return sum(ord(letter) for letter in key)


Readings = Sequence[Reading]


def candidates_in(query: Query, readings: Readings, spans: Sequence[ContextSpan]) -> dict[str, pa.Table]:
    """The candidates of a query in contexts of the partition that `sensor` says, as operators take them."""
    plain = replace(query, in_context=None)
    tables = candidates(plain, readings)
    if not is_windowed(query):
        named = placed_variables(query)
        return {name: _with_key(table) if name in named else table for name, table in tables.items()}
    streams = {s.stream.name: _in_windows(_every(s.stream.name, readings), spans) for s in query.sources}
    found = {s.variable: _in_windows(tables[s.variable], spans) for s in query.sources}
    if sees_all_events(query):
        found[EVENTS] = all_events(query, streams)
    for name, (stream, columns) in stop_events(query).items():
        found[name] = streams[stream].select(columns)
    return found


def _every(stream: str, readings: Readings) -> pa.Table:
    """All events of a stream."""
    (table,) = candidates(compiled(f"SELECT ?e FROM (?e, {stream})"), readings).values()
    frame = cast("pl.DataFrame", pl.from_arrow(table))
    return frame.unique("_id", keep="first", maintain_order=True).to_arrow()


def _in_windows(table: pa.Table, spans: Sequence[ContextSpan]) -> pa.Table:
    """Rows once for each window that they lie in."""
    frame = cast("pl.DataFrame", pl.from_arrow(table))
    parts = [frame.clear().with_columns(pl.lit(0, pl.Int64).alias(WINDOW_COLUMN))]
    for span in spans:
        time = pl.col("_time").to_physical()
        inside = frame.filter(pl.col("sensor") == span.key, time > span.since, time <= span.until)
        parts.append(inside.with_columns(pl.lit(span.number, pl.Int64).alias(WINDOW_COLUMN)))
    return pl.concat(parts).to_arrow()


def _with_key(table: pa.Table) -> pa.Table:
    keys = [None if key is None else partition_of(key) for key in table["sensor"].to_pylist()]
    return table.append_column("#key", pa.array(keys, pa.int64()))
