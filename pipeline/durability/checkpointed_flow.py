"""The data flow with a memory: every batch is durable before it counts, and can be done again.

A batch is done in this order: log segment durable, and how far the watermarks of silent streams are moved → dead
letters, rows to the sinks, those of named queries to the archive → snapshot durable. Whoever calls commits the batch
after that (docs/decisions/071). Done again, it starts from the snapshot before it, moves the same watermarks, and gives
the same rows with the same `_id`.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ...archive import Archive
from ...archive.log import IdleWatermarkLog, Position
from ...errors import PipelineError, PlanError
from ...planner import Strategy
from ..flow import Backfill, BackfilledQuery, BatchResult, Dataflow, Past, Registration, begin_in_the_past
from ..knowledge import KnowledgeStore, KnowledgeSwap, KnowledgeVersions, Turn, Version
from ..sinks import RowDelivery, Sink
from ..sources import RawBatch
from .backfilled_queries import BackfilledQueries
from .dead_letters import DeadLetters
from .idle_streams import Silence, advances_of
from .idleness import Idleness
from .log_replay import logged
from .match_archiving import keep_matches
from .operator_snapshots import OperatorSnapshots
from .progress import Progress
from .query_registry import QueryRegistry
from .source_offsets import PositionFile
from .spool_replay import SpoolReplay, admit

if TYPE_CHECKING:
    from ..catalog import Catalog

_LOG = logging.getLogger("kaicep")
_PROGRESS = "progress"
_KNOWLEDGE = "knowledge"
_WORKERS = 3


class CheckpointedFlow:
    """A data flow, its archive, sinks and snapshots. Batches are counted from 1.

    Args:
        project: settings, knowledge, annotations.
        state: folder of snapshots, registrations and dead letters.
        sinks: where the rows of all queries go.
        archive: where events go; `None` when it is switched off.
        on_takeover: called with each new version of the knowledge before the first batch that it judges.
        say: takes a line of the log about what was missed.
        strategy: how the past of queries is answered; `None`: as the planner chooses.

    Attributes:
        progress: what was done so far, over restarts.
        history: the versions of the knowledge.
        version: the one that judged the last batch; `None` before the first.
    """

    def __init__(
        self,
        project: Catalog,
        state: Path,
        sinks: Sequence[Sink],
        archive: Archive | None,
        on_takeover: Callable[[Version, KnowledgeSwap], None] = lambda _version, _takeover: None,
        *,
        say: Callable[[str], None] = _LOG.info,
        strategy: Strategy | None = None,
    ) -> None:
        self._strategy = strategy
        self.progress = Progress()
        self._on_takeover = on_takeover
        self.history = KnowledgeVersions(project, KnowledgeStore(state / "ontology"))
        self.version: Version | None = None
        self._project = project
        self._reporting = RowDelivery(sinks)
        self._archive = archive
        self._snapshots = OperatorSnapshots(state / "snapshots")
        self._generation = 0 if archive is None else archive.log.generation
        advances = IdleWatermarkLog(state / "advances") if archive is None else archive.idle_watermarks
        self._silence = Silence(advances, self._generation, forgets=archive is None)
        queries = state / "queries"
        self._registry = QueryRegistry(queries / "registrations.json")
        self._position = PositionFile(queries / "position.json")
        patience = project.settings.archive.in_flight
        self._outage = None if archive is None else SpoolReplay(archive, state, patience, say)
        self._dead_letters = DeadLetters(state / "dead-letters")
        self._dataflow = project.dataflow(_WORKERS, isolated=True)
        self._waiting: list[Registration] = []
        self._late = BackfilledQueries()
        self._done: int | None = None
        self._begun: int | None = None

    @property
    def dataflow(self) -> Dataflow:
        """The data flow as it stands after the last batch."""
        return self._dataflow

    @property
    def project(self) -> Catalog:
        """The project with the knowledge in force."""
        return self._project

    @property
    def with_their_past(self) -> frozenset[str]:
        """The queries that are answered over the past still, beside the live stream."""
        return self._late.labels

    @property
    def last(self) -> int | None:
        """The last batch that left a trace: a snapshot, a position, events in the log; `None` before the first."""
        position = None if self._archive is None else self._archive.last
        reported, _ = self._position.read() or (None, {})
        known = (self._snapshots.latest(), reported, None if position is None else position.batch)
        return max((batch for batch in known if batch is not None), default=None)

    @property
    def behind(self) -> bool:
        """Whether the next batch has something to do even without records: an outage, or a new query's past."""
        if self.last is None:
            return False
        reported, _ = self._position.read() or (self.last, {})
        new = len(self._registry.read(self._waiting)) < len(self._waiting)
        return new or reported < self.last or (self._outage is not None and self._outage.waiting)

    def begin(self) -> None:
        """Take over from whoever has kept the streams' events meanwhile; before they are read."""
        if self._outage is not None:
            self._outage.begin()

    def submit(self, registrations: Sequence[Registration]) -> None:
        """Register queries at the next batch border."""
        self._waiting.extend(registrations)

    def withdraw(self, label: str) -> None:
        """Stop answering a query.

        Raises:
            PipelineError: another query reads its output.
        """
        self._waiting = [r for r in self._waiting if r.label != label]
        self._reporting.withdraw(label)
        if label in self._dataflow.flows:
            self._dataflow.remove(label)
        self._late.give_up(label)

    def run(self, batch: int, records: Mapping[str, RawBatch], idleness: Idleness | None = None) -> BatchResult:
        """Do a batch; when this returns, it is durable.

        Args:
            batch: its number; the one after the last, or one that was done before and is delivered again.
            records: raw records by stream.
            idleness: which streams are silent; `None`: wall clock moves no watermark, and nothing goes on beside the
                batch: queries that begin in the past are with it when the batch begins.
        """
        self._prepare(batch, patient=idleness is None)
        # The first batch of a process may be one that an earlier process had begun.
        again = self._begun is None or batch <= self._begun
        begun = max(self.history.begun, self._begun or 0)
        self._begun = max(batch, self._begun or batch)
        began = time.perf_counter()
        annotated = self._dataflow.annotate({name: raw.table for name, raw in records.items()})
        brought = admit(self._outage, self._dataflow, batch, annotated, again=batch <= begun)
        if self._archive is not None:
            self._archive.append(batch, {name: s.archived for name, s in brought.streams.items()})
        if idleness is not None:
            idleness.heard(name for name, step in brought.streams.items() if step.events.num_rows)
        quiet = not brought.streams
        self._silence.move(self._dataflow, batch, quiet=quiet, idleness=None if again else idleness)
        for name, raw in records.items():
            self._dead_letters.write(name, batch, raw, brought.live[name].rejected)
        rows = self._late.with_their_past(brought.answered(self._dataflow))
        step = BatchResult(brought.streams, self._reporting.report(batch, rows, brought.recovered))
        if self._archive is not None:
            keep_matches(self._archive, batch, step.matches, self._dataflow.flows, self._project.knowledge.version)
        self._conclude(batch, step, {name: len(raw.malformed) for name, raw in records.items()}, began)
        return step

    def finish(self) -> BatchResult:
        """End the streams: what waits for later events is reported."""
        batch = (self.last or 0) + 1
        self._prepare(batch, patient=True)
        began = time.perf_counter()
        rows = self._late.with_their_past(self._dataflow.finish().matches.items())
        step = BatchResult({}, self._reporting.report(batch, rows, {}))
        self._conclude(batch, step, {}, began)
        return step

    def close(self) -> None:
        """Give back the threads."""
        self._late.close()
        self._dataflow.close()

    def overdue(self, idleness: Idleness) -> bool:
        """Whether a batch is needed though no record has come.

        A query waits to be registered, is with its past, or waits for the watermark of a stream that has been silent
        for too long; or a change of the knowledge waits for a batch border, or what was missed during an outage.
        """
        missed = self._outage is not None and self._outage.waiting
        waiting = self._waiting or self._late.labels or self.history.waiting or self._reporting.waiting or missed
        return bool(waiting or advances_of(self._dataflow, idleness))

    def _conclude(self, batch: int, step: BatchResult, malformed: Mapping[str, int], began: float) -> None:
        self.progress = self.progress.after(step, malformed, time.perf_counter() - began, self._dataflow.subqueries)
        self._snapshots.write(batch, self._state())
        self._position.write(batch, self._position_parts())
        if self._outage is not None:
            self._outage.settle()
        self._done = batch

    def _position_parts(self) -> dict[str, bytes]:
        return self._reporting.snapshot() | self._late.snapshot(self._dataflow)

    def _state(self) -> dict[str, bytes]:
        version = {} if self.version is None else {_KNOWLEDGE: str(self.version).encode()}
        progress = {_PROGRESS: self.progress.to_bytes()}
        return self._dataflow.snapshot() | self._position_parts() | version | progress

    def _prepare(self, batch: int, *, patient: bool = True) -> None:
        """Bring the state to the end of the batch before, and register what waits for a batch border.

        Args:
            batch: the one that begins.
            patient: wait for queries that are with their past still.
        """
        if self._done != batch - 1:
            self._restore(batch - 1)
        self._adopt(self.history.begin(batch))
        for registration in self._waiting:
            known = self._late.interrupted(registration)
            now, handed = known or (registration.now or self._dataflow.now(registration.query), 0)
            self._register(Registration(registration.query, registration.label, now), batch, handed)
        self._waiting = []
        if self._late.take_over(self._dataflow, self._project, patient=patient):
            self._register_durably()

    def _adopt(self, turn: Turn) -> None:
        """Judge by a version of the knowledge from this batch on."""
        self.version = turn.version
        if turn.project is self._project:
            return
        self._project = turn.project
        self._dataflow.judge_by(turn.project.annotators, turn.project.knowledge, turn.filters)
        if turn.takeover is not None:
            if self._archive is not None:
                shapes = turn.project.shapes
                self._archive.adopt(turn.project.knowledge, shapes)
            self._on_takeover(turn.version, turn.takeover)

    def _register(self, registration: Registration, batch: int, handed: int) -> None:
        """Register a query; what its WITHIN asks of the time before is answered from the archive, beside the stream.

        Raises:
            PlanError: it begins in the past and there is no archive.
        """
        label = registration.label
        self._dataflow.register(registration)
        if begin_in_the_past(self._dataflow, [label]) or self._late.are_read_by(label, self._dataflow):
            if self._archive is None:
                self._dataflow.remove(label)
                raise PlanError(
                    f"'{label}' begins in the past, of which there is no archive",
                    hint="set archive.enabled, or begin WITHIN at now",
                )
            self._dataflow.suspend(label)
            self._late.add(self._begin_in_the_past(self._archive, label, batch - 1, handed))
        self._register_durably()

    def _begin_in_the_past(self, archive: Archive, label: str, last: int, handed: int) -> BackfilledQuery:
        """Start on a query's past, by the knowledge of now; the store has older events as older knowledge saw them."""
        known = self.version is None or all(p.batch >= self.version.batch for p in archive.log.positions()[:1])
        strategy = self._strategy if known else Strategy.REPLAY
        upto = Position(self._generation, last)
        catch_up = Backfill(self._dataflow, [label], archive, upto=upto, strategy=strategy)
        return BackfilledQuery(label, catch_up.rehearsal, catch_up.rows(), self._since, last=last, handed=handed)

    def _since(self, batch: int) -> Iterator[tuple[int, Past]]:
        """The batches behind one that are done."""
        return logged(self._archive, self.history, self._done or 0, after=batch)

    def _register_durably(self) -> None:
        """Queries that are with their past still are in the snapshots, which know how far their rows are."""
        flows = self._dataflow.flows
        self._registry.write([flow.registration for label, flow in flows.items() if label not in self._late.labels])

    def _restore(self, batch: int) -> None:
        """Go back to the state after a batch: by its snapshot, else by replaying the archive's log."""
        registered = [flow.registration for flow in self._dataflow.flows.values()]
        queries = [*registered, *self._waiting]
        self._late.close()
        self._dataflow.close()
        self._dataflow = self._project.dataflow(_WORKERS, isolated=True)
        state = self._snapshots.read(batch)
        position = {} if state is None else state
        self._reporting.forget()
        if state is None and batch > 0:
            reported, position = self._position.read() or (batch, {})
            self._late.restore(position)
            queries = self._replay_log(batch, queries, reported)
        self._late.restore(position)
        self._waiting = self._dataflow.restore(state or {}, queries)
        self._reporting.restore(position)
        if state is not None:
            self.progress = Progress.from_bytes(state[_PROGRESS])
        elif not self._reporting.waiting:
            self._snapshots.write(batch, self._state())
        self.progress = self.progress.resumed()
        self._done = batch

    def _replay_log(self, batch: int, queries: Sequence[Registration], reported: int) -> list[Registration]:
        """Bring fresh operators to the end of a batch; their rows were reported up to batch `reported`.

        Returns:
            The queries that were not registered then.

        Raises:
            PipelineError: there is no archive to replay.
        """
        if self._archive is None:
            raise PipelineError(
                f"the snapshot of batch {batch} is lost and there is no archive to rebuild it from",
                hint=f"restore {self._snapshots.folder}, or remove the engine's state to begin anew",
            )
        # One that was with its past begins with it again: the log does not say how many of its rows were handed over.
        known = [r for r in self._registry.read(queries) if r.label not in self._late.begun_before]
        for registration in known:
            self._dataflow.register(registration)
        self.progress = Progress()
        for number, past in logged(self._archive, self.history, batch):
            began = time.perf_counter()
            step = self._dataflow.replay(past)
            for label, rows in step.matches.items() if number > reported else ():
                self._reporting.miss(label, rows)
            self.progress = self.progress.after(step, {}, time.perf_counter() - began, self._dataflow.subqueries)
        self._dataflow.judge_by(self._project.annotators, self._project.knowledge)
        return [q for q in queries if q.label not in self._dataflow.flows]
