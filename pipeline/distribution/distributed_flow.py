"""A data flow whose batches are read, judged, logged and answered by tasks; it has numbers and the names of files.

Its state is where the shards have left theirs: a snapshot has that, and is what the manifest is of a sharded flow.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from pathlib import Path
from uuid import uuid4

import pyarrow as pa

from ...archive.log import PreparedSegment
from ...errors import KaicepError, PipelineError, error_of
from ...storage import SharedFolder, StoragePath
from ..catalog import Catalog
from ..durability import HOSTING
from ..flow import (
    Batch,
    BatchResult,
    Dataflow,
    Judgement,
    QueryRows,
    QueryRuntime,
    Registration,
    StreamMoments,
    StreamTally,
    no_identities,
)
from ..flow.queries import continues, with_head
from ..sharding import (
    HIDDEN,
    HostedBatch,
    HostingPlan,
    HostingState,
    LogReport,
    QueryUnit,
    ShardedFlow,
    StreamCounts,
    TaskRunner,
    state_of,
    state_text,
    sweep,
    told_records,
    units_of,
)
from .registration_limits import DRIVER, refuse_joining, refuse_looking_back, refuse_lost
from .split_batch import CountedStream, SplitBatch
from .told_query import ToldQuery

__all__ = ["DistributedFlow", "TaskPlace"]

_QUERY, _DERIVING = "hosted/", "hosted-deriving"
_NO_COUNTS = StreamCounts(0, 0, 0, 0, 0, 0, ())


@dataclass(frozen=True, slots=True)
class TaskPlace:
    """Where tasks run.

    Attributes:
        run: runs them.
        tasks: so many at the same time.
        folder: for what they leave for each other, and the states of shards; all of them reach it.
        shards: into how many a query is cut at most, when its first batch is done.
        log: the folder of the log; `None`: there is none.
        say: takes a line of the log about files that cannot be read.
    """

    run: TaskRunner
    tasks: int
    folder: SharedFolder
    shards: int
    log: StoragePath | None
    say: Callable[[str], None]


class DistributedFlow(Dataflow):
    """A data flow in tasks.

    Args:
        project: settings, knowledge, annotations.
        place: gives where they run, when that is needed.
    """

    runtime = ToldQuery

    def __init__(self, project: Catalog, place: Callable[[], TaskPlace]) -> None:
        super().__init__(
            project.judgement,
            {name: stream.lateness for name, stream in project.settings.streams.items()},
            project.options,
            limits=project.limits,
            isolated=True,
            identities=project.settings.engine.identities,
            services=project.settings.queries,
        )
        self._project, self._placed = project, place
        self._state = HostingState("", 0)
        self._planned: tuple[object, HostingPlan] | None = None

    @cached_property
    def _place(self) -> TaskPlace:
        return self._placed()

    @property
    def begun(self) -> bool:
        """Whether a batch is done, so that queries have a state."""
        return self._state.batch > 0

    def judge_by(self, judgement: Judgement) -> None:
        """Judge what comes from now on by other knowledge: tasks compile queries anew, and go on from their states."""
        super().judge_by(judgement)
        if judgement.knowledge is not self._project.knowledge:
            self._project = self._project.with_knowledge(judgement.knowledge)

    def register(self, registration: Registration, compiled: QueryRuntime | None = None) -> None:
        """Begin to answer a query with the next batch.

        Raises:
            PipelineError: the label is taken, or tasks cannot answer it from there on.
            KaicepError: it cannot be compiled.
        """
        self.check([registration])
        super().register(registration, compiled)
        self._forget(registration.label)

    def withdraw(self, label: str, batch: int) -> None:
        """Stop answering a query for good."""
        super().withdraw(label, batch)
        self._forget(label)

    def check(self, registrations: Sequence[Registration]) -> None:
        """Refuse queries that need what executors do not do, or have not done from the first batch on.

        Raises:
            PipelineError: with the way out.
        """
        if not self.begun:
            return
        refuse_looking_back(registrations, self.now_of)
        refuse_joining(registrations, self._active, self._state)

    def now_of(self, registration: Registration) -> datetime | None:
        """The time of a query's streams, as far as these are known."""
        given = {name for flow in self.flows.values() for name in flow.query.streams}
        known = {source.stream.name for source in registration.query.sources} <= {*self.annotators, *given}
        return self.now(registration.query) if known else None

    @property
    def _active(self) -> tuple[Registration, ...]:
        return tuple(flow.registration for label, flow in self.flows.items() if label not in self.suspended)

    def process(self, batch: Batch) -> BatchResult:
        """Take a batch: its files are read and its queries answered when this returns.

        Raises:
            PipelineError: it is no batch of files.
            KaicepError: a file, or the log, cannot be read or written.
        """
        if batch.past is not None or batch.events:
            raise PipelineError("executors answer batches of files only", hint=DRIVER)
        splits, unreadable = (batch.splits, batch.unreadable) if isinstance(batch, SplitBatch) else ((), {})
        self._sweep()
        advances: dict[str, datetime] = {}

        def advance(counts: Mapping[str, StreamCounts], moments: StreamMoments) -> Mapping[str, datetime]:
            advances.update(self._advances(batch, counts, moments))
            return advances

        flow = self._sharded()
        found, state = flow.answer(batch.number, splits, advance, ends=batch.ends, log=self._place.log)
        self._take(found, state)
        if batch.ends:
            self._end()
        taken = {name for name, reports in found.read.items() if any(one.records or one.unreadable for one in reports)}
        streams = {name: self._counted(name, found) for name in sorted({*taken, *unreadable})}
        idled = batch.idle is not None and batch.advances is None
        return BatchResult(streams, self._rows(found), found.watermarks, advances, batch.source, idled=idled)

    def rows_at_end(self) -> dict[str, int]:
        """By query label, how many rows the end of the streams would bring now; nothing changes."""
        if not self.due:
            return {}
        found, _ = self._sharded().answer(self._state.batch + 1, (), lambda *_: {}, ends=True)
        return {label: rows.num_rows for label, rows in found.matches.items() if rows.num_rows}

    def snapshot(self) -> dict[str, bytes]:
        """Where the state of streams and queries is, by name, for `restore`; of failed ones there is none."""
        deriving = [label for label, flow in self.flows.items() if flow.query.changed_sets]
        parts = {HOSTING: state_text(self._state).encode(), _DERIVING: json.dumps(deriving).encode()}
        flows = [flow for label, flow in self.flows.items() if label not in self.suspended and flow.failure is None]
        known = [flow.registration for flow in flows]
        return parts | {_QUERY + each.label: with_head(each.query, each.now, b"") for each in known}

    def restore(self, state: Mapping[str, bytes], queries: Iterable[Registration]) -> list[Registration]:
        """Go on from a snapshot with those of the queries that it holds; see `Dataflow.restore`.

        Raises:
            PipelineError: a query is gone that has changed contexts of others.
        """
        if HOSTING not in state:
            return list(queries)
        queries = list(queries)
        refuse_lost(json.loads(state[_DERIVING]), [query.label for query in queries])
        self._state = state_of(state[HOSTING].decode(), "the state of queries")
        unknown: list[Registration] = []
        for query in queries:
            head = state.get(_QUERY + query.label)
            registration = None if head is None else continues(head, query)
            given = {name for other in unknown for name in other.query.streams}
            if registration is None or given & {s.stream.name for s in query.query.sources}:
                unknown.append(query)
                continue
            try:
                super().register(registration)
            except KaicepError:  # it is told where it is registered
                unknown.append(query)
        for label in [name[len(_QUERY) :] for name in state if name.startswith(_QUERY)]:
            if label not in self.flows:
                self._forget(label)
        self._recall(self._state)
        return unknown

    def _recall(self, state: HostingState) -> None:
        """Be where the streams and the queries were."""
        self.recall(state.moments, no_identities)
        told = {one.label: one for one in state.told}
        for label, flow in self.flows.items():
            if isinstance(flow, ToldQuery):
                flow.told = told.get(label, flow.told)

    def _forget(self, label: str) -> None:
        """Let no later query of this label go on from the state of this one."""
        state = self._state
        kept = {other: unit for other, unit in state.kept.items() if other != label}
        gone = {label, *(set(state.kept.values()) - set(kept.values()))}
        self._state = replace(
            state,
            states=tuple(place for place in state.states if place.unit not in gone),
            told=tuple(told for told in state.told if told.label != label),
            kept=kept,
            waiting={other: file for other, file in state.waiting.items() if other != label},
        )

    def _sharded(self) -> ShardedFlow:
        """What answers the next batch."""
        place = self._place
        return ShardedFlow(self._plan(), place.folder, place.run, place.tasks, self._state)

    def _plan(self) -> HostingPlan:
        """The queries as tasks have them: the same as long as nothing changes."""
        active, shards = self._active, self._state.shards or self._place.shards
        units = units_of(active, self._state.kept)
        kept = {label: unit.name for unit in units if not unit.single for label in unit.labels}
        seen = (tuple(map(id, active)), id(self._project), tuple(kept.items()), shards)
        if self._planned is None or self._planned[0] != seen:
            self._planned = seen, HostingPlan(uuid4().hex, self._project, active, shards, kept, durable=True)
        return self._planned[1]

    def _advances(
        self, batch: Batch, counts: Mapping[str, StreamCounts], moments: StreamMoments
    ) -> Mapping[str, datetime]:
        """Where watermarks of idle streams are moved, now that it is known which ones have brought events."""
        self.recall(moments, no_identities)
        if batch.idle is not None:
            batch.idle.heard(name for name, count in counts.items() if count.events)
            if batch.advances is None:
                return self.idle_advances(batch.idle)
        return batch.advances or {}

    def _take(self, found: HostedBatch, state: HostingState) -> None:
        """Be where a batch has left streams and queries; those that have failed have no state any more."""
        self._state = state
        for unit, why in found.failures.items():
            for label in self._unit(unit).labels:
                self.flows[label].fail(error_of(why))
        self._recall(state)

    def _unit(self, name: str) -> QueryUnit:
        return next(unit for unit in units_of(self._active, self._plan().kept) if unit.name == name)

    def _rows(self, found: HostedBatch) -> Iterator[QueryRows]:
        """The rows of each query; none of one that has failed. All that rules call comes with the first of them."""
        calls = pa.concat_tables(found.called) if found.called else None
        for label, flow in self.flows.items():
            rows = found.matches.get(label) if flow.failure is None else None
            own = calls if flow.firing is not None else None
            calls = None if own is not None else calls
            visible = flow.rows.none if rows is None else rows
            yield QueryRows(label, visible, calls=own, done=found.done.get(label, {}))

    def _counted(self, name: str, found: HostedBatch) -> CountedStream:
        count, read = found.streams.get(name, _NO_COUNTS), found.read.get(name, ())
        segment = found.segments.get(name, LogReport(name, None, 0, 0))
        malformed = sum(report.malformed for report in read)
        time = self._state.moments.get(name, (None, None))[0] if count.events else None
        tally = StreamTally(
            count.events, count.late, count.unusable - malformed, count.duplicates, count.unlinked, time
        )
        unreadable = [file for report in read for file in report.unreadable]
        for file in unreadable:
            self._place.say(f"streams.{name}: {file.path} {file.complaint}; see its dead letters")
        files = [report.file for report in read if report.unusable]
        records = told_records(self._place.folder, name, files, unreadable)
        return CountedStream.of(tally, PreparedSegment(segment.path, segment.rows, segment.late), records)

    def _sweep(self) -> None:
        """Remove what attempts have left that count no more: the batch before is durable."""
        sweep(self._place.folder, self._state.batch, self._state.files)
        if isinstance(self._place.log, Path):  # in a bucket whoever opens the log removes them
            for path in self._place.log.glob(f"*/{HIDDEN}*"):
                if path.name < f"{HIDDEN}{self._state.batch:09}":
                    path.unlink(missing_ok=True)
