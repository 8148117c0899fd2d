"""What could not be used of recorded events: the first few records with their places, then numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pyarrow as pa

from ...annotator.recognition import unlike_stated
from ...config import TimeSettings
from ...pipeline.flow import StreamResult
from ...pipeline.sources import RawBatch

__all__ = ["RecordComplaints"]

_SHOWN = 3


class RecordComplaints:
    """Collects what is wrong with records while they pass; keeps the first few of a stream and counts the others."""

    def __init__(self) -> None:
        self._shown: dict[str, list[str]] = {}
        self._unusable: dict[str, int] = {}
        self._formats: dict[str, str | None] = {}
        self._late: dict[str, int] = {}
        self._duplicates: dict[str, int] = {}

    def note(self, stream: str, raw: RawBatch, rejected: pa.Table, time: TimeSettings) -> None:
        """Note the records of a batch that are no events.

        Args:
            stream: theirs.
            raw: the batch.
            rejected: `row` and `reason` of the tuples that are no events.
            time: how the stream's time stamps are written, as is stated.
        """
        shown = self._shown.setdefault(stream, [])
        if stream not in self._formats and 2 * rejected.num_rows > raw.table.num_rows:
            self._formats[stream] = _other_format(raw.table, time)
        room = _SHOWN - len(shown)
        shown += [f"{malformed.place}: {malformed.reason}" for malformed in raw.malformed[:room]]
        room = _SHOWN - len(shown)
        shown += [f"{raw.place(row['row'])}: {row['reason']}" for row in rejected.slice(0, room).to_pylist()]
        self._unusable[stream] = self._unusable.get(stream, 0) + len(raw.malformed) + rejected.num_rows

    def count(self, results: Mapping[str, StreamResult]) -> None:
        """Count the late events and the duplicates of a batch."""
        for stream, result in results.items():
            self._late[stream] = self._late.get(stream, 0) + result.late.num_rows
            self._duplicates[stream] = self._duplicates.get(stream, 0) + result.duplicates

    def lines(self) -> Iterator[str]:
        """What there is to complain about, stream by stream."""
        for stream, shown in self._shown.items():
            yield from shown
            if (more := self._unusable[stream] - len(shown)) > 0:
                yield f"… and {more:,} more records of stream {stream} that are no events"
            if told := self._formats.get(stream):
                yield f"the time stamps of stream {stream} {told}"
            if late := self._late.get(stream):
                yield f"late events of stream {stream}, left out: {late:,} (see its lateness)"
            if duplicates := self._duplicates.get(stream):
                yield f"events of stream {stream} that came again, left out: {duplicates:,} (see its identity)"


def _other_format(table: pa.Table, time: TimeSettings) -> str | None:
    """How time stamps are written that the stated format does not read, and how that is stated."""
    if time.attribute not in table.column_names:
        return None
    guess = unlike_stated(table[time.attribute], time.format)
    if guess is None:
        return None
    doubt = f", or {guess.rival}, which nothing in them tells apart" if guess.rival is not None else ""
    return f'all read as {guess.format}{doubt}: time = {{ …, format = "{guess.format}" }}'
