"""The background writer: brings the store up to the log, and knows how far behind it is.

Its queue is the log itself: what waits costs a few bytes a batch, so a burst stalls nobody, and after a crash it goes
on where the store is.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import pyarrow as pa

from ..errors import ArchiveError, Place
from ..ontology import KnowledgeBase
from .endpoint import EndpointError
from .endpoint_store import EndpointStore
from .log import EventLog
from .marks import Progress
from .segment import Position
from .semantic_store import SemanticStore
from .snapshots import answer_requests, remove_leftovers
from .store import EventStore

Encode = Callable[[str, pa.Table], bytes]

_LOG = logging.getLogger("kaicep")
_POLL_S = 0.05
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.1, 30.0


@dataclass(frozen=True, slots=True)
class Lag:
    """What the log holds and the store does not yet."""

    batches: int
    events: int


class StoreWriter:
    """Writes every batch of a log into a store, in the log's order, on one thread of its own.

    While a store behind a SPARQL endpoint does not answer, it tries again and again, and the lag grows.

    Args:
        log: read only here.
        store: written only here.
        encode: (stream, events) → N-Quads; events of a stream that it does not know become nothing.
        knowledge: the store's knowledge from now on.
        snapshots: the folder in which other processes ask for copies.
    """

    def __init__(
        self, log: EventLog, store: SemanticStore, encode: Encode, knowledge: KnowledgeBase, snapshots: Path
    ) -> None:
        self._log, self._store, self._encode, self._knowledge = log, store, encode, knowledge
        self._snapshots = snapshots
        self._done: Progress | None = None
        # Batches with their number of events, ascending as batches come; the thread takes from the front.
        self._pending: dict[Position, int] = {}
        self._met = False
        self._trouble: EndpointError | None = None
        self._pause = _FIRST_PAUSE_S
        self._batch: tuple[Position, int, list[tuple[str, pa.Table]]] | None = None
        self._changed = threading.Condition()
        self._stopping = False
        self._knows = False
        self._failure: ArchiveError | None = None
        self._told = False
        try:
            self._meet()
        except EndpointError as trouble:
            self._pending = _pending(log, None)
            self._in_trouble(trouble)
        self._thread = threading.Thread(target=self._run, name="kaicep-store-writer", daemon=True)
        self._thread.start()

    @property
    def lag(self) -> Lag:
        """How far the store is behind the log."""
        with self._changed:
            return _lag(self._pending, self._done)

    @property
    def done(self) -> Progress | None:
        """How far the store is, as far as this knows."""
        return self._done

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
            ArchiveError: writing the store has failed; or without a timeout, the store does not answer.
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

            def over() -> bool:
                hopeless = timeout is None and self._trouble is not None
                return done() or self._failure is not None or self._stopping or hopeless

            self._changed.wait_for(over, timeout)
            if done():
                return True
            self._raise_failure()
            if self._trouble is not None and timeout is None:
                raise self._trouble
            return False

    def _run(self) -> None:
        try:
            remove_leftovers(self._snapshots)
            while not self._stopping:
                try:
                    self._meet()
                    self._learn()
                    self._step()
                    self._out_of_trouble()
                except EndpointError as trouble:
                    self._in_trouble(trouble)
                    self._rest()
        except ArchiveError as error:
            self._fail(error)
        except BaseException as error:  # noqa: BLE001  # whatever ends the thread has to surface in another
            self._fail(ArchiveError(f"the store's writer failed: {error!r}", hint="the log is complete; start again"))

    def _meet(self) -> None:
        """Find out how far the store is.

        Raises:
            EndpointError: it does not answer.
            ArchiveError: it is another archive's, or has what the log lost.
        """
        if self._met:
            return
        done = self._store.claim() if isinstance(self._store, EndpointStore) else self._store.progress
        newest = max(self._log.positions(), default=None)
        if isinstance(self._store, EndpointStore) and done is not None and (newest is None or done.position > newest):
            raise ArchiveError(
                f"the SPARQL endpoint holds batch {done.position}, the log none behind {newest}",
                place=Place(self._store.endpoint.queries),
                hint="clear the endpoint: the log fills it again",
            )
        pending = _pending(self._log, done)
        with self._changed:
            since = {p: rows for p, rows in self._pending.items() if newest is None or p > newest}
            self._done, self._pending, self._met = done, pending | since, True

    def _in_trouble(self, trouble: EndpointError) -> None:
        """Say, once for each thing that is wrong, that the store falls behind."""
        with self._changed:
            before, self._trouble = self._trouble, trouble
            self._changed.notify_all()
        if before is None or str(before) != str(trouble):
            _LOG.warning("%s; the log goes on, and the store catches up later", trouble)

    def _out_of_trouble(self) -> None:
        if self._trouble is not None:
            _LOG.warning("the SPARQL endpoint answers again; the store is %s events behind", f"{self.lag.events:,}")
            self._trouble, self._pause = None, _FIRST_PAUSE_S

    def _rest(self) -> None:
        """Wait before the next attempt, each time longer."""
        with self._changed:
            self._changed.wait_for(lambda: self._stopping, self._pause)
        self._pause = min(2 * self._pause, _LONGEST_PAUSE_S)

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
        if isinstance(self._store, EventStore):
            answer_requests(self._store, self._snapshots)
        with self._changed:
            if not self._pending:
                self._changed.wait(_POLL_S)
                return
            waiting = list(islice(self._pending.items(), self._store.events_per_load))
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
        texts, room, progress = [], self._store.events_per_load, self._done
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
