"""The flow of an engine: batches go through the data flow, and what they bring is durable before they count.

This is the way of a batch from Spark's `foreachBatch` to the sinks: `run` prepares the border before it, makes it a
`Batch` behind those of the spool, gives each to `Dataflow.process`, and the results to `Checkpoint.commit`.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from types import MappingProxyType

from ...archive import Archive
from ...planner import Strategy
from ...semfilter.runtime import PathProcess
from ..catalog import Catalog
from ..flow import (
    Batch,
    BatchResult,
    BatchSource,
    Dataflow,
    IdleStreams,
    QueryRows,
)
from ..kafka import Offsets
from ..knowledge import KnowledgeStore, KnowledgeSwap, KnowledgeVersions, Version
from ..monitoring import StageClock
from ..sinks import DeliveredRows, Sink
from ..sources import RawBatch, fleeting_streams
from .checkpoint import CallKeeper, Checkpoint
from .flow_state import FlowState
from .generations import Generation, planned_at
from .intake import BatchHosting, BatchIntake, CollectedRecords, DriverHosting, RowWriter
from .journal import BatchFiles, BatchJournal, Files, arrival_of
from .progress import Progress
from .recoverable_flow import RecoverableFlow
from .silence_note import SilenceNote
from .snapshots import SnapshotDue

_LOG = logging.getLogger("kaicep")


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
        outbox: takes the calls of rules; `None`: nobody does.
        hosting: where batches are read and answered; `None`: on the driver.

    Attributes:
        clock: how long each stage has taken.
        meanwhile: what holds while a batch is at work.
        queries: those that come and go between batches.
        versions: of the knowledge.
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
        collected: Callable[[str], bool] = lambda _: True,
        outbox: CallKeeper | None = None,
        hosting: BatchHosting | None = None,
    ) -> None:
        self.clock = StageClock()
        self.meanwhile: Callable[[], AbstractContextManager[None]] = nullcontext
        self.versions = KnowledgeVersions(project, KnowledgeStore(state / "ontology"))
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
            collected=collected,
            outbox=outbox,
        )
        self._hosting = DriverHosting(project) if hosting is None else hosting
        self._flow = RecoverableFlow(
            project,
            self._checkpoint,
            archive,
            self.versions,
            on_swap,
            say=say,
            strategy=strategy,
            hosting=self._hosting,
        )
        self.queries = self._flow.border
        self._silence = SilenceNote(state / "silence.json")
        self._begun: int | None = None

    @property
    def progress(self) -> Progress:
        """What was done so far, over restarts."""
        return self._flow.progress

    @property
    def version(self) -> Version | None:
        """The version of the knowledge that judged the last batch; `None` before the first."""
        return self._flow.version

    @property
    def dataflow(self) -> Dataflow:
        """The data flow as it stands after the last batch."""
        return self._flow.dataflow

    @property
    def project(self) -> Catalog:
        """The project with the knowledge in force."""
        return self._flow.project

    @property
    def last(self) -> int | None:
        """The last batch that left a trace; `None` before the first."""
        return self._checkpoint.last

    @property
    def done(self) -> int:
        """The last batch that is done: delivered again, it is passed over; 0 before the first."""
        return self._checkpoint.done

    @property
    def journal(self) -> BatchJournal:
        """Which files were taken."""
        return self._checkpoint.journal

    def check_hosting(self) -> None:
        """See that batches can be done where they are hosted, before their streams are read.

        Raises:
            PipelineError: they cannot, with the way out.
        """
        self._hosting.begin()

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
        self.queries.begin()
        if self._flow.done is None:
            self.queries.parked.restore(
                self._checkpoint.delivered
            )  # to be told of, and resumed, before the first batch
        last = self.last or 0
        if last == self.done or last >= generation.base:
            return None
        self._checkpoint.give_up(last)
        self.versions.begun = last
        return self._run(last, self._hosting.logged(last), idle)

    def cancel(self) -> None:
        """Leave the batch at work; it is to be done again, at the next start."""
        self.dataflow.cancel()
        self._hosting.cancel()
        PathProcess.end(self.project.knowledge)

    def overdue(self, idle: IdleStreams) -> bool:
        """Whether a batch is needed though no record has come.

        A query waits to be registered, is with its past, or waits for the watermark of a stream that has been silent
        for too long; or a change of the knowledge waits for a batch border, or what was missed during an outage, or a
        file that was mended.
        """
        self._silence.keep(self.dataflow.newest)
        waiting = self.queries.overdue or self.versions.waiting
        missed = self._checkpoint.delivery.waiting or self._checkpoint.spooled
        return bool(waiting or missed or self.journal.mended(quiet=True) or self.dataflow.idle_advances(idle))

    def deliver(
        self,
        number: int,
        generation: Generation,
        read: Callable[[BatchFiles], Mapping[str, RawBatch]],
        idle: IdleStreams | None = None,
        *,
        write: RowWriter | None = None,
    ) -> BatchResult | None:
        """Do a batch that Spark delivers: files that another batch took are passed over, and it all if it is done.

        Args:
            number: its own.
            generation: of Spark's checkpoint, which knows its files.
            read: gives its records by stream, without the files that are passed over.
            idle: see `run`.
            write: lets executors write down rows of it; `None`: nobody does.
        """
        if number <= self.done:
            return None
        settings = self.project.settings
        files = self.journal.sorted_out(number, generation.files(number, settings))
        files = replace(files, logged=self._checkpoint.logged(number) & fleeting_streams(settings))
        with self.meanwhile():
            with self.clock.stage("read"):
                intake = self._hosting.intake(number, files, read, write)
            self.journal.begin_topics(number, generation.began(settings))
            offsets = generation.offsets(number, settings)
            return self._run(number, intake, idle, planned_at(generation, number), files=files.new, offsets=offsets)

    def run(
        self,
        number: int,
        records: Mapping[str, RawBatch],
        idle: IdleStreams | None = None,
        planned: datetime | None = None,
        *,
        files: Files = MappingProxyType({}),
    ) -> BatchResult:
        """Do a batch whose records are here; when this returns, it is durable.

        Args:
            number: its own; the one after the last, or one that was done before and is delivered again.
            records: raw records by stream.
            idle: which streams are idle; `None`: wall clock moves no watermark, and nothing goes on beside the batch:
                queries that begin in the past are with it when the batch begins.
            planned: wall clock when Spark planned the batch; `None`: its events are of any time.
            files: by stream, those that the records stand in.
        """
        with self.meanwhile():
            return self._run(number, CollectedRecords(self.project, records), idle, planned, files=files)

    def _run(
        self,
        number: int,
        intake: BatchIntake,
        idle: IdleStreams | None,
        planned: datetime | None = None,
        *,
        files: Files = MappingProxyType({}),
        offsets: Mapping[str, Offsets] = MappingProxyType({}),
    ) -> BatchResult:
        """Do a batch, see `run`.

        Args:
            number: its own.
            intake: what it is made of.
            idle: as of `run`.
            planned: likewise.
            files: by stream, those that the records stand in.
            offsets: by stream, up to where topics are read with it.
        """
        with self.clock.stage("prepare"):
            self._flow.prepare(number, patient=idle is None)
        if idle is not None:
            self._silence.take_up(idle, self.dataflow.newest)
        began = time.perf_counter()
        self._flow.begin()
        with self.clock.stage("annotate"):
            live = intake.batch(self.dataflow, planned, self.progress.clock)
            if planned is not None:
                self._flow.progress = self.progress.at(planned)
        with self.clock.stage("admit"):
            live = replace(
                live, idle=idle, number=number, targets=partial(self._checkpoint.targets, dataflow=self.dataflow)
            )
            *spooled, own = self._processed(self._batches(number, live, intake))
        self.queries.hand_over()
        streams = self._checkpoint.streams(number, [*spooled, own])
        result = BatchResult(streams, own.rows(), own.watermarks, own.advances, idled=own.idled)
        for missed in spooled:
            result.called += missed.called
            result.count_done(missed.done)
        result.add_calls(self.queries.take_calls())
        records = intake.taken(streams)
        malformed = {stream: len(raw.malformed) for stream, raw in records.items()}
        state = partial(self._state, result, malformed, began, number=number, results=(*spooled, own))
        delivered = self._checkpoint.commit(
            number, result, records, self._flow.dataflow, state, files=files, offsets=offsets
        )
        self._silence.keep(self.dataflow.newest)
        finished = self._finished(number, result, delivered)
        if idle is not None and planned is not None:
            waited = datetime.now(UTC) - arrival_of(self.project.settings.root, files, planned)
            self.queries.demotion.note(self.dataflow, waited.total_seconds())
        return finished

    def finish(self) -> BatchResult:
        """End the streams: what waits for later events is reported."""
        number = (self.last or 0) + 1
        self._flow.prepare(number, patient=True)
        began = time.perf_counter()
        self._flow.begin()
        result = self.dataflow.process(Batch(ends=True, number=number))
        delivered = self._checkpoint.commit_end(number, result)
        result.count_no_calls()  # they are made when a batch brings their rows
        self._flow.count(result, {}, time.perf_counter() - began, delivered.counts)
        return self._finished(number, result, delivered)

    def rows_at_end(self) -> dict[str, int]:
        """By query label, how many rows the end of the streams would bring now; queries without any are left out."""
        return self._hosting.rows_at_end(self.dataflow)

    def close(self) -> None:
        """Give back the threads, and let another process go on."""
        self._silence.keep(self.dataflow.newest, ends=True)
        self._flow.close()
        self._checkpoint.close()

    def _batches(self, number: int, live: Batch, intake: BatchIntake) -> Iterator[Batch]:
        """What the spool has for a batch, then what it brings by itself; begun before, it does what it did then."""
        # The first batch of a process may be one that an earlier process had begun.
        recorded = live.idle is None or self._begun is None or number <= self._begun
        begun = max(self.versions.begun, self._begun or 0)
        self._begun = max(number, self._begun or number)
        if recorded:
            live = replace(live, advances=self._checkpoint.idle_watermarks(number))
        newest = partial(self.dataflow.newest_of, live)
        return self._checkpoint.batches(number, live, intake.spooled, newest, again=number <= begun)

    def _processed(self, batches: Iterable[Batch]) -> list[BatchResult]:
        """What each piece of a batch has brought; the rows of all but the last are held."""
        found: list[BatchResult] = []
        for batch in batches:
            if found:
                self._hold(found[-1])
            found.append(self.dataflow.process(batch))
        return found

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
        delivered: DeliveredRows,
        due: SnapshotDue,
        *,
        number: int,
        results: Sequence[BatchResult],
    ) -> FlowState:
        """The state after a batch, which is counted now; queries that have failed in it are parked.

        What a batch took from the spool, and a query that has failed, no replay of the log repeats: all of it then.
        """
        self._flow.count(result, malformed, time.perf_counter() - began, delivered.counts)
        later = self.dataflow.taken().written if due is SnapshotDue.LATER else None
        # Looked at behind that: what cannot be taken has failed.
        if len(results) > 1 or self.dataflow.queries.failed or not self._hosting.replayable:
            due, later = SnapshotDue.NOW, None
        operators = self.dataflow.snapshot() if due is SnapshotDue.NOW else None
        self.queries.park_failed(self._flow.dataflow, number, results)
        return self._flow.state(operators, later)

    def _finished(self, number: int, result: BatchResult, delivered: DeliveredRows) -> BatchResult:
        self._flow.finish(number)
        kept = [QueryRows(label, rows) for label, rows in delivered.kept.items()]
        finished = BatchResult(result.streams, kept, result.watermarks, result.advances)
        finished.called += result.called
        return finished
