"""The past of some streams as the log has it, piece by piece in time order: in bounded memory, however long it is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta

import pyarrow as pa

from ..annotator import EventShape
from .log import EventLog, Part, Position, SegmentFacts, late_rows, steadily
from .store import with_all_columns

_MICROSECOND = timedelta(microseconds=1)


class History:
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
        log: EventLog,
        shapes: Mapping[str, EventShape],
        after: Position | None = None,
        upto: Position | None = None,
    ) -> None:
        self._log, self._shapes = log, shapes
        log.readers.add(self)  # retention leaves a log alone that somebody reads
        self._after, self._upto = after, max(log.positions(), default=None) if upto is None else upto
        self._parts = self._find()

    def rows(self, start: datetime | None = None, end: datetime | None = None) -> int:
        """Count the events, late ones included, with start <= `_time` < end, as far as the segments' footers tell."""
        return round(sum(share(facts, start, end) for facts in self._facts()))

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
        return {stream: self._read(stream, start, end, columns.get(stream, frozenset())) for stream in self._parts}

    def _read(self, stream: str, start: datetime | None, end: datetime | None, columns: frozenset[str]) -> pa.Table:
        wanted = ["_time", "_id", "_late", *sorted(columns - {"_time", "_id"})]
        try:
            events = self._log.read_parts(self._parts[stream], start, end, wanted)
        except FileNotFoundError:
            events = steadily(lambda: self._read_anew(stream, start, end, wanted))
        late = late_rows(events)
        if late is not None:
            events = events.filter((~late).to_arrow())
        known = [name for name in events.column_names if not pa.types.is_null(events[name].type)]
        typed = with_all_columns(self._shapes[stream], events.select(known))
        return typed.select([name for name in wanted if name != "_late" and name in typed.column_names])

    def _read_anew(self, stream: str, start: datetime | None, end: datetime | None, columns: Sequence[str]) -> pa.Table:
        """Find the events again, which a compaction has put into another segment, and read them."""
        self._parts = self._find()
        return self._log.read_parts(self._parts[stream], start, end, columns)

    def _find(self) -> dict[str, list[Part]]:
        return {stream: self._log.parts(stream, self._after, self._upto) for stream in self._shapes}

    def _facts(self) -> Iterator[SegmentFacts]:
        for parts in self._parts.values():
            yield from (part.facts for part in parts)

    @property
    def segments(self) -> int:
        """How many segments hold them."""
        return sum(len(parts) for parts in self._parts.values())


def share(facts: SegmentFacts, start: datetime | None, end: datetime | None) -> float:
    """How many events of a segment lie in a time range, if they are spread evenly."""
    first = facts.first if start is None else max(facts.first, start)
    last = facts.last if end is None else min(facts.last, end - _MICROSECOND)
    if last < first:
        return 0.0
    return facts.rows * ((last - first) + _MICROSECOND) / ((facts.last - facts.first) + _MICROSECOND)


def _points(facts: SegmentFacts, rows: int) -> Iterator[tuple[datetime, int]]:
    """A segment as moments and how many events come from each on, none more than `rows`."""
    parts = -(-facts.rows // rows)
    step = (facts.last - facts.first) / parts
    for part in range(parts):
        yield facts.first + part * step, facts.rows // parts + (part < facts.rows % parts)
