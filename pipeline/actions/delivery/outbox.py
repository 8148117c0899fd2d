"""The outbox: calls wait here, durably, from the batch that made them until a receiver has them (docs/decisions/269).

A call stands in the file of its batch, which is written before the batch is done, and goes out after that. A *lane* is
what has to be in order: the calls of one rule for one action. How far each lane has come is noted in
`delivered.jsonl`, by batch and place in it: a batch that is done again makes the same calls at the same places, and
those that were handed on do not go out again. The notes are not synced, but for what the engine itself has done: after
a power cut some calls go out a second time, with the same key. A file goes when all its calls were handed on, or are
dead letters.

Source: transactional outbox (Richardson, Microservices Patterns, 3.2.3).
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import islice, takewhile
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from ..call import ActionCall, calls_of
from .call_files import CallFiles, FileKey, Ordinals, ordinals_of
from .checked_lines import append_lines, lines_of, write_lines
from .failed_calls import FailedCall, FailedCalls, table_of

__all__ = ["Lane", "Outbox", "Piece"]

_LOG = logging.getLogger("kaicep")
_MORE_LINES = 1000
_TOGETHER = 50
"""Calls of so many batches go out at once, at most: while their files are read no batch is put in."""


class Lane(NamedTuple):
    """Calls that have to be in order.

    Attributes:
        action: whom they are for.
        rule: that makes them.
        retry: 0: as batches make them; else those of that time that dead letters are tried again.
    """

    action: str
    rule: str
    retry: int = 0


Place = tuple[int, int]
"""A batch and a place in it: what stands before it was handed on."""


@dataclass(frozen=True, slots=True)
class Piece:
    """The next calls of a lane.

    Attributes:
        lane: the lane.
        calls: in order.
        ends: the place behind each of them.
    """

    lane: Lane
    calls: Sequence[ActionCall]
    ends: Sequence[Place]


@dataclass(slots=True)
class _Waiting:
    """What waits of a lane: by file, in order, the places of its calls."""

    places: dict[FileKey, Ordinals] = field(default_factory=dict)
    count: int = 0

    def put(self, key: FileKey, places: Ordinals) -> None:
        """Let these wait; files come in order, but for one that is written anew."""
        in_order = key in self.places or not self.places or next(reversed(self.places)) < key
        if not places.size:
            self.drop(key)
            return
        self.count += places.size - (self.places[key].size if key in self.places else 0)
        self.places[key] = places
        if not in_order:
            self.places = dict(sorted(self.places.items()))

    def drop(self, key: FileKey) -> None:
        if key in self.places:
            self.count -= self.places.pop(key).size

    def has(self, behind: int, upto: int) -> bool:
        """Whether something waits of a batch behind one, up to another; the last batches are looked at first."""
        last = next((key.batch for key in reversed(self.places) if key.batch <= upto), 0)
        return last > behind


class Outbox:
    """The calls of one engine that wait; used by several threads.

    Args:
        folder: in the engine's state; made when there is something to keep.
    """

    def __init__(self, folder: Path) -> None:
        self._files = CallFiles(folder)
        self._notes = folder / "delivered.jsonl"
        self.failed = FailedCalls(folder / "failed.jsonl")
        self._lock = threading.RLock()
        self._lanes: dict[Lane, _Waiting] = {}
        self._users: dict[FileKey, int] = {}
        self._released = 0
        self._done: dict[Lane, Place] = {}
        self._lines = 0
        for line in lines_of(self._notes):
            self._done[Lane(*line["lane"])] = (line["place"][0], line["place"][1])
            self._lines += 1
        for key in self._files.keys():  # noqa: SIM118 - no mapping
            calls = self._files.read(key)
            if calls is not None:
                self._take_in(key, calls)

    def put(self, batch: int, calls: pa.Table) -> None:
        """Keep the calls of a batch, in the place of what it had; when this returns, they survive a power cut.

        Args:
            batch: its number; nothing of it goes out before it is released.
            calls: of the schema `rules.CALLS`, in order.
        """
        key = FileKey(0, batch)
        with self._lock:
            if calls.num_rows:
                self._files.write(key, calls)
                self._forget(key)
                self._take_in(key, calls)
            elif key in self._users:
                self._forget(key)
                self._files.remove(key, durably=True)

    def put_apart(self, calls: pa.Table) -> list[Lane]:
        """Keep calls that belong to no batch, as dead letters that are tried again; the lanes in which they wait.

        Args:
            calls: in order; at least one.
        """
        with self._lock:
            key = self._next_retry()
            self._files.write(key, calls)
            self._take_in(key, calls)
            return [lane for lane in self._lanes if lane.retry == key.retry]

    def release(self, batch: int) -> list[Lane]:
        """Let the calls go out of all batches up to one that is durable; the lanes in which something waits now."""
        with self._lock:
            before, self._released = self._released, max(self._released, batch)
            return [lane for lane, waiting in self._lanes.items() if lane.retry or waiting.has(before, batch)]

    def take(self, lane: Lane, most: int) -> Piece | None:
        """The next calls of a lane; `None`: none waits that may go out.

        Args:
            lane: the lane.
            most: how many.
        """
        with self._lock:
            waiting = self._lanes.get(lane, _Waiting())
            while (first := next(iter(waiting.places), None)) is not None and first.batch <= self._released:
                piece = self._piece(lane, waiting, most)
                if piece.calls:  # else all these files are damaged
                    return piece
            return None

    def acknowledge(self, piece: Piece, count: int | None = None, *, durably: bool = False) -> None:
        """Note that the first calls of a piece need not go out again; by default all of them.

        Args:
            piece: the piece.
            count: how many.
            durably: whether they do not go out a second time after a power cut either.
        """
        count = len(piece.calls) if count is None else count
        if not count:
            return
        lane, place = piece.lane, piece.ends[count - 1]
        with self._lock:
            self._done[lane] = max(place, self._done.get(lane, place))
            waiting = self._lanes[lane]
            for key in list(takewhile(lambda key: key.batch <= place[0], waiting.places)):
                left = self._left(lane, key, waiting.places[key])
                waiting.put(key, left)
                if not left.size:
                    self._leave(key)
            if not waiting.places:
                del self._lanes[lane]
            self._note(lane, durably=durably)

    def fail(self, piece: Piece, count: int, reason: str, tries: int) -> None:
        """Make the first calls of a piece dead letters."""
        at = datetime.now(UTC).isoformat(timespec="milliseconds")
        with self._lock:
            self.failed.add(
                [
                    FailedCall(call.action, call.rule, call.id, call.time, call.arguments, tries, reason, at)
                    for call in piece.calls[:count]
                ]
            )
            self.acknowledge(piece, count)

    def retry(self, wanted: Callable[[FailedCall], bool], schema: pa.Schema) -> list[Lane]:
        """Let dead letters wait again, behind nobody; the lanes in which they do.

        Args:
            wanted: which.
            schema: of calls.
        """
        with self._lock:
            chosen = [call for call in self.failed.calls() if wanted(call)]
            if not chosen:
                return []
            key = self._next_retry()
            calls = table_of(chosen, schema)
            self._files.write(key, calls)
            self.failed.keep(lambda call: not wanted(call))
            self._take_in(key, calls)
            return [lane for lane in self._lanes if lane.retry == key.retry]

    def _next_retry(self) -> FileKey:
        numbers = [key.retry for key in self._users] + [lane.retry for lane in self._done]
        return FileKey(max(numbers, default=0) + 1, 0)

    def counts(self) -> dict[Lane, int]:
        """By lane, how many calls wait, those of the batch at work among them."""
        with self._lock:
            return {lane: waiting.count for lane, waiting in self._lanes.items()}

    def _piece(self, lane: Lane, waiting: _Waiting, most: int) -> Piece:
        calls: list[pa.Table] = []
        ends: list[Place] = []
        for key, places in list(islice(waiting.places.items(), _TOGETHER)):
            if key.batch > self._released or len(ends) >= most:
                break
            table = self._files.read(key)
            if table is None:
                self._forget(key)
                continue
            chosen = places[: most - len(ends)]
            calls.append(table.take(pa.array(chosen)))
            ends += [(key.batch, place + 1) for place in chosen.tolist()]
        return Piece(lane, calls_of(pa.concat_tables(calls)) if calls else [], ends)

    def _take_in(self, key: FileKey, calls: pa.Table) -> None:
        """Let the calls of a file wait that were not handed on."""
        users = 0
        for (action, rule), places in ordinals_of(calls).items():
            lane = Lane(action, rule, key.retry)
            left = self._left(lane, key, places)
            if left.size:
                self._lanes.setdefault(lane, _Waiting()).put(key, left)
                users += 1
        if users:
            self._users[key] = users
        else:
            self._files.remove(key)

    def _left(self, lane: Lane, key: FileKey, places: Ordinals) -> Ordinals:
        """Those of a lane's places in a file that were not handed on."""
        batch, first = self._done.get(lane, (0, 0))
        if key.batch != batch:
            return places if key.batch > batch else places[:0]
        return places[np.searchsorted(places, first) :]

    def _forget(self, key: FileKey) -> None:
        for lane, waiting in list(self._lanes.items()):
            waiting.drop(key)
            if not waiting.places:
                del self._lanes[lane]
        self._users.pop(key, None)

    def _leave(self, key: FileKey) -> None:
        """One lane less has calls in a file."""
        self._users[key] -= 1
        if not self._users[key]:
            del self._users[key]
            self._files.remove(key)

    def _note(self, lane: Lane, *, durably: bool) -> None:
        """Note how far a lane is; if that cannot be, a later note says it, or its last calls go out a second time."""
        try:
            if self._lines > _MORE_LINES + 2 * len(self._done):
                there = {key.retry for key in self._users}
                self._done = {one: place for one, place in self._done.items() if not one.retry or one.retry in there}
                write_lines(self._notes, _noted(self._done.items()))
                self._lines = len(self._done)
            else:
                append_lines(self._notes, _noted([(lane, self._done[lane])]), sync=durably)
                self._lines += 1
        except OSError as error:
            _LOG.warning("actions: it cannot be noted which calls were handed on (%s)", error.strerror)


def _noted(done: Iterable[tuple[Lane, Place]]) -> Iterable[dict[str, object]]:
    return ({"lane": list(lane), "place": list(place)} for lane, place in done)
