"""A scan of the log: events of some streams, split by time, so that any past is read in bounded memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta

import polars as pl
import pyarrow as pa

from ...annotator import COLUMN_TYPES, EventShape
from .batch_index import Position
from .late_events import late_rows
from .log_reader import LogReader
from .manifest import SegmentSlice, read_consistently
from .segment import SegmentFacts

_MICROSECOND = timedelta(microseconds=1)


class LogScan:
    """The events that a log holds of some streams, of some of its batches; late ones are left out.

    What is appended after this was made is not seen.

    Args:
        log: read only here.
        shapes: stream → its shape.
        after: the batches behind this one; `None`: from the first.
        upto: the batches not behind this one; `None`: to the last.
    """

    def __init__(
        self,
        log: LogReader,
        shapes: Mapping[str, EventShape],
        after: Position | None = None,
        upto: Position | None = None,
    ) -> None:
        self._log, self._shapes = log, shapes
        log.readers.add(self)  # retention leaves a log alone that somebody reads
        self._after, self._upto = after, log.last if upto is None else upto
        self._slices = self._find()

    def rows(self, start: datetime | None = None, end: datetime | None = None) -> int:
        """Count the events, late ones included, with start <= `_time` < end, as far as the segments' footers tell."""
        return round(sum(rows_between(facts, start, end) for facts in self._facts()))

    def time_range(self) -> tuple[datetime, datetime] | None:
        """Return least and greatest `_time`; `None` without events."""
        known = list(self._facts())
        return (min(f.first for f in known), max(f.last for f in known)) if known else None

    def borders(self, start: datetime | None, end: datetime | None, rows: int) -> list[datetime]:
        """Cut start <= `_time` < end into pieces of about so many events.

        Returns:
            The moments at which one piece ends and the next begins, ascending, all behind `start` and before `end`.
        """
        borders: list[datetime] = []
        held = 0
        for moment, count in sorted(point for facts in self._facts() for point in _points(facts, rows)):
            if (start is not None and moment <= start) or (end is not None and moment >= end):
                continue
            if held and held + count > rows:
                borders.append(moment)
                held = 0
            held += count
        return list(dict.fromkeys(borders))

    def read(
        self, start: datetime | None, end: datetime | None, columns: Mapping[str, frozenset[str]]
    ) -> dict[str, pa.Table]:
        """Read the events with start <= `_time` < end, by stream, in order of arrival.

        Args:
            start: aware; `None`: from the first event.
            end: aware; `None`: to the last.
            columns: stream → the columns that are needed, `_time` and `_id` not counted.
        """
        return {stream: self._read(stream, start, end, columns.get(stream, frozenset())) for stream in self._slices}

    def _read(self, stream: str, start: datetime | None, end: datetime | None, columns: frozenset[str]) -> pa.Table:
        wanted = ["_time", "_id", "_late", *sorted(columns - {"_time", "_id"})]
        try:
            events = self._log.read_slices(self._slices[stream], start, end, wanted)
        except FileNotFoundError:
            events = read_consistently(lambda: self._read_anew(stream, start, end, wanted))
        late = late_rows(events)
        if late is not None:
            events = events.filter((~late).to_arrow())
        known = [name for name in events.column_names if not pa.types.is_null(events[name].type)]
        typed = with_all_columns(self._shapes[stream], events.select(known))
        return typed.select([name for name in wanted if name != "_late" and name in typed.column_names])

    def _read_anew(self, stream: str, start: datetime | None, end: datetime | None, columns: Sequence[str]) -> pa.Table:
        """Find the events again, which a compaction has put into another segment, and read them."""
        self._slices = self._find()
        return self._log.read_slices(self._slices[stream], start, end, columns)

    def _find(self) -> dict[str, list[SegmentSlice]]:
        return {stream: self._log.slices(stream, self._after, self._upto) for stream in self._shapes}

    def _facts(self) -> Iterator[SegmentFacts]:
        for slices in self._slices.values():
            yield from (one.facts for one in slices)

    @property
    def segments(self) -> int:
        """How many segments hold them."""
        return sum(map(len, self._slices.values()))


def with_all_columns(shape: EventShape, events: pa.Table) -> pa.Table:
    """The events with every column of their shape; those that they lack are null, and typed."""
    wanted = {a.name: COLUMN_TYPES.get(a.type, pl.String()) for a in shape.attributes}
    wanted |= {
        a.individual: pl.String() for a in shape.attributes if a.individual is not None and a.individual not in wanted
    }
    for name, kind in wanted.items():
        if name not in events.column_names:
            events = events.append_column(name, pl.repeat(None, events.num_rows, dtype=kind, eager=True).to_arrow())
    return events


def rows_between(facts: SegmentFacts, start: datetime | None, end: datetime | None) -> float:
    """Estimate how many events of a segment lie in a time range: as if they were spread evenly."""
    first = facts.first if start is None else max(facts.first, start)
    last = facts.last if end is None else min(facts.last, end - _MICROSECOND)
    if last < first:
        return 0.0
    return facts.rows * ((last - first) + _MICROSECOND) / ((facts.last - facts.first) + _MICROSECOND)


def _points(facts: SegmentFacts, rows: int) -> Iterator[tuple[datetime, int]]:
    """A segment as moments and how many events come from each on, none more than `rows`."""
    pieces = -(-facts.rows // rows)
    step = (facts.last - facts.first) / pieces
    for part in range(pieces):
        yield facts.first + part * step, facts.rows // pieces + (part < facts.rows % pieces)
