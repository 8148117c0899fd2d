"""The named graphs of the store: one per stream and time bucket, one for knowledge, one for the archive itself."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from urllib.parse import quote, unquote

import polars as pl
import pyarrow as pa

_GRAPH = "urn:kaicep:graph:"
KNOWLEDGE = f"{_GRAPH}knowledge"
ARCHIVE = f"{_GRAPH}archive"


def graph_of(stream: str, start: datetime) -> str:
    """Name the graph of a stream's bucket: `urn:kaicep:graph:airflowReport:2012-05-07T09:00:00Z`."""
    return _prefix(stream) + start.astimezone(UTC).isoformat().replace("+00:00", "Z")


def graphs_of(stream: str, events: pa.Table, bucket: timedelta) -> pl.Series:
    """Name each event's graph.

    Args:
        stream: its name.
        events: an event table.
        bucket: the buckets' length; they are counted from the epoch.
    """
    starts = pl.Series(events["_time"]).dt.truncate(f"{bucket // timedelta(microseconds=1)}us")
    distinct = starts.unique()
    names = [graph_of(stream, start) for start in distinct.to_list()]
    return starts.replace_strict(distinct, pl.Series(names, dtype=pl.String), return_dtype=pl.String)


def graphs_between(names: Iterable[str], bucket: timedelta, start: datetime | None, end: datetime | None) -> list[str]:
    """Keep the graphs that can hold events with start <= `_time` < end, and those that hold no events."""
    return [name for name in names if _may_hold(name, bucket, start, end)]


def _may_hold(name: str, bucket: timedelta, start: datetime | None, end: datetime | None) -> bool:
    first = bucket_start(name)
    return first is None or ((end is None or first < end) and (start is None or first + bucket > start))


def sorted_buckets(names: Iterable[str]) -> list[str]:
    """The graphs that are buckets, in order of time."""
    starts = ((bucket_start(name), name) for name in names)
    return [name for _, name in sorted((start, name) for start, name in starts if start is not None)]


def bucket_start(name: str) -> datetime | None:
    """Return the first moment of a graph's bucket, `None` for a graph that is no bucket."""
    stream, colon, moment = name.removeprefix(_GRAPH).partition(":")
    return datetime.fromisoformat(moment) if colon and stream and name.startswith(_GRAPH) else None


def stream_of_graph(name: str) -> str | None:
    """Name the stream whose events a graph holds, `None` for a graph that is no bucket."""
    stream, colon, _ = name.removeprefix(_GRAPH).partition(":")
    return unquote(stream) if colon and stream and name.startswith(_GRAPH) else None


def _prefix(stream: str) -> str:
    return f"{_GRAPH}{quote(stream, safe='')}:"
