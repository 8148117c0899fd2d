"""The named graphs of the store: one per stream, or named query, and time bucket; those of knowledge and metadata."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from urllib.parse import quote, unquote

import polars as pl
import pyarrow as pa

_GRAPH = "urn:kaicep:graph:"
_MATCHES = "urn:kaicep:matches:"
KNOWLEDGE = f"{_GRAPH}knowledge"
ARCHIVE = f"{_GRAPH}archive"
EVALUATIONS = f"{_GRAPH}evaluations"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def graph_of(stream: str, start: datetime) -> str:
    """Name the graph of a stream's bucket: `urn:kaicep:graph:airflowReport:2012-05-07T09:00:00Z`."""
    return _bucket(_GRAPH, stream, start)


def match_graph_of(query: str, start: datetime) -> str:
    """Name the graph of a bucket of a query's matches: `urn:kaicep:matches:high:2012-05-07T09:00:00Z`."""
    return _bucket(_MATCHES, query, start)


def graphs_of(stream: str, events: pa.Table, bucket: timedelta) -> pl.Series:
    """Name each event's graph.

    Args:
        stream: its name.
        events: an event table.
        bucket: the buckets' length; they are counted from the epoch.
    """
    return _graphs(_GRAPH, stream, events, bucket)


def match_graphs_of(query: str, matches: pa.Table, bucket: timedelta) -> pl.Series:
    """Name each match's graph; as `graphs_of`."""
    return _graphs(_MATCHES, query, matches, bucket)


def _graphs(kind: str, name: str, rows: pa.Table, bucket: timedelta) -> pl.Series:
    starts = pl.Series(rows["_time"]).dt.truncate(f"{bucket // timedelta(microseconds=1)}us")
    distinct = starts.unique()
    names = [_bucket(kind, name, start) for start in distinct.to_list()]
    return starts.replace_strict(distinct, pl.Series(names, dtype=pl.String), return_dtype=pl.String)


def graphs_between(names: Iterable[str], bucket: timedelta, start: datetime | None, end: datetime | None) -> list[str]:
    """Keep the graphs that can hold events with start <= `_time` < end, and those that hold no events."""
    return [name for name in names if _may_hold(name, bucket, start, end)]


def _may_hold(name: str, bucket: timedelta, start: datetime | None, end: datetime | None) -> bool:
    first = bucket_start(name)
    return first is None or ((end is None or first < end) and (start is None or start - first < bucket))


def sorted_buckets(names: Iterable[str]) -> list[str]:
    """The graphs that are buckets, in order of time."""
    starts = ((bucket_start(name), name) for name in names)
    return [name for _, name in sorted((start, name) for start, name in starts if start is not None)]


def bucket_start(name: str) -> datetime | None:
    """Return the first moment of a graph's bucket, of events or of matches; `None` for a graph that is no bucket."""
    for kind in (_GRAPH, _MATCHES):
        parts = _parts(kind, name)
        if parts is not None:
            return datetime.fromisoformat(parts[1])
    return None


def stream_of_graph(name: str) -> str | None:
    """Name the stream whose events a graph holds, `None` for a graph that is none of events."""
    parts = _parts(_GRAPH, name)
    return None if parts is None else unquote(parts[0])


def query_of_graph(name: str) -> str | None:
    """Name the query whose matches a graph holds, `None` for a graph that is none of matches."""
    parts = _parts(_MATCHES, name)
    return None if parts is None else unquote(parts[0])


def _bucket(kind: str, name: str, start: datetime) -> str:
    return f"{kind}{quote(name, safe='')}:{start.astimezone(UTC).isoformat().replace('+00:00', 'Z')}"


def _parts(kind: str, graph: str) -> tuple[str, str] | None:
    """Name and bucket that a graph's name says, `None` where it is none of that kind."""
    name, colon, moment = graph.removeprefix(kind).partition(":")
    return (name, moment) if colon and name and graph.startswith(kind) else None


@dataclass(frozen=True, slots=True)
class BucketRange:
    """The buckets of start <= t < end, both at their borders; `None` is unbounded."""

    start: datetime | None
    end: datetime | None

    @classmethod
    def of(cls, start: datetime | None, end: datetime | None, bucket: timedelta) -> BucketRange | None:
        """Those that overlap start <= t < end; `None`: no time is named."""
        if start is None and end is None:
            return None
        first = None if start is None else start - (start - _EPOCH) % bucket
        return cls(first, None if end is None else end + (_EPOCH - end) % bucket)

    def before(self, moment: datetime | None) -> BucketRange | None:
        """Those of them that end at a moment or before; `None`: there are none."""
        if moment is None or (self.start is not None and self.start >= moment):
            return None
        return BucketRange(self.start, moment if self.end is None else min(self.end, moment))

    def within(self, other: BucketRange) -> bool:
        """Whether all of them are among others."""
        after = other.start is None or (self.start is not None and self.start >= other.start)
        return after and (other.end is None or (self.end is not None and self.end <= other.end))
