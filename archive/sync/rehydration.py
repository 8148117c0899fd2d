"""Rehydration: what the store has dropped, or never had, brought back from the log for one request.

Source: docs/decisions/056, 077.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from ...errors import ArchiveError
from ..log import EventLog, drop_late_duplicates, read_consistently, rows_between
from ..sparql import Timeout
from ..store import BucketRange
from .pending_writes import Encode

_ROWS_PER_LOAD = 10_000
MOST = 2_000_000
"""So many events are brought back for one request: some three gigabytes on disk, and some minutes."""

Add = Callable[[bytes], object]
"""Adds N-Quads to a store."""


@dataclass(frozen=True, eq=False)
class EncodedLog:
    """A log, and how its rows become N-Quads: as the store's writer has it."""

    log: EventLog
    encode: Encode

    def count(self, buckets: BucketRange) -> float:
        """Estimate how many rows lie in some buckets."""
        found = (one for stream in self.log.streams() for one in self.log.slices(stream))
        return sum(rows_between(one.facts, buckets.start, buckets.end) for one in found)

    def load(self, add: Add, buckets: BucketRange, timeout: Timeout) -> None:
        """Add the rows of some buckets to a store."""
        self.log.readers.add(self)  # retention leaves a log alone that somebody reads
        for stream in self.log.streams():
            read_consistently(partial(self._load, add, stream, buckets, timeout))

    def _load(self, add: Add, stream: str, buckets: BucketRange, timeout: Timeout) -> None:
        """Load a stream's rows, segment by segment; what is loaded twice is there once."""
        for one in self.log.slices(stream):
            rows = self.log.read_slices([one], buckets.start, buckets.end)
            for first in range(0, rows.num_rows, _ROWS_PER_LOAD):
                timeout.check()
                add(
                    self.encode(
                        stream,
                        drop_late_duplicates(self.log, stream, one.first, rows.slice(first, _ROWS_PER_LOAD)),
                    )
                )


def load_buckets(logs: tuple[EncodedLog, ...], add: Add, buckets: BucketRange, timeout: Timeout) -> None:
    """Add to a store what some buckets had.

    Args:
        logs: of events and of matches.
        add: to a store that nobody else has open.
        buckets: which.
        timeout: of whoever asks.

    Raises:
        ArchiveError: there are too many events, nobody waits for them any more, or a segment is broken.
    """
    found = round(sum(each.count(buckets) for each in logs))
    if found > MOST:
        raise ArchiveError(
            f"some {found:,} events would have to be brought back from the log, and {MOST:,} is the most",
            hint="ask for a shorter time range; store_age under [archive] says what the store keeps",
        )
    for each in logs:
        each.load(add, buckets, timeout)
