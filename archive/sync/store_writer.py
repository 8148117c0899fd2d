"""The background writer: brings the store up to the log, and knows how far behind it is.

Its queue is the log itself: what waits costs no memory, so a burst stalls nobody, and after a crash it goes on where
the store is.
"""

from __future__ import annotations

import logging
import math
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from ...errors import ArchiveError
from ...ontology import KnowledgeBase
from ..log import EventLog, Position, UnreadableSegmentError, quarantined
from ..store import HOLDS_MATCHES, Store, StoreDamagedError, StoreUnavailableError, WritableStore
from .pending_writes import Encode, PendingWrites, missing_rows, pending_batches

_LOG = logging.getLogger("kaicep")
_POLL_S = 0.05
_FEW = 200
_APART_S, _MOST_APART_S, _TIMES = 3.0, 10.0, 10.0
"""Some thousand events a second are loaded so often at the most, and fewer than `_FEW` at once: each load leaves the
store files to be put together, which takes the more time the smaller they are. Where loads take long, by their number
or because a machine is busy, they are larger: they take a tenth of the time, about (docs/decisions/365)."""
_LOG_LACKS = ", which has lost segments: try `kaicep repair`, which asks both, before you remove it"
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.1, 30.0


@dataclass(frozen=True, slots=True)
class Lag:
    """What the archive's log holds and its store does not yet: events, and matches of named queries."""

    batches: int
    events: int
    matches: int = 0

    @property
    def rows(self) -> str:
        """What is lacking, in words; empty where nothing is."""
        counts = {"events": self.events, "matches": self.matches}
        return " and ".join(f"{count:,} {name}" for name, count in counts.items() if count)


class StoreWriter:
    """Writes every batch of an archive's log into its store, in the log's order, on one thread of its own.

    While a store does not answer (an endpoint that is away, a full disk) it tries again and again, and the lag grows.
    One that is damaged, also when it is tried again, is set aside, and built again from the log.

    Args:
        events: what the store lacks of the event log.
        matches: what it lacks of the log of matches; a batch's matches follow its events.
        store: written only here.
        knowledge: the store's knowledge from now on.
    """

    def __init__(
        self, events: PendingWrites, matches: PendingWrites, store: WritableStore, knowledge: KnowledgeBase
    ) -> None:
        self._events, self._matches, self._store, self._knowledge = events, matches, store, knowledge
        self._met = False
        self._trouble: StoreUnavailableError | None = None
        self._pause = _FIRST_PAUSE_S
        self._damage: str | None = None
        self._rebuilt_for: str | None = None
        self._changed = threading.Condition()
        self._stopping = False
        self._knows = False
        self._failure: ArchiveError | None = None
        self._told = False
        self._awaited = 0
        self._rests = {events: -math.inf, matches: -math.inf}
        try:
            self._meet()
        except StoreUnavailableError as trouble:
            for pending in (events, matches):
                pending.begin(None)
            if isinstance(trouble, StoreDamagedError):
                self._damage = trouble.message
            else:
                self._in_trouble(trouble)
        self._thread = threading.Thread(target=self._run, name="kaicep-store-writer", daemon=True)
        self._thread.start()

    @property
    def lag(self) -> Lag:
        """How far the store is behind the log."""
        with self._changed:
            batches = self._events.batches | self._matches.batches
            more = max(self._events.more, self._matches.more)
            return Lag(len(batches) + more, self._events.rows, self._matches.rows)

    @property
    def rebuilding(self) -> str | None:
        """Why the store is being built again, and where the damaged one lies; `None`: it is not."""
        return self._rebuilt_for

    def notify(self, pending: PendingWrites, position: Position, rows: int) -> None:
        """Say that a batch of so many rows is in a log.

        Raises:
            ArchiveError: writing the store has failed.
        """
        with self._changed:
            pending.note(position, rows)
            self._changed.notify_all()
        self._raise_failure()

    def flush(self, timeout: float | None = None) -> bool:
        """Wait until the store holds what the log holds; tell whether it does.

        Args:
            timeout: seconds; `None`: as long as it takes.

        Raises:
            ArchiveError: writing the store has failed; or without a timeout, the store does not answer.
        """
        return self._wait(lambda: self._knows and self._next() is None, timeout)

    def adopt(self, knowledge: KnowledgeBase, encode: Encode) -> None:
        """Replace the store's knowledge, and how events are encoded from now on."""
        with self._changed:
            self._knowledge, self._events.encode, self._knows = knowledge, encode, False
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

            self._awaited += 1
            self._changed.notify_all()
            try:
                self._changed.wait_for(over, timeout)
            finally:
                self._awaited -= 1
            if done():
                return True
            self._raise_failure()
            if self._trouble is not None and timeout is None:
                raise self._trouble
            return False

    def _run(self) -> None:
        try:
            with suppress(OSError):
                self._store.remove_copies()
            while not self._stopping:
                try:
                    self._take_turn()
                except (StoreUnavailableError, UnreadableSegmentError, OSError) as trouble:
                    self._in_trouble(trouble)
                    self._rest()
        except ArchiveError as error:
            self._fail(error)
        except BaseException as error:  # noqa: BLE001  # whatever ends the thread has to surface in another
            self._fail(ArchiveError(f"the store's writer failed: {error!r}", hint="the log is complete; start again"))

    def _take_turn(self) -> None:
        """Do what is next; what is damaged is set aside."""
        try:
            self._meet()
            self._learn()
            self._step()
            self._out_of_trouble()
        except StoreDamagedError as damage:
            self._set_aside(damage)

    def _meet(self) -> None:
        """Find out how far the store is.

        Raises:
            StoreUnavailableError: it does not answer.
            ArchiveError: it is another archive's, or has what the log lost.
        """
        if self._met:
            return
        committed, matched = self._store.claim(), self._store.committed(self._matches.name)
        self._store.require_log(self._events.log.newest)
        with self._changed:
            self._events.begin(committed)
            self._matches.begin(matched)
            self._met = True

    def _set_aside(self, damage: StoreDamagedError) -> None:
        """Begin the store anew, if it is damaged also when it is tried again: what passes is no damage."""
        again, self._damage = self._damage == damage.message, damage.message
        with self._changed:
            self._met = self._knows = False
        if not again:
            return
        lacks = any(next(quarantined(pending.log.path), None) for pending in (self._events, self._matches))
        aside = self._store.set_aside(keep=lacks)
        why = f"{damage.message}; it lies in {aside} now, and is built again from the log"
        self._damage, self._rebuilt_for = None, why + (_LOG_LACKS if lacks else "")
        _LOG.warning("%s", self._rebuilt_for)

    def _in_trouble(self, error: ArchiveError | OSError) -> None:
        """Say, once for each thing that is wrong, that the store falls behind."""
        # A new one, for what was raised holds on to the frames it came from, and they to an Oxigraph store.
        if isinstance(error, ArchiveError):
            trouble = StoreUnavailableError(error.message, place=error.place, hint=error.hint)
        else:
            trouble = StoreUnavailableError(f"the store cannot be written: {error}")
        with self._changed:
            before, self._trouble = self._trouble, trouble
            self._met = self._knows = False  # it may be another, or have nothing, when it answers again
            self._changed.notify_all()
        if before is None or str(before) != str(trouble):
            _LOG.warning("%s; the log goes on, and the store catches up later", trouble)

    def _out_of_trouble(self) -> None:
        if self._trouble is not None:
            _LOG.warning("the store answers again; it is %s events behind", f"{self.lag.events:,}")
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
        self._store.serve_copies()
        with self._changed:
            pending = self._next()
            if pending is None:
                self._rebuilt_for = None
            events = self._store.events_per_load
            if pending is None or not self._is_due(pending, events):
                self._changed.wait(_POLL_S)
                return
            waiting = pending.waiting(events)
        began = time.monotonic()
        load = pending.load(waiting, events)
        self._store.add(load.quads, load.offset, pending.name)
        ended = time.monotonic()
        self._rests[pending] = ended + min(max(_APART_S, _TIMES * (ended - began)), _MOST_APART_S)
        with self._changed:
            pending.written(load)
            self._changed.notify_all()

    def _is_due(self, pending: PendingWrites, events: int) -> bool:
        """Whether to load now what waits, where a load has so many events, and not with what is to come."""
        few_or_many = not _FEW < pending.worth < events
        return few_or_many or self._awaited > 0 or time.monotonic() >= self._rests[pending]

    def _next(self) -> PendingWrites | None:
        """What the store lacks longest, events before the matches of their batch; `None`: it lacks nothing."""
        lacking = [(pending.first, i, pending) for i, pending in enumerate((self._events, self._matches))]
        known = [(first, i, pending) for first, i, pending in lacking if first is not None]
        return min(known, key=lambda entry: entry[:2])[2] if known else None

    def _fail(self, error: ArchiveError) -> None:
        with self._changed:
            self._failure = error
            self._changed.notify_all()


def lag_of(store: Store, log: EventLog, matches: EventLog) -> Lag:
    """Tell how far a store is behind the logs of events and of matches."""
    committed, matched = store.committed(), store.committed(HOLDS_MATCHES)
    events, rows = dict(pending_batches(log, committed)), dict(pending_batches(matches, matched))
    return Lag(len({*events, *rows}), missing_rows(events, committed), missing_rows(rows, matched))
