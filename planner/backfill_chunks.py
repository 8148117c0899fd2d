"""What is asked of the past, piece by piece in time order, and what a query may know of time at each (paper §5, §6).

What can still come live lies at or above the watermarks at the border between archive and live stream. So the
past below the smallest of them is complete: it is given out with watermarks that rise from piece to piece. What the
archive holds above it is given last, and waits inside the operators for what comes live: the paper's boundary windows
need no query of their own where operators go on from the past.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from itertools import pairwise
from typing import TYPE_CHECKING

import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

from ..annotator import exclude_ids, ids_of
from ..cep.output import MatchFrame
from ..language.nodes import Query
from .within_bounds import Range

if TYPE_CHECKING:
    from ..archive.log import LogScan, Position

Watermarks = Mapping[str, datetime | None]
ROWS_AT_ONCE = 200_000
_MICROSECOND = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class BackfillChunk:
    """A piece of the past.

    Attributes:
        watermarks: by stream, what no later event of the past or the live stream lies below.
        events: by stream, events whose candidates have to be found still.
        candidates: by event variable, candidates that the store found.
        matches: what SPARQL found to be true, to be reported.
        primes: whether matches among `events` that are true below the watermarks were reported already.
    """

    watermarks: Watermarks
    events: Mapping[str, pa.Table] = field(default_factory=dict)
    candidates: Mapping[str, pa.Table] = field(default_factory=dict)
    matches: MatchFrame | None = None
    primes: bool = False


@dataclass(frozen=True, slots=True)
class TimeRange:
    """Moments start <= t < end; `None` is unbounded."""

    start: datetime | None
    end: datetime | None


def covering_range(ranges: Sequence[Range]) -> TimeRange | None:
    """The smallest range that has all moments of some ranges; `None`: they have none."""
    some = [r for r in ranges if not r.empty]
    if not some:
        return None
    starts = [r.lower if r.lower_inclusive else _behind(r.lower) for r in some if r.lower is not None]
    ends = [_behind(r.upper) if r.upper_inclusive else r.upper for r in some if r.upper is not None]
    return TimeRange(_all_known(min, starts, len(some)), _all_known(max, ends, len(some)))


def _all_known(
    choose: Callable[[Sequence[datetime]], datetime], moments: Sequence[datetime | None], count: int
) -> datetime | None:
    known = [moment for moment in moments if moment is not None]
    return choose(known) if len(known) == count else None


@dataclass(frozen=True, slots=True)
class BackfillRequest:
    """What is asked of the past.

    Attributes:
        queries: those that begin in the past, and those whose output they read.
        span: what their WITHINs allow; `None`: nothing.
        columns: by source stream, the columns that are looked at.
        watermarks: of these streams, at the border between archive and live stream.
        upto: the last batch before the border; `None`: all that the log has.
        cancelled: set from another thread when nobody waits for it any more; `None`: somebody does to the end.
        sampled: whether a query looks at a share of the events only, which is chosen as they come.
    """

    queries: tuple[Query, ...]
    span: TimeRange | None
    columns: Mapping[str, frozenset[str]]
    watermarks: Watermarks
    upto: Position | None = None
    cancelled: threading.Event | None = None
    sampled: bool = False


def replayed(scan: LogScan, request: BackfillRequest, rows: int) -> Iterator[BackfillChunk]:
    """The past from the log alone (paper §5.1).

    Args:
        scan: of the streams that are read.
        request: what for.
        rows: how many events a piece has, about.
    """
    if request.span is None:
        return
    for start, end in pieces(request, scan.borders(request.span.start, request.span.end, rows)):
        yield BackfillChunk(at_most(request.watermarks, end), events=scan.read(start, end, request.columns))


def replayed_from(moment: datetime, scan: LogScan, request: BackfillRequest, rows: int) -> Iterator[BackfillChunk]:
    """What of the past does not lie before a moment, from the log alone, as `replayed`."""
    if request.span is None:
        return
    rest = TimeRange(latest(request.span.start, moment), request.span.end)
    if rest.end is None or rest.start is None or rest.start < rest.end:
        yield from replayed(scan, replace(request, span=rest), rows)


def prefiltered(
    scan: LogScan,
    request: BackfillRequest,
    borders: Sequence[datetime],
    ask: Callable[[datetime | None, datetime | None], Mapping[str, pa.Table]],
) -> Iterator[BackfillChunk]:
    """The past from the store, PATHs and FILTERs evaluated there (paper §5.3), and from the log what the store lacks.

    Args:
        scan: what the store did not hold yet when this began.
        request: what for.
        borders: where the store's time is cut.
        ask: gives the store's candidates, by event variable, of start <= `_time` < end, and perhaps others.
    """
    for start, end in pieces(request, borders):
        rest = scan.read(start, end, request.columns)
        # While this runs, the store goes on: what it has of the rest by now would stand twice.
        known = pl.concat(map(ids_of, rest.values()))
        found = {v: _between(table, start, end, known) for v, table in ask(start, end).items()}
        yield BackfillChunk(at_most(request.watermarks, end), events=rest, candidates=found)


def pieces(request: BackfillRequest, borders: Sequence[datetime]) -> Iterator[tuple[datetime | None, datetime | None]]:
    """Cut what is asked for at borders, and at the smallest watermark: what lies above it is the last piece."""
    span, border = request.span, lowest_watermark(request.watermarks)
    if span is None:
        return
    cuts = [b for b in borders if border is None or b < border]
    if border is not None and (span.start is None or border > span.start) and (span.end is None or border < span.end):
        cuts.append(border)
    yield from pairwise([span.start, *cuts, span.end])


def latest(start: datetime | None, moment: datetime) -> datetime:
    """The later of where a span starts, if it has a start, and a moment."""
    return moment if start is None else max(start, moment)


def at_most(watermarks: Watermarks, moment: datetime | None) -> Watermarks:
    """The watermarks, none above a moment."""
    return {s: w if w is None or moment is None else min(w, moment) for s, w in watermarks.items()}


class Seam:
    """Knows what the archive gave at the border, and drops it from what comes live: a negative gap (paper §6.2).

    Args:
        watermarks: at the border. Only events at or above the smallest can come again, so few are remembered.
    """

    def __init__(self, watermarks: Watermarks) -> None:
        self._lowest = lowest_watermark(watermarks)
        self._given = pl.Series(dtype=pl.String)
        self._latest: datetime | None = None

    def note(self, part: BackfillChunk) -> None:
        """Remember what of a part can come again."""
        for table in (*part.events.values(), *part.candidates.values()):
            ids = ids_of(table)
            if self._lowest is not None:
                ids = ids.filter(pl.Series(table["_time"]) >= self._lowest)
            if len(ids):
                self._given.append(ids)
                self._latest = latest(self._latest, pc.max(table["_time"]).as_py())

    def passed(self, watermark: datetime | None) -> bool:
        """Whether nothing that the archive gave can come again: all of it lies below a watermark."""
        return self._latest is None or (watermark is not None and self._latest < watermark)

    def drop(self, events: pa.Table) -> pa.Table:
        """The events that the archive did not give; the table itself when it gave none of them."""
        return exclude_ids(events, self._given)


def lowest_watermark(watermarks: Watermarks) -> datetime | None:
    """The smallest watermark; `None` when a stream has none."""
    known = [w for w in watermarks.values() if w is not None]
    return min(known) if known and len(known) == len(watermarks) else None


def _between(table: pa.Table, start: datetime | None, end: datetime | None, known: pl.Series) -> pa.Table:
    frame = pl.DataFrame(pl.from_arrow(exclude_ids(table, known)))
    if start is not None:
        frame = frame.filter(pl.col("_time") >= start)
    if end is not None:
        frame = frame.filter(pl.col("_time") < end)
    return frame.to_arrow()


def _behind(moment: datetime) -> datetime | None:
    try:
        return moment + _MICROSECOND
    except OverflowError:
        return None
