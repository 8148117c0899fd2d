"""The data flow with a memory: every batch is durable before it counts, and can be done again.

A batch is done in this order: log segment durable, and how far the watermarks of silent streams are moved → dead
letters and rows to the sinks → snapshot durable. Whoever calls commits the batch after that (DESIGN, decision 5). Done
again, it starts from the snapshot before it, moves the same watermarks, and gives the same rows with the same `_id`.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import chain
from pathlib import Path
from typing import Any

import pyarrow as pa

from ..archive import AdvanceLog, Archive, Position
from ..errors import PipelineError, PlanError
from ..planner import Strategy
from .catch_up import CatchUp, begin_in_the_past
from .dataflow import Dataflow
from .dead_letters import DeadLetters
from .flow import Registration
from .idleness import Idleness
from .knowledge_history import KnowledgeHistory, Turn
from .knowledge_store import KnowledgeStore, Version
from .late_queries import LateQuery
from .progress import Progress
from .project import Project
from .records import RawBatch
from .registry import Registry
from .sinks import Sink
from .snapshots import Snapshots
from .step import Past, Step, StreamStep
from .takeover import Takeover

_SINK = "sink/"
_PROGRESS = "progress"
_KNOWLEDGE = "knowledge"
_LATE = "late/"
_WORKERS = 3


class DurableFlow:
    """A data flow, its archive, sinks and snapshots. Batches are counted from 1.

    Args:
        project: settings, knowledge, annotations.
        state: folder of snapshots, registrations and dead letters.
        sinks: where the rows of all queries go.
        archive: where events go; `None` when it is switched off.
        on_takeover: called with each new version of the knowledge before the first batch that it judges.

    Attributes:
        progress: what was done so far, over restarts.
        history: the versions of the knowledge.
        version: the one that judged the last batch; `None` before the first.
    """

    def __init__(
        self,
        project: Project,
        state: Path,
        sinks: Sequence[Sink],
        archive: Archive | None,
        on_takeover: Callable[[Version, Takeover], None] = lambda _version, _takeover: None,
    ) -> None:
        self.progress = Progress()
        self._on_takeover = on_takeover
        self.history = KnowledgeHistory(project, KnowledgeStore(state / "ontology"))
        self.version: Version | None = None
        self._project = project
        self._sinks = tuple(sinks)
        self._archive = archive
        self._snapshots = Snapshots(state / "snapshots")
        self._advances = AdvanceLog(state / "advances") if archive is None else archive.advances
        self._registry = Registry(state / "registrations.json")
        self._dead_letters = DeadLetters(state / "dead-letters")
        self._dataflow = project.dataflow(_WORKERS, isolated=True)
        self._waiting: list[Registration] = []
        self._past: dict[str, list[pa.Table]] = {}
        self._late: dict[str, LateQuery] = {}
        self._interrupted: dict[str, dict[str, Any]] = {}
        self._done: int | None = None
        self._begun: int | None = None
        self._generation = 0 if archive is None else archive.log.generation
        self._quiet_since: Position | None = None

    @property
    def dataflow(self) -> Dataflow:
        """The data flow as it stands after the last batch."""
        return self._dataflow

    @property
    def project(self) -> Project:
        """The project with the knowledge in force."""
        return self._project

    @property
    def with_their_past(self) -> frozenset[str]:
        """The queries that are answered over the past still, beside the live stream."""
        return frozenset(self._late)

    @property
    def last(self) -> int | None:
        """The last batch whose snapshot is there; `None` before the first."""
        return self._snapshots.latest()

    def submit(self, registrations: Sequence[Registration]) -> None:
        """Register queries at the next batch border."""
        self._waiting.extend(registrations)

    def withdraw(self, label: str) -> None:
        """Stop answering a query.

        Raises:
            PipelineError: another query reads its output.
        """
        self._waiting = [r for r in self._waiting if r.label != label]
        if label in self._dataflow.flows:
            self._dataflow.remove(label)
        if label in self._late:
            self._late.pop(label).stop()

    def run(self, batch: int, records: Mapping[str, RawBatch], idleness: Idleness | None = None) -> Step:
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
        self._begun = max(batch, self._begun or batch)
        began = time.perf_counter()
        streams = self._dataflow.admit({name: raw.table for name, raw in records.items()})
        if self._archive is not None:
            self._archive.append(batch, {name: s.archived for name, s in streams.items()})
        if idleness is not None:
            idleness.heard(name for name, step in streams.items() if step.events.num_rows)
        self._advance(batch, quiet=not streams, idleness=None if again else idleness)
        for name, raw in records.items():
            self._dead_letters.write(name, batch, raw, streams[name].rejected)
        step = self._reported(batch, streams, self._dataflow.answer(streams))
        self._conclude(batch, step, {name: len(raw.malformed) for name, raw in records.items()}, began)
        return step

    def finish(self) -> Step:
        """End the streams: what waits for later events is reported."""
        batch = (self.last or 0) + 1
        self._prepare(batch, patient=True)
        began = time.perf_counter()
        step = self._reported(batch, {}, self._dataflow.finish().matches.items())
        self._conclude(batch, step, {}, began)
        return step

    def close(self) -> None:
        """Give back the threads."""
        self._give_up_late()
        self._dataflow.close()

    def _give_up_late(self) -> None:
        for query in self._late.values():
            query.stop()
        self._late.clear()

    def overdue(self, idleness: Idleness) -> bool:
        """Whether a batch is needed though no record has come.

        A query waits to be registered, is with its past, or waits for the watermark of a stream that has been silent
        for too long.
        """
        return bool(self._waiting or self._late or self._idle(idleness))

    def _idle(self, idleness: Idleness) -> dict[str, datetime]:
        flow = self._dataflow
        return idleness.advances(flow.due, flow.watermarks, flow.begun)

    def _advance(self, batch: int, *, quiet: bool, idleness: Idleness | None) -> None:
        """Move the watermarks of silent streams; where to is durable before it takes effect.

        A batch that may have been begun before moves what it moved then and nothing else, so its rows are the same.

        Args:
            batch: its number.
            quiet: it has no record.
            idleness: `None`: the batch may have been begun before, or wall clock moves nothing.
        """
        if not quiet:
            self._quiet_since = None
        position = Position(self._generation, batch)
        if idleness is None:
            watermarks = self._advances.read(position)
        else:
            watermarks = self._idle(idleness)
            self._advances.write(position, watermarks, self._quiet_since)
        if watermarks:
            self._quiet_since = position  # with no event in between, the next note replaces this one
        self._dataflow.advance(watermarks)
        if self._archive is None:
            self._advances.remove(before=position)

    def _reported(self, batch: int, streams: Mapping[str, StreamStep], rows: Iterable[tuple[str, pa.Table]]) -> Step:
        """Give each query's rows to the sinks as they come; in its first batch those of its past come first."""
        matches = {}
        of_late = ((label, query.take()) for label, query in self._late.items())
        rows = chain(rows, ((label, pa.concat_tables(tables)) for label, tables in of_late if tables))
        for label, of_batch in rows:
            past = self._past.pop(label, ())
            matches[label] = pa.concat_tables([*past, of_batch]) if past else of_batch
            for sink in self._sinks:
                sink.write(batch, label, matches[label])
        for sink in self._sinks:
            sink.flush()
        return Step(streams, matches)

    def _conclude(self, batch: int, step: Step, malformed: Mapping[str, int], began: float) -> None:
        self.progress = self.progress.after(step, malformed, time.perf_counter() - began, self._dataflow.subqueries)
        self._snapshots.write(batch, self._state())
        self._done = batch

    def _state(self) -> dict[str, bytes]:
        sinks = {f"{_SINK}{i}": json.dumps(sink.snapshot()).encode() for i, sink in enumerate(self._sinks)}
        version = {} if self.version is None else {_KNOWLEDGE: str(self.version).encode()}
        late = {
            _LATE + label: json.dumps(_note(self._dataflow.flows[label].registration, query.handed)).encode()
            for label, query in self._late.items()
        }
        return self._dataflow.snapshot() | late | sinks | version | {_PROGRESS: self.progress.to_bytes()}

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
            now, handed = self._dataflow.now(registration.query), 0
            known = self._interrupted.pop(registration.label, None)
            if known is not None and known["query"] == registration.query.normal:
                now, handed = datetime.fromisoformat(known["now"]), known["handed"]
            self._register(Registration(registration.query, registration.label, now), batch, handed)
        self._waiting = []
        self._take_over(patient=patient)

    def _adopt(self, turn: Turn) -> None:
        """Judge by a version of the knowledge from this batch on."""
        self.version = turn.version
        if turn.project is self._project:
            return
        self._project = turn.project
        self._dataflow.judge_by(turn.project.annotators, turn.project.knowledge, turn.filters)
        if turn.takeover is not None:
            if self._archive is not None:
                shapes = {name: annotator.shape for name, annotator in turn.project.annotators.items()}
                self._archive.adopt(turn.project.knowledge, shapes)
            self._on_takeover(turn.version, turn.takeover)

    def _register(self, registration: Registration, batch: int, handed: int) -> None:
        """Register a query; what its WITHIN asks of the time before is answered from the archive, beside the stream.

        Raises:
            PlanError: it begins in the past and there is no archive.
        """
        label = registration.label
        self._dataflow.register(registration)
        reads = {self._dataflow.flows[other].query.name for other in self._late}
        if begin_in_the_past(self._dataflow, [label]) or reads & self._dataflow.flows[label].streams:
            if self._archive is None:
                self._dataflow.remove(label)
                raise PlanError(
                    f"'{label}' begins in the past, of which there is no archive",
                    hint="set archive.enabled, or begin WITHIN at now",
                )
            self._dataflow.suspend(label)
            self._late[label] = self._begin_in_the_past(self._archive, label, batch - 1, handed)
        self._register_durably()

    def _begin_in_the_past(self, archive: Archive, label: str, last: int, handed: int) -> LateQuery:
        """Start on a query's past, by the knowledge of now; the store has older events as older knowledge saw them."""
        known = self.version is None or all(p.batch >= self.version.batch for p in archive.log.positions()[:1])
        strategy = None if known else Strategy.REPLAY
        upto = Position(self._generation, last)
        catch_up = CatchUp(self._dataflow, [label], archive, upto=upto, strategy=strategy)
        return LateQuery(label, catch_up.rehearsal, catch_up.rows(), self._since, last=last, handed=handed)

    def _since(self, batch: int) -> Iterator[tuple[int, Past]]:
        """The batches behind one that are done."""
        return self._logged(self._done or 0, after=batch)

    def _take_over(self, *, patient: bool) -> None:
        """Let queries that have caught up go on with the next batch.

        Args:
            patient: wait for those that have not.
        """
        for label, query in list(self._late.items()):
            reads_late = any(
                self._dataflow.flows[o].query.name in self._dataflow.flows[label].streams for o in self._late
            )
            rows = query.wait() if patient else []
            if not reads_late and query.caught_up:
                self._past[label] = [*rows, *query.take(), *query.arrive()]
                if query.rehearsed.knowledge is not self._project.knowledge:
                    query.rehearsed.judge_by(self._project.annotators, self._project.knowledge)
                self._dataflow.adopt(label, query.rehearsed)
                del self._late[label]
                self._register_durably()

    def _register_durably(self) -> None:
        """Queries that are with their past still are in the snapshots, which know how far their rows are."""
        flows = self._dataflow.flows
        self._registry.write([flow.registration for label, flow in flows.items() if label not in self._late])

    def _logged(self, last: int, after: int = 0) -> Iterator[tuple[int, Past]]:
        """The batches of the log behind `after` up to `last`, in order, as each was judged; none without an archive."""
        if self._archive is not None:
            log, advances = self._archive.log, self._archive.advances
            for position in sorted({*log.positions(), *advances.positions()}):
                if after < position.batch <= last:
                    then = self.history.at(position.batch)
                    events, moved = log.read_batch(position), advances.read(position)
                    yield position.batch, Past(events, then.annotators, then.knowledge, moved)

    def _restore(self, batch: int) -> None:
        """Go back to the state after a batch: by its snapshot, else by replaying the archive's log."""
        registered = [flow.registration for flow in self._dataflow.flows.values()]
        queries = [*registered, *self._waiting]
        self._give_up_late()
        self._dataflow.close()
        self._dataflow = self._project.dataflow(_WORKERS, isolated=True)
        state = self._snapshots.read(batch)
        if state is None and batch > 0:
            queries = self._replay_log(batch, queries)
        self._interrupted = {
            k.removeprefix(_LATE): json.loads(v) for k, v in (state or {}).items() if k.startswith(_LATE)
        }
        self._waiting = self._dataflow.restore(state or {}, queries)
        for i, sink in enumerate(self._sinks):
            sink.restore(json.loads((state or {}).get(f"{_SINK}{i}", b"{}")))
        if state is not None:
            self.progress = Progress.from_bytes(state[_PROGRESS])
        else:
            self._snapshots.write(batch, self._state())
        self._done = batch

    def _replay_log(self, batch: int, queries: Sequence[Registration]) -> list[Registration]:
        """Bring fresh operators to the end of a batch; their rows were reported before the snapshot was lost.

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
        known = self._registry.read(queries)
        for registration in known:
            self._dataflow.register(registration)
        self.progress = Progress()
        for _, past in self._logged(batch):
            began = time.perf_counter()
            step = self._dataflow.replay(past)
            self.progress = self.progress.after(step, {}, time.perf_counter() - began, self._dataflow.subqueries)
        self._dataflow.judge_by(self._project.annotators, self._project.knowledge)
        return [q for q in queries if q.label not in self._dataflow.flows]


def _note(registration: Registration, handed: int) -> dict[str, Any]:
    """What another process needs to begin again with a query's past, and to report no row twice."""
    now = registration.now
    return {"query": registration.query.normal, "now": None if now is None else now.isoformat(), "handed": handed}
