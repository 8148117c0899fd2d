"""The background writer: brings the store up to the log, and knows how far behind it is.

Its queue is the log itself: what waits costs a few bytes a batch, so a burst stalls nobody, and after a crash it goes
on where the store is.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import pyarrow as pa

from ..errors import ArchiveError
from ..ontology import KnowledgeBase
from .log import EventLog
from .segment import Position
from .snapshots import answer_requests, remove_leftovers
from .store import EventStore, Progress

Encode = Callable[[str, pa.Table], bytes]

# Oxigraph's loader is fastest around 50,000 quads at once: below, each load costs files; above, sorting costs memory.
_EVENTS_PER_LOAD = 10_000
_POLL_S = 0.05


@dataclass(frozen=True, slots=True)
class Lag:
    """What the log holds and the store does not yet."""

    batches: int
    events: int


class StoreWriter:
    """Writes every batch of a log into a store, in the log's order, on one thread of its own.

    Args:
        log: read only here.
        store: written only here.
        encode: (stream, events) → N-Quads; events of a stream that it does not know become nothing.
        knowledge: the store's knowledge from now on.
        snapshots: the folder in which other processes ask for copies.
    """

    def __init__(
        self, log: EventLog, store: EventStore, encode: Encode, knowledge: KnowledgeBase, snapshots: Path
    ) -> None:
        self._log, self._store, self._encode, self._knowledge = log, store, encode, knowledge
        self._snapshots = snapshots
        self._done = store.progress
        # Batches with their number of events, ascending as batches come; the thread takes from the front.
        self._pending = _pending(log, self._done)
        self._batch: tuple[Position, int, list[tuple[str, pa.Table]]] | None = None
        self._changed = threading.Condition()
        self._stopping = False
        self._knows = False
        self._failure: ArchiveError | None = None
        self._told = False
        self._thread = threading.Thread(target=self._run, name="kaicep-store-writer", daemon=True)
        self._thread.start()

    @property
    def lag(self) -> Lag:
        """How far the store is behind the log."""
        with self._changed:
            return _lag(self._pending, self._done)

    def notify(self, position: Position, rows: int) -> None:
        """Say that a batch of so many events is in the log.

        Raises:
            ArchiveError: writing the store has failed.
        """
        with self._changed:
            if _missing(self._done, position, rows):
                self._pending[position] = rows
            else:
                self._pending.pop(position, None)
            self._changed.notify_all()
        self._raise_failure()

    def flush(self, timeout: float | None = None) -> bool:
        """Wait until the store holds what the log holds; tell whether it does.

        Args:
            timeout: seconds; `None`: as long as it takes.

        Raises:
            ArchiveError: writing the store has failed.
        """
        return self._wait(lambda: self._knows and not self._pending, timeout)

    def adopt(self, knowledge: KnowledgeBase, encode: Encode) -> None:
        """Replace the store's knowledge, and how events are encoded from now on."""
        with self._changed:
            self._knowledge, self._encode, self._knows = knowledge, encode, False
            self._changed.notify_all()

    def wait_for_knowledge(self) -> None:
        """Wait until the store holds the knowledge base.

        Raises:
            ArchiveError: writing the store has failed.
        """
        self._wait(lambda: self._knows, None)

    def close(self) -> None:
        """Stop after the load at work; the next writer goes on from there.

        Raises:
            ArchiveError: writing the store has failed, and nobody was told yet.
        """
        with self._changed:
            self._stopping = True
            self._changed.notify_all()
        self._thread.join()
        if not self._told:
            self._raise_failure()

    def _raise_failure(self) -> None:
        if self._failure is not None:
            self._told = True
            raise self._failure

    def _wait(self, done: Callable[[], bool], timeout: float | None) -> bool:
        with self._changed:
            self._changed.wait_for(lambda: done() or self._failure is not None or self._stopping, timeout)
            if done():
                return True
            self._raise_failure()
            return False

    def _run(self) -> None:
        try:
            remove_leftovers(self._snapshots)
            while not self._stopping:
                self._learn()
                self._step()
        except ArchiveError as error:
            self._fail(error)
        except BaseException as error:  # noqa: BLE001  # whatever ends the thread has to surface in another
            self._fail(ArchiveError(f"the store's writer failed: {error!r}", hint="the log is complete; start again"))

    def _learn(self) -> None:
        """Give the store the knowledge base that it is to hold."""
        if self._knows:
            return
        knowledge = self._knowledge
        self._store.set_knowledge(knowledge)
        with self._changed:
            self._knows = knowledge is self._knowledge
            self._changed.notify_all()

    def _step(self) -> None:
        answer_requests(self._store, self._snapshots)
        with self._changed:
            if not self._pending:
                self._changed.wait(_POLL_S)
                return
            waiting = list(islice(self._pending.items(), _EVENTS_PER_LOAD))
        quads, progress = self._next_load(waiting)
        self._store.add(quads, progress)
        with self._changed:
            self._done = progress
            for position, _ in waiting:
                if position in self._pending and not _missing(self._done, position, self._pending[position]):
                    del self._pending[position]
            self._changed.notify_all()

    def _next_load(self, waiting: Sequence[tuple[Position, int]]) -> tuple[bytes, Progress]:
        """Encode what fits into one load, of as many batches as it takes."""
        texts, room, progress = [], _EVENTS_PER_LOAD, self._done
        for position, rows in waiting:
            start = rows - _missing(self._done, position, rows)
            stop = min(rows, start + room)
            texts += [self._encode(stream, events) for stream, events in self._slices(position, rows, start, stop)]
            progress = Progress(position, total=rows, rows=stop)
            room -= stop - start
            if not room:
                break
        if progress is None:
            raise ArchiveError("there is nothing to write to the store", hint="start again")
        return b"".join(texts), progress

    def _slices(self, position: Position, rows: int, start: int, stop: int) -> Iterator[tuple[str, pa.Table]]:
        """Give events `start` to `stop` of a batch, its streams one after the other."""
        if self._batch is None or self._batch[:2] != (position, rows):
            self._batch = (position, rows, list(self._log.read_batch(position).items()))
        offset = 0
        for stream, events in self._batch[2]:
            first, last = max(start - offset, 0), min(stop - offset, events.num_rows)
            if first < last:
                yield stream, events.slice(first, last - first)
            offset += events.num_rows

    def _fail(self, error: ArchiveError) -> None:
        with self._changed:
            self._failure = error
            self._changed.notify_all()


def lag_of(log: EventLog, progress: Progress | None) -> Lag:
    """Tell how far a store with this progress is behind the log."""
    return _lag(_pending(log, progress), progress)


def _lag(pending: Mapping[Position, int], progress: Progress | None) -> Lag:
    return Lag(len(pending), sum(_missing(progress, *entry) for entry in pending.items()))


def _pending(log: EventLog, progress: Progress | None) -> dict[Position, int]:
    """List the batches of the log, with their number of events, that a store does not hold as a whole."""
    begun = [] if progress is None else [progress.position]
    found = [(p, log.batch_rows(p)) for p in [*begun, *log.positions(progress.position if progress else None)]]
    return {position: rows for position, rows in found if _missing(progress, position, rows)}


def _missing(progress: Progress | None, position: Position, rows: int) -> int:
    """Count the events of a batch that a store does not have.

    A batch that has grown since (a crash had torn it between its streams) counts as a whole: adding twice is harmless.
    """
    if progress is None or position > progress.position or (position == progress.position and rows > progress.total):
        return rows
    return max(0, rows - progress.rows) if position == progress.position else 0
