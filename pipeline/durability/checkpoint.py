"""The checkpoint: everything that a batch makes durable, in one place and one order (docs/decisions/071).

Its files in the journal → dead letters → its events in the log, and where the watermarks of idle streams were moved →
its rows in the sinks → the matches of named queries in the archive → the calls of rules in the outbox → the snapshot of
operators (a large one beside the next batches), and how far the sinks are → the spool is settled, the calls go out.
Spark commits the batch after that. Done again, it starts from the snapshot before it, moves the same watermarks, and
gives the same rows with the same `_id`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import datetime, timedelta
from functools import partial
from operator import itemgetter
from pathlib import Path
from types import MappingProxyType
from typing import Protocol

import pyarrow as pa

from ...archive import Archive, ArchivePlace
from ...archive.log import IdleWatermarkLog, Position, PreparedSegment
from ...archive.matches import Provenance
from ...archive.sync import KeptEvents
from ...config import Settings
from ...errors import PipelineError
from ..flow import Batch, BatchResult, Dataflow, Registration, RowTargets, StreamResult
from ..kafka import Offsets
from ..monitoring import StageClock
from ..sinks import DeliveredRows, RowDelivery, Sink
from ..sources import TakenRecords
from .dead_letters import DeadLetters
from .flow_state import FlowState, RestoredState
from .journal import BatchJournal, Files
from .query_registry import QueryRegistry, RequestedQueries
from .replay import SpoolReplay
from .snapshots import LaterSnapshot, OperatorSnapshots, SnapshotDue, SnapshotInterval
from .withdrawn_notes import RegistrationNote

__all__ = ["CallKeeper", "Checkpoint", "has_begun"]

_SNAPSHOTS, _JOURNAL, _EARLIER = "snapshots", "queries/batches.jsonl", "queries/position.json"


class CallKeeper(Protocol):
    """Keeps what rules call until the batch is durable that has the cause."""

    def put(self, batch: int, calls: pa.Table) -> None:
        """Keep the calls of a batch, of the schema `rules.CALLS`, in the place of what it had."""

    def release(self, batch: int) -> object:
        """Let the calls go out of all batches up to one that is durable."""

    def end(self) -> None:
        """The streams end: what their end brings belongs to no batch."""


class Checkpoint:
    """All that is durable of an engine's batches. They are counted from 1.

    Args:
        state: folder of snapshots, registrations and dead letters.
        sinks: where the rows of all queries go.
        archive: where events go; `None` when it is switched off.
        patience: how long the first batch waits for an archiver that is behind the live stream.
        say: takes a line of the log about what was missed, and what was found damaged.
        root: the project's folder, from which the journal names files.
        clock: counts how long each stage takes.
        dead_letter_size: bytes that the dead letters of each stream may take.
        collected: of which queries, by label, somebody asks for the rows of each batch beside the sinks.
        outbox: takes the calls of rules; `None`: nobody does.

    Attributes:
        delivery: of rows to the sinks.
        journal: which files were taken.
        resumptions: the parked queries that are to go on with the next batch.
        parkings: the queries that are to be parked then.
    """

    def __init__(
        self,
        state: Path,
        sinks: Sequence[Sink],
        archive: Archive | None,
        patience: timedelta,
        say: Callable[[str], None],
        *,
        root: Path,
        clock: StageClock,
        dead_letter_size: int,
        collected: Callable[[str], bool],
        outbox: CallKeeper | None = None,
    ) -> None:
        self._clock, self._collected, self._outbox = clock, collected, outbox
        self._archive = archive
        self._generation = 0 if archive is None else archive.log.generation
        self._idle_watermarks = IdleWatermarkLog(state / "advances") if archive is None else archive.idle_watermarks
        self._idle_since: Position | None = None
        self._dead_letters = DeadLetters(state / "dead-letters", dead_letter_size)
        self.delivery = RowDelivery(sinks)
        self._snapshots = OperatorSnapshots(state / _SNAPSHOTS, say)
        self._interval = SnapshotInterval()
        self._later = LaterSnapshot(self._written_later, partial(self._not_written, say))
        self._registry = QueryRegistry(state / "queries" / "registrations.json", say)
        self.resumptions = RequestedQueries(state / "queries" / "resumptions.json")
        self.parkings = RequestedQueries(state / "queries" / "parkings.json")
        self._of_parked = OperatorSnapshots(state / "queries" / "parked", say)
        self._held = self._of_parked.oldest()
        self.journal = BatchJournal(state / _JOURNAL, root)
        self._spool = None if archive is None else SpoolReplay(archive, state, patience, say)
        if self._held is not None:
            self._hold_log()

    def close(self) -> None:
        """Let another process go on; the archive's own are its to close."""
        self._later.close()
        if self._archive is None:
            self._idle_watermarks.close()

    def begin(self) -> None:
        """Take over from whoever has kept the streams' events meanwhile, before they are read; hand on what waits."""
        if self._outbox is not None:
            self._outbox.release(self.done)
        if self._spool is not None:
            self._spool.begin()

    @property
    def last(self) -> int | None:
        """The last batch that left a trace: in the journal, the log or a snapshot; `None` before the first."""
        logged = None if self._archive is None else self._archive.last
        known = (self.done or None, self.journal.begun, None if logged is None else logged.batch)
        return max((batch for batch in known if batch is not None), default=None)

    @property
    def done(self) -> int:
        """The last batch whose rows the sinks have; 0 before the first."""
        reported, _ = self.journal.delivered() or (0, {})
        return max(self._snapshots.latest() or 0, reported)

    @property
    def spooled(self) -> bool:
        """Whether the spool has something that no batch has taken."""
        return self._spool is not None and self._spool.waiting

    def behind(self, waiting: Sequence[Registration]) -> bool:
        """Whether a batch has something to do even without records: what was missed, or a new query's past."""
        last = self.last
        if last is None:
            return False
        reported, _ = self.journal.delivered() or (last, {})
        return len(self._registry.read(waiting)) < len(waiting) or reported < last or self.spooled

    def position(self, number: int) -> Position:
        """Where a batch is in the log."""
        return Position(self._generation, number)

    def logged(self, number: int) -> frozenset[str]:
        """The streams of which the log has the events of a batch: all of them."""
        if self._archive is None or number > (self.last or 0):
            return frozenset()
        log, position = self._archive.log, self.position(number)
        return frozenset(stream for stream in log.streams() if log.slices(stream, position.before, position))

    def idle_watermarks(self, number: int) -> dict[str, datetime]:
        """Where a batch that was begun before has moved the watermarks of idle streams, by stream."""
        return self._idle_watermarks.read(self.position(number))

    def batches(
        self,
        number: int,
        live: Batch,
        pieces: Callable[[KeptEvents], Iterator[Batch]],
        newest: Callable[[], Mapping[str, datetime]],
        *,
        again: bool,
    ) -> Iterator[Batch]:
        """What the spool has for a batch, then what it brings by itself; each to be processed in its turn."""
        if self._spool is None:
            return iter((live,))
        return self._spool.batches(number, live, pieces, newest, again=again)

    def streams(self, number: int, results: Sequence[BatchResult]) -> Mapping[str, StreamResult]:
        """By stream, what a batch brings, from the spool and by itself."""
        return results[-1].streams if self._spool is None else self._spool.streams(number, results)

    def commit(
        self,
        number: int,
        result: BatchResult,
        raw: Mapping[str, TakenRecords],
        dataflow: Dataflow,
        state: Callable[[DeliveredRows, SnapshotDue], FlowState],
        *,
        files: Files = MappingProxyType({}),
        offsets: Mapping[str, Offsets] = MappingProxyType({}),
    ) -> DeliveredRows:
        """Make a batch durable.

        Args:
            number: its own.
            result: what it brought; its rows are taken here, when its events are durable.
            raw: what is left of its records, by stream.
            dataflow: has processed it.
            state: gives the state after the batch, of whose rows it is told, and whether all of it is asked for.
            files: by stream, those that the records stand in.
            offsets: by stream, up to where topics are read with it.

        Returns:
            How many rows each query has, and those that are kept, those that were held for this batch among them.
        """
        with self._clock.stage("archive"):
            self._note_beginning()
            self.journal.take(number, files, {name: records.unreadable for name, records in raw.items()}, offsets)
            for name, records in raw.items():
                self._dead_letters.write(name, number, records, result.streams[name].rejected)
            if self._archive is not None:
                self._archive.append(number, {name: stream.archived for name, stream in result.streams.items()})
            self._keep_idle_watermarks(number, result)
        with self._clock.stage("sinks"):
            delivered = self.delivery.deliver(
                number,
                self._clock.over("queries", result.rows()),
                lambda label: self._collected(label) or self._is_logged(label, dataflow),
            )
        with self._clock.stage("archive"):
            if self._archive is not None:
                self._archive.append_matches(number, list(_named(delivered, dataflow)))
        if self._outbox is not None:
            with self._clock.stage("actions"):
                self._outbox.put(number, result.calls)
        with self._clock.stage("snapshot"):
            self._later.settle()
            due = self._interval.due(sum(stream.archived.num_rows for stream in result.streams.values()))
            self._keep(number, state(delivered, SnapshotDue.NOW if self._archive is None else due))
        if self._outbox is not None:
            self._outbox.release(number)
        return delivered

    def targets(self, label: str, dataflow: Dataflow) -> RowTargets | None:
        """How tasks may write the rows of a query; `None`: somebody asks for them here."""
        sinks = None if self._collected(label) else self.delivery.targets(label)
        if sinks is None:
            return None
        logged = self._archive is not None and self._is_logged(label, dataflow)
        origin = _provenance(label, dataflow)
        return RowTargets(sinks, self._archive.matches.target(origin) if self._archive is not None and logged else None)

    def _is_logged(self, label: str, dataflow: Dataflow) -> bool:
        """Whether the archive keeps the rows of a query."""
        keeps = self._archive is not None and self._archive.keeps_matches
        return keeps and dataflow.flows[label].query.name is not None

    def keep_calls(self, number: int, calls: pa.Table) -> None:
        """Keep what rules have called in a batch; it goes out when a batch is durable, this one or one after it."""
        if self._outbox is not None:
            self._outbox.put(number, calls)

    def commit_end(self, number: int, result: BatchResult) -> DeliveredRows:
        """Give the sinks the end of the streams, which is taken back when they are read on.

        Nothing else learns of it: the next batch, and the next end, begin where the batch before it ended, and the
        sinks go back there.
        """
        delivered = self.delivery.deliver(number, result.rows(), self._collected)
        if self._outbox is not None:
            self._outbox.end()
        return delivered

    @property
    def delivered(self) -> Mapping[str, bytes]:
        """Where sinks, parked queries and those with a past were when the last batch was done."""
        _, parts = self.journal.delivered() or (0, {})
        return parts

    def give_up(self, number: int) -> None:
        """Give up what a batch began to take of streams of which the log has nothing: nobody delivers it again."""
        logged = {} if self._archive is None else self._archive.log.read_batch(self.position(number))
        given_up = [stream for stream in self.journal.streams(number) if stream not in logged]
        for stream in given_up:  # before the journal forgets of which
            self._dead_letters.remove(stream, number)
        self.journal.give_back(number, given_up)

    def register(self, registrations: Sequence[Registration]) -> None:
        """Note which queries are registered, and since when: what no log tells when a snapshot is lost."""
        self._registry.write(registrations)
        self.leave_log()

    def leave_log(self) -> None:
        """Write all of the state after the next batch: something changed that a replay of the log would not know of."""
        self._interval.end()

    def registered(self, queries: Sequence[Registration]) -> list[Registration]:
        """Those of the queries that were registered, with the moment of their registration."""
        return self._registry.read(queries)

    @property
    def noted(self) -> Mapping[str, RegistrationNote] | None:
        """What is noted of registrations, those of withdrawn queries among them; `None`: it is lost."""
        return self._registry.notes()

    @property
    def lost_registrations(self) -> bool:
        """Whether the registrations have to be written anew."""
        return self._registry.damaged

    def restore(self, number: int) -> RestoredState:
        """What is known of the end of a batch; what the sinks have not got yet is given up.

        Raises:
            PipelineError: its snapshot is lost, and there is no log to rebuild it from.
        """
        self.delivery.forget()
        batch, parts = self._snapshots.newest(number) or (0, {})
        if batch == number:
            return RestoredState(number, parts, number, parts if number else self._beginning)
        if self._archive is None:
            raise PipelineError(
                f"the snapshot of batch {number} is lost and there is no archive to rebuild it from",
                hint=f"restore {self._snapshots.folder}, or remove the engine's state to begin anew",
            )
        reported, delivered = self.journal.delivered() or (batch or number, parts)
        return RestoredState(batch, parts, *max((reported, delivered), (batch, parts), key=itemgetter(0)))

    def keep_for_parked(self, number: int) -> None:
        """Keep the state after a batch, or the last one before, for a query that goes on from there some day."""
        self._snapshots.copy(number, self._of_parked)

    def state_of_parked(self, number: int) -> tuple[int, Mapping[str, bytes]] | None:
        """The batch up to this one whose state was kept, and that; `None`: it is lost."""
        return self._of_parked.newest(number)

    def settle_parked(
        self, needed: AbstractSet[int], resumed: Sequence[str], parked: Sequence[str], held: AbstractSet[int]
    ) -> None:
        """Forget what was kept for queries that have gone on, and what was asked; the batch that did it is durable.

        Args:
            needed: batches whose state is kept.
            resumed: the queries that have gone on.
            parked: those that were parked since that was asked.
            held: those of the batches behind which nothing of the log is dropped.
        """
        self._of_parked.retain(needed)
        self._held = min((self._of_parked.last(upto) or 0 for upto in held), default=None)
        self._hold_log()
        self.resumptions.remove(resumed)
        self.parkings.remove(parked)

    def rebuilt(self, number: int, state: FlowState) -> None:
        """Keep a state that was rebuilt from the log, if the sinks have all its rows."""
        if not self.delivery.waiting and state.operators is not None:
            self._write(number, {**state.operators, **self.delivery.snapshot(), **state.noted})

    def _write(self, number: int, parts: Mapping[str, bytes]) -> None:
        self._later.settle(wait=True)
        self._interval.written(self._snapshots.write(number, parts))
        self._hold_log()

    def _write_later(self, number: int, state: Callable[[], Mapping[str, bytes]], noted: Mapping[str, bytes]) -> None:
        self._interval.begun()
        self._later.begin(lambda: self._snapshots.write(number, {**state(), **noted}))

    def _written_later(self, size: int) -> None:
        self._interval.written_later(size)
        self._hold_log()

    def _not_written(self, say: Callable[[str], None], error: Exception) -> None:
        say(f"recovery: the state cannot be written beside batches ({error}); it is written with the next one")
        self._interval.end()

    def _hold_log(self) -> None:
        """Let the archive keep what the log has behind the oldest state that is kept, and of queries that wait."""
        if self._archive is not None:
            oldest = self._snapshots.oldest() or 0
            self._archive.needed = self.position(oldest if self._held is None else min(oldest, self._held))

    def _note_beginning(self) -> None:
        """Note where the sinks are before the first batch: should it not be finished, its rows are taken back."""
        if self.done == 0 and self.journal.delivered() is None:
            self.journal.finish(0, self.delivery.snapshot(), durable=True)

    @property
    def _beginning(self) -> Mapping[str, bytes]:
        """Where the sinks were before the first batch; nothing: no batch has begun."""
        batch, delivered = self.journal.delivered() or (0, {})
        return {} if batch else delivered

    def _keep_idle_watermarks(self, number: int, result: BatchResult) -> None:
        position = self.position(number)
        if result.streams:
            self._idle_since = None
        if result.idled:
            self._idle_watermarks.write(position, result.advances, self._idle_since)
        if result.advances:
            self._idle_since = position  # with no event in between, the next note replaces this one
        if self._archive is None:
            self._idle_watermarks.remove(before=position)  # nobody replays them

    def _keep(self, number: int, state: FlowState) -> None:
        delivered = {**self.delivery.snapshot(), **state.noted}
        if state.operators is not None:
            self._write(number, {**state.operators, **delivered})
        self.journal.finish(number, delivered, durable=state.operators is None)
        if state.later is not None:
            self._write_later(number, state.later, delivered)
        if self._spool is not None:
            self._spool.settle()


def has_begun(settings: Settings) -> bool:
    """Whether something is left of a batch that an engine of a project has done: then it knows what its sinks have."""
    state = settings.path(settings.engine.state)
    if (state / _JOURNAL).exists() or (state / _EARLIER).exists() or any((state / _SNAPSHOTS).glob("*.snapshot")):
        return True
    return settings.archive.enabled and ArchivePlace.of(settings).has_segments


def _named(delivered: DeliveredRows, dataflow: Dataflow) -> Iterable[tuple[Provenance, pa.Table | PreparedSegment]]:
    """The rows of named queries, and what found them; another query's rows are nobody's stream."""
    for label, rows in delivered.kept.items():
        if dataflow.flows[label].query.name is not None and rows.num_rows:
            yield _provenance(label, dataflow), rows
    for label, path in delivered.logged.items():
        yield _provenance(label, dataflow), PreparedSegment(path, delivered.counts[label])


def _provenance(label: str, dataflow: Dataflow) -> Provenance:
    return Provenance.of(dataflow.flows[label].query, dataflow.knowledge.version)
