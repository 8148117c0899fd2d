"""A data flow whose batches are read, judged, logged and answered by tasks; it has numbers and the names of files.

Its state is where the shards have left theirs: a snapshot has that, and is what the manifest is of a sharded flow.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import cached_property
from itertools import count
from uuid import uuid4

from ...errors import KaicepError, PipelineError, error_of
from ...language.nodes import ContextSet
from ..catalog import Catalog
from ..durability import HOSTING
from ..flow import (
    Batch,
    BatchResult,
    BatchSource,
    Dataflow,
    Judgement,
    QueryRuntime,
    Registration,
    StreamMoments,
    no_identities,
)
from ..flow.answering import withhold
from ..flow.queries import continues, state_head
from ..sharding import (
    EarlierEvents,
    HostedBatch,
    HostingPlan,
    HostingState,
    SetTold,
    ShardedFlow,
    StreamCounts,
    Sweep,
    left_behind,
    state_of,
    state_text,
    units_of,
)
from .attempt_folders import AttemptFolders
from .batch_report import counted_stream, query_rows
from .catalog_flow import CatalogFlow
from .gathered_state import gathered, scattered_in, units_to_gather
from .registration_limits import DRIVER, refuse_joining
from .replayed_flow import ReplayedFlow
from .replayed_state import state_of_replay
from .split_batch import SplitBatch
from .split_times import newest_part
from .task_place import TaskPlace
from .told_query import ToldQuery

__all__ = ["DistributedFlow"]

_QUERY = "hosted/"


class DistributedFlow(CatalogFlow):
    """A data flow in tasks.

    Args:
        project: settings, knowledge, annotations.
        place: gives where they run, when that is needed.
    """

    runtime = ToldQuery

    def __init__(self, project: Catalog, place: Callable[[], TaskPlace]) -> None:
        super().__init__(project)
        self._project, self._placed = project, place
        self._state = HostingState("", 0)
        self._earlier = EarlierEvents()
        self._planned: tuple[object, HostingPlan] | None = None

    @cached_property
    def _place(self) -> TaskPlace:
        return self._placed()

    @cached_property
    def _attempts(self) -> AttemptFolders:
        return AttemptFolders(log for log in (self._place.log, self._place.matches) if log is not None)

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
        own = batch if isinstance(batch, SplitBatch) else SplitBatch()
        first = self._state.batch < batch.number
        gone = self._gone() if first else None  # what the snapshot names is there until the batch is done
        earlier = replace(EarlierEvents() if first else self._earlier, logged=own.logged)
        withhold(self.queries, [self.flows[one.label] for one in self._active])
        advances: dict[str, datetime] = {}

        def advance(counts: Mapping[str, StreamCounts], moments: StreamMoments) -> Mapping[str, datetime]:
            advances.update(self._advances(batch, counts, moments))
            return advances

        found, state = self._sharded().answer(
            batch.number,
            own.splits,
            advance,
            ends=batch.ends,
            log=self._place.log if own.last else None,
            targets=batch.targets,
            gone=gone,
            earlier=earlier,
            timed=batch.source is BatchSource.LIVE,
        )
        self._take(found, state)
        self._earlier = found.earlier
        self._attempts.note(found, first=first)
        if batch.ends:
            self._end()
        taken = {name for name, reports in found.read.items() if any(one.records or one.unreadable for one in reports)}
        names, place = sorted({*taken, *own.unreadable, *earlier.splits}), self._place
        streams = {name: counted_stream(name, found, state.moments, place.folder, place.say) for name in names}
        rows, idled = query_rows(self.flows, found), batch.idle is not None and batch.advances is None
        return BatchResult(streams, rows, found.watermarks, advances, batch.source, idled=idled)

    def _gone(self) -> Sweep:
        """What counts no more, now that the batch before is durable."""
        state = self._state
        files = left_behind(self._place.folder, state.batch, state.files)
        return Sweep(tuple(files), tuple(self._attempts), state.batch)

    def newest_of(self, batch: Batch) -> dict[str, datetime]:
        """By stream, the greatest time stamp of a batch that has not been processed; tasks read it for that."""
        splits = batch.splits if isinstance(batch, SplitBatch) else ()
        place = self._place
        moments = place.run(self._plan(), newest_part, splits, place.folder, f"{batch.number:09}-newest")
        found: dict[str, datetime] = {}
        for split, moment in zip(splits, moments, strict=True):
            if moment is not None:
                found[split.stream] = max(moment, found.get(split.stream, moment))
        return found

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
        return parts | {_QUERY + each.label: state_head(each.query, each.now) for each in known}

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


def _are_alike(plan: HostingPlan, other: HostingPlan) -> bool:
    """Whether two plans say the same of the same queries."""
    said, said_there = ((p.shards, dict(p.kept), dict(p.since), dict(p.sets)) for p in (plan, other))
    queries, others = (list(map(id, p.registrations)) for p in (plan, other))
    return plan.catalog is other.catalog and queries == others and said == said_there


def _is_of(told: SetTold, sets: Mapping[str, ContextSet]) -> bool:
    """Whether what is told is of one of some sets, by name: another one may be called so by now."""
    return told.name in sets and sets[told.name].normal == told.text
