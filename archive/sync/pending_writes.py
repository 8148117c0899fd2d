"""Pending writes: what a log has and a store lacks, batch by batch, in the order in which it is to be written."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Self

import pyarrow as pa
import pyoxigraph as ox

from ..log import EventLog, Position, drop_late_duplicates, scan_batches
from ..store import HOLDS, HOLDS_MATCHES, CommittedOffset

Encode = Callable[[str, pa.Table], bytes]
_Logged = tuple[Position, dict[str, pa.Table]]
_MOST = 10_000
_QUADS_OF_A_MATCH = 10
"""How many times more a match has than an event, about."""


@dataclass(frozen=True, slots=True)
class WriteBatch:
    """What is written to a store at once: N-Quads, and the offset that they bring it to."""

    quads: bytes
    offset: CommittedOffset
    batches: Sequence[Position]


class PendingWrites:
    """The batches of one log that a store does not hold as a whole. Whoever shares it between threads locks it.

    Args:
        log: read only here.
        encode: (stream, rows) → N-Quads; rows of a stream that it does not know become nothing.
        name: by which the store says how far it is with this log.
        share: a load has so many times fewer of these rows than of events: each has so many times more quads.

    Attributes:
        committed: how far the store is, as far as this knows.
    """

    def __init__(self, log: EventLog, encode: Encode, name: ox.NamedNode, share: int = 1) -> None:
        self.log, self.encode, self.name = log, encode, name
        self.committed: CommittedOffset | None = None
        self._share = share
        # Batches with their number of rows, ascending as batches come; loads take from the front. However far the
        # store is behind, only the first are here; of those behind them, how many they are.
        self._pending: dict[Position, int] = {}
        self._rest = _NONE
        self._batch: tuple[Position, int, list[tuple[str, pa.Table]]] | None = None

    @classmethod
    def of_events(cls, log: EventLog, encode: Encode) -> Self:
        """Those of an archive's events."""
        return cls(log, encode, HOLDS)

    @classmethod
    def of_matches(cls, log: EventLog, encode: Encode) -> Self:
        """Those of an archive's matches."""
        return cls(log, encode, HOLDS_MATCHES, share=_QUADS_OF_A_MATCH)

    def begin(self, committed: CommittedOffset | None) -> None:
        """Learn how far the store is."""
        newest = self.log.last
        since = {p: rows for p, rows in self._pending.items() if newest is None or p > newest}
        self.committed, self._pending, self._rest = committed, {}, _NONE
        self._fill()
        for position, rows in since.items():
            self.note(position, rows)

    def note(self, position: Position, rows: int) -> None:
        """Learn that a batch of so many rows is in the log."""
        if not _missing(self.committed, position, rows):
            self._pending.pop(position, None)
        elif position in self._pending or (len(self._pending) < _MOST and not self._rest.batches):
            self._pending[position] = rows
        elif self._rest.last is None or position > self._rest.last:
            self._rest = _Rest(self._rest.batches + 1, self._rest.rows + rows, position)

    @property
    def first(self) -> Position | None:
        """The batch that is to be written next; `None`: the store holds all."""
        return next(iter(self._pending), None)

    @property
    def batches(self) -> frozenset[Position]:
        """Those that the store lacks, the first of them where it lacks many."""
        return frozenset(self._pending)

    @property
    def more(self) -> int:
        """How many it lacks behind these."""
        return self._rest.batches

    @property
    def rows(self) -> int:
        """How many rows the store lacks."""
        return missing_rows(self._pending, self.committed) + self._rest.rows

    @property
    def worth(self) -> int:
        """How many events have as many quads as these rows, about."""
        return self.rows * self._share

    @property
    def held(self) -> Position | None:
        """The last batch up to which the store holds every row of the log; `None`: it holds none for certain."""
        return held_of(self.log, self.committed)

    def waiting(self, events: int) -> list[tuple[Position, int]]:
        """The batches that the next load may have rows of, where a load has so many events."""
        return list(islice(self._pending.items(), self._room(events)))

    def load(self, waiting: Sequence[tuple[Position, int]], events: int) -> WriteBatch:
        """Encode what fits into one load, of as many of the waiting batches as it takes.

        Args:
            waiting: batches and their number of rows; at least one.
            events: how many events a load has.
        """
        texts, room = [], self._room(events)
        logged = self._logged([position for position, _ in waiting])
        for position, rows in waiting:
            start = rows - _missing(self.committed, position, rows)
            stop = min(rows, start + room)
            for stream, part in self._slices(position, rows, start, stop, logged):
                texts.append(self.encode(stream, drop_late_duplicates(self.log, stream, position, part)))
            offset = CommittedOffset(position, total=rows, rows=stop)
            room -= stop - start
            if not room:
                break
        return WriteBatch(b"".join(texts), offset, [position for position, _ in waiting])

    def written(self, load: WriteBatch) -> None:
        """Learn that a load is in the store."""
        self.committed = load.offset
        for position in load.batches:
            if position in self._pending and not _missing(self.committed, position, self._pending[position]):
                del self._pending[position]
        if self._rest.batches and not self._pending:
            self._fill()

    def _fill(self) -> None:
        """Find the next batches that the store lacks."""
        self._pending = dict(islice(pending_batches(self.log, self.committed), _MOST))
        self._rest = _Rest.behind(self.log, max(self._pending)) if len(self._pending) == _MOST else _NONE

    def _room(self, events: int) -> int:
        return max(1, events // self._share)

    def _logged(self, positions: Sequence[Position]) -> Iterator[_Logged]:
        """What the log has of some batches; a file of several is read once."""
        if len(positions) == 1:
            yield positions[0], self.log.read_batch(positions[0])
        else:
            yield from scan_batches(self.log, positions[0].before, positions[-1])

    def _slices(
        self,
        position: Position,
        rows: int,
        start: int,
        stop: int,
        logged: Iterator[tuple[Position, dict[str, pa.Table]]],
    ) -> Iterator[tuple[str, pa.Table]]:
        """Give rows `start` to `stop` of a batch, its streams one after the other."""
        if self._batch is None or self._batch[:2] != (position, rows):
            found, tables = next((entry for entry in logged if entry[0] >= position), (None, {}))
            tables = tables if found == position else self.log.read_batch(position)
            self._batch = (position, rows, list(tables.items()))
        offset = 0
        for stream, table in self._batch[2]:
            first, last = max(start - offset, 0), min(stop - offset, table.num_rows)
            if first < last:
                yield stream, table.slice(first, last - first)
            offset += table.num_rows


@dataclass(frozen=True, slots=True)
class _Rest:
    """Batches behind others: how many, with how many rows, and the last of them."""

    batches: int = 0
    rows: int = 0
    last: Position | None = None

    @classmethod
    def behind(cls, log: EventLog, position: Position) -> _Rest:
        """Those of a log behind a position; the number of batches is one at the most, as their numbers say."""
        last = log.last
        if last is None or last <= position:
            return _NONE
        rows = sum(part.facts.rows for stream in log.streams() for part in log.slices(stream, position))
        return cls(max(1, last.batch - position.batch), rows, last)


_NONE = _Rest()


def pending_batches(log: EventLog, committed: CommittedOffset | None) -> Iterator[tuple[Position, int]]:
    """The batches of the log, ascending, with their number of rows, that a store does not hold as a whole."""
    found = log.rows_by_batch(None if committed is None else committed.position.before)
    return ((position, rows) for position, rows in found if _missing(committed, position, rows))


def held_of(log: EventLog, committed: CommittedOffset | None) -> Position | None:
    """The last batch of a log up to which a store with this offset has every row; `None`: of none for certain."""
    if committed is None:
        return None
    whole = committed.rows >= log.batch_rows(committed.position)
    return committed.position if whole else committed.position.before


def missing_rows(pending: Mapping[Position, int], committed: CommittedOffset | None) -> int:
    """Count the rows of some batches that a store with this offset does not have."""
    return sum(_missing(committed, *entry) for entry in pending.items())


def _missing(committed: CommittedOffset | None, position: Position, rows: int) -> int:
    """Count the rows of a batch that a store does not have.

    A batch that has grown since (a crash had torn it between its streams) counts as a whole: adding twice is harmless.
    """
    if (
        committed is None
        or position > committed.position
        or (position == committed.position and rows > committed.total)
    ):
        return rows
    return max(0, rows - committed.rows) if position == committed.position else 0
