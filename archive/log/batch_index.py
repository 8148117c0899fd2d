"""Which batches a segment holds, and where in it: columns of integers, in its footer and in memory."""

from __future__ import annotations

import base64
import json
import zlib
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import accumulate, chain, pairwise

__all__ = ["BatchFacts", "BatchIndex", "Position"]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True, order=True)
class Position:
    """A batch of a checkpoint generation; positions are ordered as the batches were written."""

    generation: int
    batch: int

    def __str__(self) -> str:
        return f"{self.generation:06d}-{self.batch:012d}"

    @property
    def before(self) -> Position:
        """Behind every earlier batch, and not behind this one."""
        return Position(self.generation, self.batch - 1)


@dataclass(frozen=True, slots=True)
class BatchFacts:
    """Of a batch within a segment: number of events, least and greatest `_time`."""

    position: Position
    rows: int
    first: datetime
    last: datetime


class BatchIndex:
    """The batches of a segment, ascending; 40 bytes each.

    Args:
        columns: generations, batches, numbers of rows, least and greatest `_time` in µs since 1970.
    """

    def __init__(self, columns: Sequence[array[int]]) -> None:
        self._generations, self._batches, self._rows, self._firsts, self._lasts = columns
        self._offsets = array("q", accumulate(self._rows, initial=0))

    @classmethod
    def of(cls, batches: Sequence[BatchFacts]) -> BatchIndex:
        """The index of batches, which ascend."""
        entries = (
            (b.position.generation, b.position.batch, b.rows, _micros(b.first), _micros(b.last)) for b in batches
        )
        return cls(_columns(entries))

    @classmethod
    def from_bytes(cls, text: bytes) -> BatchIndex:
        """From a footer; earlier versions have a JSON list of batches there.

        Raises:
            ValueError: it is none.
        """
        if text.startswith(b"["):
            return cls(_columns(json.loads(text)))
        try:
            deltas = json.loads(zlib.decompress(base64.b64decode(text, validate=True)))
        except zlib.error as error:
            raise ValueError(str(error)) from error
        return cls([array("q", accumulate(column)) for column in deltas])

    def to_bytes(self) -> bytes:
        """For a footer: most steps from one batch to the next are alike, so it takes some ten bytes a batch."""
        columns = (self._generations, self._batches, self._rows, self._firsts, self._lasts)
        deltas = [[*column[:1], *(b - a for a, b in pairwise(column))] for column in columns]
        return base64.b64encode(zlib.compress(json.dumps(deltas, separators=(",", ":")).encode()))

    def __len__(self) -> int:
        return len(self._batches)

    def __iter__(self) -> Iterator[BatchFacts]:
        for i in range(len(self)):
            yield BatchFacts(self.position(i), self._rows[i], *self._times(range(i, i + 1)))

    def positions(self) -> list[Position]:
        """List the batches."""
        return [self.position(i) for i in range(len(self))]

    def between(self, after: Position | None, upto: Position | None) -> range:
        """Which batches, by number, lie behind `after` and not behind `upto`."""
        start = 0 if after is None else self._behind(after)
        return range(start, len(self) if upto is None else max(start, self._behind(upto)))

    def rows(self, batches: range) -> range:
        """Which rows of the segment some batches are."""
        return range(self._offsets[batches.start], self._offsets[batches.stop])

    def count(self, batch: int) -> int:
        """How many rows a batch has."""
        return self._rows[batch]

    def first(self, batches: range, rows: int) -> range:
        """The first of some batches that have no more rows together; at least one."""
        stop = bisect_right(self._offsets, self._offsets[batches.start] + rows) - 1
        return range(batches.start, min(batches.stop, max(stop, batches.start + 1)))

    def facts(self, batches: range) -> tuple[int, datetime, datetime]:
        """Of some batches, at least one: number of events, least and greatest `_time`."""
        return len(self.rows(batches)), *self._times(batches)

    @property
    def total(self) -> int:
        """How many rows all batches have."""
        return self._offsets[-1]

    def _times(self, batches: range) -> tuple[datetime, datetime]:
        held = slice(batches.start, batches.stop)
        first, last = min(self._firsts[held]), max(self._lasts[held])
        return _EPOCH + first * _MICROSECOND, _EPOCH + last * _MICROSECOND

    def _behind(self, position: Position) -> int:
        """The number of the first batch behind a position."""
        after = position.generation, position.batch + 1
        return bisect_left(range(len(self)), after, key=lambda i: (self._generations[i], self._batches[i]))

    def position(self, i: int) -> Position:
        """A batch by its number."""
        return Position(self._generations[i], self._batches[i])


def _columns(entries: Iterator[tuple[int, ...]] | Sequence[Sequence[int]]) -> list[array[int]]:
    flat = array("q", chain.from_iterable(entries))
    return [flat[i::5] for i in range(5)]


def _micros(moment: datetime) -> int:
    return (moment - _EPOCH) // _MICROSECOND
