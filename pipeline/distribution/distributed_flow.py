"""A data flow whose batches are read, judged, logged and answered by tasks; it has numbers and the names of files.

Its state is where the shards have left theirs: a snapshot has that, and is what the manifest is of a sharded flow.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from itertools import count
from pathlib import Path
from uuid import uuid4

import pyarrow as pa

from ...archive.log import PreparedSegment
from ...errors import KaicepError, PipelineError, error_of
from ...language.nodes import ContextSet
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
from ..flow.answering import withhold
from ..flow.queries import continues, with_head
from ..sharding import (
    HIDDEN,
    HostedBatch,
    HostingPlan,
    HostingState,
    LogReport,
    SetTold,
    ShardedFlow,
    StreamCounts,
    TaskRunner,
    left_behind,
    state_of,
    state_text,
    told_records,
    units_of,
)
from .gathered_state import gathered, scattered_in, units_to_gather
from .registration_limits import DRIVER, refuse_joining
from .replayed_flow import ReplayedFlow
from .replayed_state import state_of_replay
from .split_batch import CountedStream, SplitBatch
from .told_query import ToldQuery

__all__ = ["DistributedFlow", "TaskPlace"]

_QUERY = "hosted/"
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
        few: so many rows of a batch come to the driver, whatever sinks there are.
    """

    run: TaskRunner
    tasks: int
    folder: SharedFolder
    shards: int
    log: StoragePath | None
    say: Callable[[str], None]
    few: int


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

    def remove(self, label: str) -> None:
        """Stop answering a query; its state is dropped."""
        super().remove(label)
        self._forget(label)

    def withdraw(self, label: str, batch: int) -> None:
        """Stop answering a query for good."""
        super().withdraw(label, batch)
        self._forget(label)

    def check(self, registrations: Sequence[Registration]) -> None:
        """Refuse queries that are answered with others whose states lie in shards, where no log makes these anew.

        Raises:
            PipelineError: with the way out.
        """
        if self.begun and self._place.log is None:
            others = [one for one in self._active if one.label not in {new.label for new in registrations}]
            refuse_joining(registrations, scattered_in(self._plan_of((*others, *registrations)), self._state))

    def take_over(self, made: ReplayedFlow, number: int) -> None:
        """Go on where a data flow of the driver is at the end of a batch; this one has no queries yet."""
        queries = made.queries
        self.queries.withdrawn, self.queries.changed_until = queries.withdrawn, queries.changed_until
        self.queries.changed_since = queries.changed_since
        sets = {name: contexts.now for name, contexts in queries.contexts.items()}
        self.queries.begin_contexts_at([contexts.set for contexts in queries.contexts.values()], sets)
        for registration, flows in made.made:
            super().register(registration, flows[0])
            failure = next((flow.failure for flow in flows if flow.failure is not None), None)
            if failure is not None:
                self.flows[registration.label].fail(failure)
        cut = [unit.name for unit in units_of(self._active) if unit.single and unit.key is not None]
        plan = self._plan_of(self._active, [label for label in cut if not made.is_divided(label)])
        self._state = state_of_replay(made, plan, number, self._place.folder)
        self._recall(self._state)

    @property
    def scattered(self) -> tuple[str, ...]:
        """See `Dataflow.scattered`: those that are answered with others from now on."""
        return scattered_in(self._plan(), self._state) if self.begun and not self._is_planned else ()

    def adopt(self, label: str, rehearsed: Dataflow) -> None:
        """Let tasks go on with a query where a data flow of the driver is with it, in one shard."""
        flow = rehearsed.flows[label]
        self.queries.replace(self.compile(flow.registration, flow.filters))
        plan = self._plan_of(self._active, [label])
        unit = next(unit for unit in units_of(plan.registrations, plan.kept) if label in unit.labels)
        self._state = gathered(unit, plan, self._state, self._place.folder, {label: rehearsed})
        self._tell(self._state)

    @property
    def _active(self) -> tuple[Registration, ...]:
        live = {label: flow for label, flow in self.flows.items() if label not in self.suspended}
        return tuple(flow.registration for flow in live.values() if flow.failure is None)

    def process(self, batch: Batch) -> BatchResult:
        """Take a batch: its files are read and its queries answered when this returns.

        Raises:
            PipelineError: it is no batch of files.
            KaicepError: a file, or the log, cannot be read or written.
        """
        if batch.past is not None or batch.events:
            raise PipelineError("executors answer batches of files only", hint=DRIVER)
        splits, unreadable = (batch.splits, batch.unreadable) if isinstance(batch, SplitBatch) else ((), {})
        gone = self._left_behind()
        withhold(self.queries, [self.flows[one.label] for one in self._active])
        advances: dict[str, datetime] = {}

        def advance(counts: Mapping[str, StreamCounts], moments: StreamMoments) -> Mapping[str, datetime]:
            advances.update(self._advances(batch, counts, moments))
            return advances

        flow = self._sharded()
        found, state = flow.answer(
            batch.number, splits, advance, ends=batch.ends, log=self._place.log, targets=batch.targets, gone=gone
        )
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
        parts = {HOSTING: state_text(self._state).encode()}
        flows = [flow for label, flow in self.flows.items() if label not in self.suspended and flow.failure is None]
        known = [flow.registration for flow in flows]
        return parts | {_QUERY + each.label: with_head(each.query, each.now, b"") for each in known}

    def restore(self, state: Mapping[str, bytes], queries: Iterable[Registration]) -> list[Registration]:
        """Go on from a snapshot with those of the queries that it holds; see `Dataflow.restore`."""
        if HOSTING not in state:
            return list(queries)
        queries = list(queries)
        self._state = state_of(state[HOSTING].decode(), "the state of queries")
        sets = {each.name: each for query in queries for each in query.query.context_sets}
        begun = {told.name: told.now for told in self._state.sets if _is_of(told, sets)}
        self.queries.begin_contexts_at(sets.values(), begun)
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
        self.queries.drop_contexts()
        self._recall(self._state)
        return unknown

    def _recall(self, state: HostingState) -> None:
        """Be where the streams and the queries were."""
        self.recall(state.moments, no_identities)
        self._tell(state)

    def _tell(self, state: HostingState) -> None:
        """Let queries and sets of contexts know what shards say of them."""
        for told in state.told:
            flow = self.flows.get(told.label)
            if isinstance(flow, ToldQuery):
                flow.tell(told)
        contexts = self.queries.contexts
        for of_set in state.sets:
            if _is_of(of_set, {name: each.set for name, each in contexts.items()}):
                contexts[of_set.name].known = of_set.known

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
        for unit in () if self._is_planned else units_to_gather(self._plan(), self._state):
            self._state = gathered(unit, self._plan(), self._state, place.folder)
        return ShardedFlow(self._plan(), place.folder, place.run, place.tasks, self._state, few=place.few)

    def _plan(self) -> HostingPlan:
        """The queries as tasks have them: the same as long as nothing changes."""
        active, queries = self._active, self.queries
        known = dict(self._state.kept), dict(queries.changed_since), {n: of.now for n, of in queries.contexts.items()}
        seen = tuple(map(id, active)), id(self._project), known
        if self._planned is None or self._planned[0] != seen:
            before, plan = None if self._planned is None else self._planned[1], self._plan_of(active)
            self._planned = seen, before if before is not None and _are_alike(before, plan) else plan
        return self._planned[1]

    @property
    def _is_planned(self) -> bool:
        """Whether the batch before was answered as the next one is to be."""
        return self._plan().key == self._state.plan

    def _plan_of(self, registrations: Sequence[Registration], whole: Sequence[str] = ()) -> HostingPlan:
        """Queries as tasks would have them; those with a label of `whole` have one shard, whatever they are cut by."""
        known = {**self._state.kept}
        for label in whole:
            if label not in known:
                known[label] = next(name for n in count(1) if (name := label + "+" * n) not in known.values())
        units = units_of(registrations, known)
        kept = {label: unit.name for unit in units if not unit.single for label in unit.labels}
        shards = self._state.shards or self._place.shards
        since, sets = dict(self.queries.changed_since), {n: of.now for n, of in self.queries.contexts.items()}
        return HostingPlan(
            uuid4().hex, self._project, tuple(registrations), shards, kept, durable=True, since=since, sets=sets
        )

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
        for label, why in found.failures.items():
            self.flows[label].fail(error_of(why))
        self._recall(state)

    def _rows(self, found: HostedBatch) -> Iterator[QueryRows]:
        """The rows of each query; none of one that has failed. All that rules call comes with the first of them."""
        calls = pa.concat_tables(found.called) if found.called else None
        for label, flow in self.flows.items():
            rows = found.matches.get(label) if flow.failure is None else None
            written = found.written.get(label) if flow.failure is None else None
            own = calls if flow.firing is not None else None
            calls = None if own is not None else calls
            visible = flow.rows.none if rows is None else rows
            yield QueryRows(label, visible, calls=own, done=found.done.get(label, {}), written=written)

    def _counted(self, name: str, found: HostedBatch) -> CountedStream:
        count, read = found.streams.get(name, _NO_COUNTS), found.read.get(name, ())
        segment = found.segments.get(name, LogReport(name, None, 0, 0))
        malformed = sum(report.malformed for report in read)
        time = self._state.moments.get(name, (None, None))[0] if count.events else None
        tally = StreamTally(
            count.events, count.late, count.unusable - malformed, count.duplicates, count.unlinked, time
        )
        unreadable = [file for report in read for file in report.unreadable]
        said = {file for report in read if report.split.form == "collected" for file in report.unreadable}
        for file in (file for file in unreadable if file not in said):
            self._place.say(f"streams.{name}: {file.path} {file.complaint}; see its dead letters")
        files = [report.file for report in read if report.unusable]
        records = told_records(self._place.folder, name, files, unreadable)
        return CountedStream.of(tally, PreparedSegment(segment.path, segment.rows, segment.late), records)

    def _left_behind(self) -> list[str]:
        """The names of files that count no more: the batch before is durable; such segments are removed."""
        if isinstance(self._place.log, Path):  # in a bucket whoever opens the log removes them
            for path in self._place.log.glob(f"*/{HIDDEN}*"):
                if path.name < f"{HIDDEN}{self._state.batch:09}":
                    path.unlink(missing_ok=True)
        return left_behind(self._place.folder, self._state.batch, self._state.files)


def _are_alike(plan: HostingPlan, other: HostingPlan) -> bool:
    """Whether two plans say the same of the same queries."""
    said, said_there = ((p.shards, dict(p.kept), dict(p.since), dict(p.sets)) for p in (plan, other))
    queries, others = (list(map(id, p.registrations)) for p in (plan, other))
    return plan.catalog is other.catalog and queries == others and said == said_there


def _is_of(told: SetTold, sets: Mapping[str, ContextSet]) -> bool:
    """Whether what is told is of one of some sets, by name: another one may be called so by now."""
    return told.name in sets and sets[told.name].normal == told.text
