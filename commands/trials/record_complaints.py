"""What could not be used of recorded events: the first few records with their places, then numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pyarrow as pa

from ...pipeline.flow import StreamResult
from ...pipeline.sources import RawBatch

__all__ = ["RecordComplaints"]

_SHOWN = 3


class RecordComplaints:
    """Collects what is wrong with records while they pass; keeps the first few of a stream and counts the others."""

    def __init__(self) -> None:
        self._shown: dict[str, list[str]] = {}
        self._unusable: dict[str, int] = {}
        self._late: dict[str, int] = {}
        self._duplicates: dict[str, int] = {}

    def note(self, stream: str, raw: RawBatch, rejected: pa.Table) -> None:
        """Note the records of a batch that are no events.

        Args:
            stream: theirs.
            raw: the batch.
            rejected: `row` and `reason` of the tuples that are no events.
        """
        shown = self._shown.setdefault(stream, [])
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
            if late := self._late.get(stream):
                yield f"late events of stream {stream}, left out: {late:,} (see its lateness)"
            if duplicates := self._duplicates.get(stream):
                yield f"events of stream {stream} that came again, left out: {duplicates:,} (see its identity)"
