"""The flow of an engine: batches go through the data flow, and what they bring is durable before they count.

This is the way of a batch from Spark's `foreachBatch` to the sinks: `run` prepares the border before it, makes it a
`Batch` behind those of the spool, gives each to `Dataflow.process`, and the results to `Checkpoint.commit`.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from types import MappingProxyType

import pyarrow as pa

from ...archive import Archive
from ...errors import KaicepError, PlanError
from ...planner import Strategy
from ...semfilter.runtime import PathProcess
from ..catalog import Catalog
from ..flow import (
    Backfill,
    Batch,
    BatchResult,
    BatchSource,
    BorderRequests,
    Dataflow,
    IdleStreams,
    ParkedQueries,
    Registration,
    live_batch,
    queries_with_a_past,
    refuse_ahead,
    rows_at_end,
)
from ..knowledge import BatchKnowledge, KnowledgeStore, KnowledgeSwap, KnowledgeVersions, Version
from ..monitoring import StageClock
from ..sinks import Sink
from ..sources import RawBatch
from .backfilled_queries import BackfilledQueries, BackfilledQuery
from .batch_journal import BatchJournal, Files
from .checkpoint import Checkpoint, FlowState, RestoredState
from .generations import Generation, planned_at
from .log_replay import logged_batches
from .progress import Progress
from .query_parking import QueryParking

_LOG = logging.getLogger("kaicep")
_PROGRESS = "progress"
_KNOWLEDGE = "knowledge"
_WORKERS = 3


class CheckpointedFlow:
    """A data flow and its checkpoint. Batches are counted from 1.

    Args:
        project: settings, knowledge, annotations.
        state: folder of snapshots, registrations and dead letters.
        sinks: where the rows of all queries go.
        archive: where events go; `None` when it is switched off.
        on_swap: called with each new version of the knowledge before the first batch that it judges.
        say: takes a line of the log about what was missed.
        strategy: how the past of queries is answered; `None`: as the planner chooses.

    Attributes:
        progress: what was done so far, over restarts.
        clock: how long each stage has taken.
        versions: of the knowledge.
        version: the one that judged the last batch; `None` before the first.
    """

    def __init__(
        self,
        project: Catalog,
        state: Path,
        sinks: Sequence[Sink],
        archive: Archive | None,
        on_swap: Callable[[Version, KnowledgeSwap], None] = lambda _version, _swap: None,
        *,
        say: Callable[[str], None] = _LOG.info,
        strategy: Strategy | None = None,
    ) -> None:
        self._strategy, self._say = strategy, say
        self.progress = Progress()
        self.clock = StageClock()
        self._on_swap = on_swap
        self.versions = KnowledgeVersions(project, KnowledgeStore(state / "ontology"))
        self.version: Version | None = None
        self._project = project
        self._archive = archive
        settings = project.settings
        self._checkpoint = Checkpoint(
            state,
            sinks,
            archive,
            settings.archive.in_flight,
            say,
            root=settings.root,
            clock=self.clock,
            dead_letter_size=settings.engine.dead_letter_size,
        )
        self._dataflow = project.dataflow(_WORKERS, isolated=True)
        self._waiting: list[Registration] = []
        self._backfilled = BackfilledQueries()
        self._parking = QueryParking(self._checkpoint, self._backfilled, archive, say)
        self._requests = BorderRequests()
        self._resumed: list[str] = []
        self._done: int | None = None
        self._begun: int | None = None
        self._unfinished = False

    @property
    def dataflow(self) -> Dataflow:
        """The data flow as it stands after the last batch."""
        return self._dataflow

    @property
    def project(self) -> Catalog:
        """The project with the knowledge in force."""
        return self._project

    @property
    def backfilled(self) -> frozenset[str]:
        """The queries that are answered over the past still, beside the live stream."""
        return self._backfilled.labels

    @property
    def backfill_progress(self) -> dict[str, float]:
        """How much of its past lies behind each of them, from 0 to 1; asked from any thread."""
        return self._backfilled.done

    @property
    def parked(self) -> ParkedQueries:
        """The queries that were stopped, each alone (docs/decisions/170)."""
        return self._parking.parked

    @property
    def last(self) -> int | None:
        """The last batch that left a trace; `None` before the first."""
        return self._checkpoint.last

    @property
    def behind(self) -> bool:
        """Whether the next batch has something to do even without records: what was missed, or a new query's past."""
        return self._checkpoint.behind([*self._waiting, *self._requests.submitted]) or self._requests.concern_registered

    @property
    def done(self) -> int:
        """The last batch that is done: delivered again, it is passed over; 0 before the first."""
        return self._checkpoint.done

    @property
    def journal(self) -> BatchJournal:
        """Which files were taken."""
        return self._checkpoint.journal

    def begin(self, generation: Generation, idle: IdleStreams | None = None) -> BatchResult | None:
        """Take over from whoever has kept the streams' events meanwhile; before they are read.

        Args:
            generation: of Spark's checkpoint, which says what is delivered again.
            idle: see `run`.

        Returns:
            What a batch brings that was begun and is not delivered again: it is done from the log.
        """
        self.versions.begun = generation.begun
        self._checkpoint.begin()
        self._requests.resume(self._checkpoint.resumptions.read())
        if self._done is None:
            self.parked.restore(self._checkpoint.delivered)  # to be told of, and resumed, before the first batch
        last = self.last or 0
        if last == self.done or last >= generation.base:
            return None
        self._checkpoint.give_up(last)
        self.versions.begun = last
        return self.run(last, {}, idle)

    def submit(self, registrations: Sequence[Registration]) -> None:
        """Register queries at the next batch border; no batch is waited for.

        They are compiled here, so that one that cannot be answered is refused here, and no border waits for its PATHs.

        Raises:
            KaicepError: one of them cannot be answered; none is registered then.
        """
        dataflow = self.versions.newest.dataflow()
        self._requests.submit(registrations, [dataflow.compile(registration) for registration in registrations])

    def withdraw(self, label: str) -> None:
        """Stop answering a query at the next batch border; no batch is waited for.

        Raises:
            PipelineError: another query reads its output.
        """
        registered = {other: flow.query for other, flow in dict(self._dataflow.flows).items()}
        waiting = {registration.label: registration.query for registration in tuple(self._waiting)}
        self._requests.withdraw(label, registered | waiting)

    def resume(self, label: str) -> tuple[str, ...]:
        """Let a parked query go on at the next batch border with what it has missed; no batch is waited for.

        Returns:
            The queries that go on, what it reads and what reads it among them; this survives a crash.

        Raises:
            PipelineError: it is not parked.
        """
        labels = tuple(parked.label for parked in self.parked.together(label))
        self._checkpoint.resumptions.add(labels)
        self._requests.resume(labels)
        return labels

    def cancel(self) -> None:
        """Leave the batch at work; it is to be done again, at the next start."""
        self._dataflow.cancel()
        PathProcess.end(self._project.knowledge)

    def overdue(self, idle: IdleStreams) -> bool:
        """Whether a batch is needed though no record has come.

        A query waits to be registered, is with its past, or waits for the watermark of a stream that has been silent
        for too long; or a change of the knowledge waits for a batch border, or what was missed during an outage.
        """
        waiting = self._waiting or self._backfilled.labels or self.versions.waiting or self._requests
        missed = self._checkpoint.delivery.waiting or self._checkpoint.spooled
        return bool(waiting or missed or self._dataflow.idle_advances(idle))

    def deliver(
        self,
        number: int,
        generation: Generation,
        read: Callable[[Mapping[str, Collection[str]]], Mapping[str, RawBatch]],
        idle: IdleStreams | None = None,
    ) -> BatchResult | None:
        """Do a batch that Spark delivers: files that another batch took are passed over, and it all if it is done.

        Args:
            number: its own.
            generation: of Spark's checkpoint, which knows its files.
            read: its records by stream, without some files, which are by stream as Spark has them.
            idle: see `run`.
        """
        if number <= self.done:
            return None
        files = self.journal.sorted_out(number, generation.files(number, self._project.settings))
        with self.clock.stage("read"):
            records = read(files.passed_over)
        return self.run(number, records, idle, planned_at(generation, number), files=files.new)

    def run(
        self,
        number: int,
        records: Mapping[str, RawBatch],
        idle: IdleStreams | None = None,
        planned: datetime | None = None,
        *,
        files: Files = MappingProxyType({}),
    ) -> BatchResult:
        """Do a batch; when this returns, it is durable.

        Args:
            number: its own; the one after the last, or one that was done before and is delivered again.
            records: raw records by stream.
            idle: which streams are idle; `None`: wall clock moves no watermark, and nothing goes on beside the batch:
                queries that begin in the past are with it when the batch begins.
            planned: wall clock when Spark planned the batch; `None`: its events are of any time.
            files: by stream, those that the records stand in.
        """
        with self.clock.stage("prepare"):
            self._prepare(number, patient=idle is None)
        began, self._unfinished = time.perf_counter(), True
        with self.clock.stage("annotate"):
            live = live_batch(self._dataflow.annotators, {stream: raw.table for stream, raw in records.items()})
            if planned is not None:
                settings = self._project.settings.streams
                live = replace(live, events=refuse_ahead(live.events, settings, planned, self.progress.clock))
                self.progress = self.progress.at(planned)
        with self.clock.stage("admit"):
            *spooled, own = [self._dataflow.process(batch) for batch in self._batches(number, replace(live, idle=idle))]
        for missed in spooled:
            self._hold(missed)
        self._backfilled.hand_over(self._checkpoint.delivery.hold)
        streams = self._checkpoint.streams(number, [*spooled, own])
        result = BatchResult(streams, own.rows(), own.watermarks, own.advances, idled=own.idled)
        malformed = {stream: len(raw.malformed) for stream, raw in records.items()}
        state = partial(self._state, result, malformed, began, number=number, results=(*spooled, own))
        matches = self._checkpoint.commit(number, result, records, self._dataflow, state, files=files)
        return self._finished(number, result, matches)

    def finish(self) -> BatchResult:
        """End the streams: what waits for later events is reported."""
        number = (self.last or 0) + 1
        self._prepare(number, patient=True)
        began, self._unfinished = time.perf_counter(), True
        result = self._dataflow.process(Batch(ends=True))
        matches = self._checkpoint.commit_end(number, result)
        self._count(result, {}, began, matches)
        return self._finished(number, result, matches)

    def rows_at_end(self) -> dict[str, int]:
        """By query label, how many rows the end of the streams would bring now; queries without any are left out."""
        return rows_at_end(self._dataflow)

    def close(self) -> None:
        """Give back the threads, and let another process go on."""
        self._backfilled.close()
        self._dataflow.close()
        self._checkpoint.close()

    def _batches(self, number: int, live: Batch) -> Iterator[Batch]:
        """What the spool has for a batch, then what it brings by itself; begun before, it does what it did then."""
        # The first batch of a process may be one that an earlier process had begun.
        recorded = live.idle is None or self._begun is None or number <= self._begun
        begun = max(self.versions.begun, self._begun or 0)
        self._begun = max(number, self._begun or number)
        if recorded:
            live = replace(live, advances=self._checkpoint.idle_watermarks(number))
        return self._checkpoint.batches(number, live, again=number <= begun)

    def _hold(self, missed: BatchResult) -> None:
        """Let the rows of what came from the spool wait for those of the batch itself."""
        live, recovered = missed.source is BatchSource.LIVE, missed.source is BatchSource.SPOOL
        for label, rows in missed.matches.items():
            self._checkpoint.delivery.hold(label, rows, live=live, recovered=recovered)

    def _state(
        self,
        result: BatchResult,
        malformed: Mapping[str, int],
        began: float,
        matches: Mapping[str, pa.Table],
        whole: bool,  # noqa: FBT001 - the checkpoint says so
        *,
        number: int,
        results: Sequence[BatchResult],
    ) -> FlowState:
        """The state after a batch, which is counted now; queries that have failed in it are parked.

        What a batch took from the spool, and a query that has failed, no replay of the log repeats: all of it then.
        """
        self._count(result, malformed, began, matches)
        operators = self._dataflow.snapshot() if whole or len(results) > 1 or self._dataflow.queries.failed else None
        self._parking.park_failed(self._dataflow, number, results)
        return self._flow_state(operators)

    def _rebuilt(self, number: int, after: int, parts: Mapping[str, bytes]) -> Mapping[str, bytes]:
        """The operators' state after a batch from that after an earlier one, by the log."""
        dataflow = self._project.dataflow(isolated=True)
        dataflow.restore(parts, [flow.registration for flow in self._dataflow.flows.values()])
        for _, batch in logged_batches(self._archive, self.versions, number, after):
            dataflow.process(batch)
        return dataflow.snapshot()

    def _count(
        self, result: BatchResult, malformed: Mapping[str, int], began: float, matches: Mapping[str, pa.Table]
    ) -> None:
        seconds = time.perf_counter() - began
        self.progress = self.progress.after(
            result.streams, matches, malformed, seconds, self._dataflow.queries.subqueries
        )

    def _flow_state(self, flows: Mapping[str, bytes] | None) -> FlowState:
        version = {} if self.version is None else {_KNOWLEDGE: str(self.version).encode()}
        counts = {_PROGRESS: self.progress.to_bytes()}
        backfilled = self._backfilled.snapshot(self._dataflow) | self._parking.snapshot()
        if flows is None:
            return FlowState(None, backfilled | counts)
        return FlowState({**flows, **version, **counts}, backfilled)

    def _finished(self, number: int, result: BatchResult, matches: Mapping[str, pa.Table]) -> BatchResult:
        self._done, self._unfinished = number, False
        self._checkpoint.settle_parked({parked.batch - 1 for parked in self.parked}, self._resumed)
        self._resumed = []
        return BatchResult(result.streams, matches.items(), result.watermarks, result.advances)

    def _prepare(self, number: int, *, patient: bool) -> None:
        """Bring the state to the end of the batch before, and register what waits for a batch border.

        Args:
            number: of the batch that begins.
            patient: wait for queries that are with their past still.
        """
        self._take_requests()
        if self._done != number - 1 or self._unfinished:
            self._restore(number - 1)
        self._adopt(self.versions.begin(number))
        self._register_waiting(number)
        self._resume(number)
        self._parking.park_with_past(self._dataflow, number)
        hold = self._checkpoint.delivery.hold
        if self._backfilled.take_over(self._dataflow, self._project.judgement, hold, patient=patient):
            self._register_durably()
        self._parking.park_with_past(self._dataflow, number)
        self._parking.settle()

    def _take_requests(self) -> None:
        """Take what was asked for while the batch before was at work."""
        withdrawn, submitted = self._requests.take()
        self._waiting = [r for r in self._waiting if r.label not in withdrawn] + submitted
        for label in [label for label in reversed(tuple(self._dataflow.flows)) if label in withdrawn]:
            self._dataflow.remove(label)  # a reader before what it reads
        for label in withdrawn:
            self._checkpoint.delivery.withdraw(label)
            self._backfilled.give_up(label)
            self._parking.forget(label)

    def _register_waiting(self, number: int) -> None:
        """Register the queries that wait for a batch border, or know them again as parked; none is lost on the way."""
        while self._waiting:
            registration = self._waiting[0]
            parked = self.parked.known(registration)
            if parked is not None:
                self._parking.register(self._dataflow, registration, parked)
            else:
                known = self._backfilled.interrupted(registration)
                now, handed = known or (registration.now or self._dataflow.now(registration.query), 0)
                self._register(Registration(registration.query, registration.label, now), number, handed)
            del self._waiting[0]

    def _resume(self, number: int) -> None:
        """Let queries go on that were resumed, by somebody now or in an earlier process that has not finished it."""
        interrupted = [parked.label for parked in self.parked if parked.resuming]
        self._resumed += self._requests.take_resumed()
        for label in dict.fromkeys([*self._resumed, *interrupted]):
            again = self._parking.resume(self._dataflow, label, self._logged, self._rebuilt)
            if again is not None:
                registration, handed = again
                now = registration.now or self._dataflow.now(registration.query)
                self._register(Registration(registration.query, label, now), number, handed)

    def _adopt(self, known: BatchKnowledge) -> None:
        """Judge by a version of the knowledge from this batch on."""
        self.version = known.version
        if known.project is self._project:
            return
        self._project = known.project
        self._checkpoint.leave_log()
        self._dataflow.judge_by(replace(known.project.judgement, filters=known.filters))
        if known.swap is not None:
            if self._archive is not None:
                self._archive.adopt(known.project.knowledge, known.project.shapes)
            self._on_swap(known.version, known.swap)

    def _register(self, registration: Registration, number: int, handed: int) -> None:
        """Register a query; what its WITHIN asks of the time before is answered from the archive, beside the stream.

        One that cannot be registered is parked.
        """
        compiled = self._requests.take_compiled(registration.label)
        try:
            self._dataflow.register(registration, compiled)
            try:
                self._begin_past(registration.label, number, handed)
            except (
                Exception
            ):  # whatever it is: a query without its past is none, and the reason goes on to whoever parks
                self._dataflow.remove(registration.label)
                raise
        except Exception as error:  # noqa: BLE001 - it is this query's, and not the batch's
            self._parking.park_unregistered(self._dataflow, registration, number, error, handed)
        self._register_durably()

    def _begin_past(self, label: str, number: int, handed: int) -> None:
        """Let a query that has a past begin with it, beside the stream."""
        reads_one = self._backfilled.are_read_by(label, self._dataflow)
        if not reads_one and not queries_with_a_past(self._dataflow, [label]):
            return
        if self._archive is None:
            raise PlanError(
                f"'{label}' begins in the past, of which there is no archive",
                hint="set archive.enabled, or begin WITHIN at now",
            )
        backfilled = self._backfill(self._archive, label, number - 1, handed)
        self._dataflow.suspend(label)
        self._backfilled.add(backfilled)

    def _backfill(self, archive: Archive, label: str, last: int, handed: int) -> BackfilledQuery:
        """Start on a query's past, by the knowledge of now.

        The store has each event in the triples that the knowledge of its time made of it: where that is other ones than
        now, only the log can be asked.
        """
        first = archive.log.first
        alike = first is None or self.versions.store.shaped_alike(since=first.batch)
        strategy = self._strategy if alike else Strategy.REPLAY
        upto = self._checkpoint.position(last)
        backfill = Backfill(self._dataflow, [label], archive, upto=upto, strategy=strategy)
        return BackfilledQuery(label, backfill, self._logged, last=last, handed=handed)

    def _logged(self, after: int) -> Iterator[tuple[int, Batch]]:
        """The batches behind one that are done."""
        return logged_batches(self._archive, self.versions, self._done or 0, after)

    def _register_durably(self) -> None:
        """Queries that are with their past still are in the snapshots, which know how far their rows are."""
        flows = self._dataflow.flows
        backfilled = self._backfilled.labels
        self._checkpoint.register([flow.registration for label, flow in flows.items() if label not in backfilled])

    def _restore(self, number: int) -> None:
        """Go back to the state after a batch: by its snapshot, else by replaying the archive's log."""
        queries = [*(flow.registration for flow in self._dataflow.flows.values()), *self._waiting]
        self._backfilled.close()
        self._dataflow.close()
        self._dataflow = self._project.dataflow(_WORKERS, isolated=True)
        state = self._checkpoint.restore(number)
        self._backfilled.restore(state.delivered)
        self.parked.restore(state.delivered)
        if state.batch == number:
            self._waiting = self._dataflow.restore(state.operators, queries)
            self.progress = Progress.from_bytes(state.operators[_PROGRESS]) if number else Progress()
        else:
            self._waiting = self._replay_log(number, queries, state)
        self._checkpoint.delivery.restore(state.delivered)
        if state.batch != number:
            self._checkpoint.rebuilt(number, self._flow_state(self._dataflow.snapshot()))
        if self._checkpoint.lost_registrations:
            self._register_durably()
        self.progress = self.progress.resumed()
        self._done, self._unfinished = number, False

    def _replay_log(self, number: int, queries: Sequence[Registration], state: RestoredState) -> list[Registration]:
        """Bring the operators to the end of a batch; the rows that the sinks have already are left out.

        Returns:
            The queries that were not registered then.
        """
        # One that was with its past begins with it again: the log does not say how many of its rows were handed over.
        apart = {*self._backfilled.begun_before, *(parked.label for parked in self.parked)}
        known = [r for r in self._checkpoint.registered(queries) if r.label not in apart]
        after = self._restore_earlier(state, known, [q for q in queries if q.label not in apart])
        self._say(f"recovery: the state after batch {number} is rebuilt from that after batch {after}, by the log")
        for done, batch in logged_batches(self._archive, self.versions, number, after):
            began = time.perf_counter()
            result = self._dataflow.process(batch)
            matches, seconds = result.matches, time.perf_counter() - began
            for label, rows in matches.items() if done > state.reported else ():
                self._checkpoint.delivery.hold(label, rows, recovered=True)
            self.progress = self.progress.after(result.streams, matches, {}, seconds, self._dataflow.queries.subqueries)
        if state.reported == number and _PROGRESS in state.delivered:
            self.progress = Progress.from_bytes(state.delivered[_PROGRESS])  # the log has no records that were none
        self._dataflow.judge_by(self._project.judgement)
        return [q for q in queries if q.label not in self._dataflow.flows]

    def _restore_earlier(
        self, state: RestoredState, known: Sequence[Registration], queries: Sequence[Registration]
    ) -> int:
        """Go back to an earlier batch from which the log leads on; the batch.

        A snapshot that lacks a registered query will not do: the query may have been with its past then. Where it is
        lost which queries are registered, the snapshot tells.
        """
        lost = self._checkpoint.lost_registrations
        if state.batch and (not self._dataflow.restore(state.operators, queries if lost else known) or lost):
            self.progress = Progress.from_bytes(state.operators[_PROGRESS])
            return state.batch
        self._dataflow.close()
        self._dataflow = self._project.dataflow(_WORKERS, isolated=True)
        for registration in known:
            with suppress(KaicepError):  # it is found out again, and told, where it is registered
                self._dataflow.register(registration)
        self.progress = Progress()
        return 0
