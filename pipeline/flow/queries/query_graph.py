"""The registered queries of a data flow: which reads the output of which, and which sets of contexts they speak of."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime
from hashlib import sha256

from ....cep import END_OF_TIME
from ....cep.order import SharedEvents
from ....errors import PipelineError
from ....language.nodes import ContextSet, Query
from ....planner import Range, Watermarks, resolve_bounds
from ....semfilter.runtime import SubqueryStatistics
from .candidates import Asked, FilterGraph
from .context_runtime import ContextRuntime
from .intake import HeldEvents
from .query_components import QueryComponent, Waiting, components_of
from .query_lineage import QueryLineage
from .query_runtime import QueryRuntime
from .registration import Registration, Withdrawal
from .withdrawn_queries import WithdrawnQueries, involved

__all__ = ["QueryGraph"]

_CONTEXTS, _HELD, _HOLDERS = "contexts/", "held/", "holders"


class QueryGraph:
    """Queries by label, each after those whose output it reads.

    Attributes:
        suspended: labels of the queries that are given nothing for now.
        contexts: by name, the sets of contexts that the queries speak of.
        remembers: windows of contexts are not forgotten: another data flow, whose queries are behind, may adopt them.
        withdrawn: the queries that were withdrawn and whose changes of contexts still count.
        changed_until: by label, the moment before which the changes of each deriving query are known, as noted last.
        shared_events: what operators keep of the same events.
        lineage: which of the queries and streams decide about which; another one with every change.
        changed_since: by label, that before which they count for nothing: what holds was known when it was registered.
    """

    def __init__(self) -> None:
        self.suspended: set[str] = set()
        self.contexts: dict[str, ContextRuntime] = {}
        self.remembers = False
        self.withdrawn = WithdrawnQueries()
        self.changed_until: dict[str, datetime] = {}
        self.changed_since: dict[str, datetime] = {}
        self.shared_events = SharedEvents()
        self._flows: dict[str, QueryRuntime] = {}
        self._filter_graphs: dict[str, tuple[list[tuple[Asked, ...]], FilterGraph]] = {}
        self._components: tuple[frozenset[str], list[QueryComponent]] | None = None
        self.lineage = QueryLineage(self._flows, self.contexts, self.withdrawn)

    def _changed(self) -> None:
        """Find out again what follows from which queries and sets there are, and is asked with every batch."""
        self._components = None
        self.lineage = QueryLineage(self._flows, self.contexts, self.withdrawn)
        self._share_columns()
        if len(self._flows) > 1:
            for flow in self._flows.values():
                flow.share(self.shared_events)
        looked_at = {stream for flow in self._flows.values() if flow.firing is not None for stream in flow.streams}
        for flow in self._flows.values():
            flow.rows.is_ordered = flow.query.name in looked_at
        self._tell_samples()

    def _tell_samples(self) -> None:
        """Let each query know of the samples that its rows go back to: its own, and those of who decides about them."""
        own = {label: flow.intake.shed.share for label, flow in self._flows.items() if flow.intake.shed is not None}
        before = {label: self.lineage.before(flow.query) for label, flow in self._flows.items()} if own else {}
        shares, known = own, None
        while shares != known:
            known, shares = shares, dict(shares)
            for label, others in before.items():
                behind = [shares[other] for other in (label, *others) if other in shares]
                if behind:
                    shares[label] = min(behind)
        for label, flow in self._flows.items():
            if flow.rows.sampled != shares.get(label) or flow.firing is not None:
                flow.rows.be_sampled(shares.get(label))

    def _share_columns(self) -> None:
        """Let queries in contexts of the same sets keep the same columns of events: then these are placed once."""
        alike: dict[tuple[str, ...], list[QueryRuntime]] = {}
        for flow in self._flows.values():
            if flow.query.in_context is not None:
                alike.setdefault(flow.query.in_context.sets, []).append(flow)
        for flows in alike.values():
            read: dict[str, set[str]] = {}
            for stream, names in (of for flow in flows for of in flow.input.read_of.items()):
                read.setdefault(stream, set()).update(names)
            for flow in flows:
                flow.input.read_of = {stream: sorted(read[stream]) for stream in flow.input.read_of}

    @property
    def flows(self) -> Mapping[str, QueryRuntime]:
        """The queries by label, in the order of their registration."""
        return self._flows

    @property
    def subqueries(self) -> dict[str, tuple[SubqueryStatistics, ...]]:
        """By label, what each PATH of a query has cost; queries without PATHs left out."""
        live = ((label, flow) for label, flow in self._flows.items() if flow.registration.withdrawal is None)
        return {label: flow.subqueries for label, flow in live if flow.subqueries}

    def due(self, watermarks: Watermarks) -> dict[str, datetime]:
        """The source streams that queries wait for: the next watermark of each that may bring rows without events."""
        due: dict[str, datetime] = {}
        for label, flow in self._flows.items():
            moment = flow.due
            if moment is None or label in self.suspended:
                continue
            origins = self.lineage.awaited(label) if self.contexts else self.lineage.origins(flow.query)
            behind = {name for name in origins if (w := watermarks[name]) is None or w < moment}
            for name in behind or origins:
                due[name] = min(moment, due.get(name, moment))
        return due

    def add(self, flow: QueryRuntime) -> None:
        """Take in a query.

        Raises:
            PipelineError: the label is taken.
        """
        label = flow.registration.label
        if label in self._flows:
            raise PipelineError(
                f"a query named '{label}' is registered already",
                hint="stop it first, or give the new one another name with CREATE QUERY … AS",
            )
        self._take_in_contexts(flow)
        self._flows[label] = flow
        self._changed()

    def _take_in_contexts(self, flow: QueryRuntime) -> None:
        """Begin the sets of contexts that no query has spoken of before."""
        for each in flow.query.context_sets:
            known = self.contexts.get(each.name)
            if known is not None and known.set.normal != each.normal:
                raise PipelineError(
                    f"'{flow.registration.label}' speaks of another set of contexts '{each.name}'",
                    hint="stop the queries that speak of it, or give the new set another name",
                )
        for each in flow.query.context_sets:
            if each.name not in self.contexts:
                self.begin_contexts(each, self.withdrawn.registered(each.name, flow.registration.now))
        flow.contexts = self.contexts

    def begin_contexts(self, contexts: ContextSet, now: datetime | None) -> None:
        """Begin a set of contexts; `now` is the moment at which it is registered."""
        self.contexts[contexts.name] = ContextRuntime(contexts, now, resolve_bounds(contexts.bounds, now))
        self._changed()

    def change_bounds(self, registration: Registration) -> Range | None:
        """What the WITHIN of a set means for a query that derives it; `None`: the query derives none."""
        query = registration.query
        if query.change is None:
            return None
        name = query.change.context.set
        if name in self.contexts:
            return self.contexts[name].within
        (contexts,) = (each for each in query.context_sets if each.name == name)
        return resolve_bounds(contexts.bounds, self.withdrawn.registered(name, registration.now))

    def taken(self) -> Callable[[], dict[str, bytes]]:
        """Gives the sets of contexts, and the events that queries in them hold, by name, as they are now.

        From any thread; what is held alike stands once.
        """
        contexts = {_CONTEXTS + name: contexts.snapshot() for name, contexts in self.contexts.items()}
        flows = [(label, flow) for label, flow in self._flows.items() if label not in self.suspended]
        held = {label: flow.intake.held.copy() for label, flow in flows if flow.intake.held and flow.failure is None}
        return lambda: contexts | _held(held)

    def restore_contexts(self, state: Mapping[str, bytes], queries: Iterable[Query]) -> None:
        """Go on with the sets of a snapshot that queries speak of; before these are registered."""
        for each in (each for query in queries for each in query.context_sets):
            known = state.get(_CONTEXTS + each.name)
            found = None if known is None else ContextRuntime.restored(each, known)
            if found is not None:
                self.contexts.setdefault(each.name, found)
        self._changed()

    def restore_held(self, state: Mapping[str, bytes], known_as: Mapping[str, str]) -> None:
        """Let queries hold the events that they held when a snapshot was taken; what is held alike is there once.

        Args:
            state: the snapshot.
            known_as: by label, what a query is called there.
        """
        names = json.loads(state.get(_HOLDERS, b"{}"))
        parts: dict[str, HeldEvents] = {}
        for label, known in known_as.items():
            if known in names:
                name = names[known]
                if name not in parts:
                    parts[name] = HeldEvents()
                    parts[name].restore(state[name])
                self._flows[label].intake.held.keep(parts[name])

    def replace(self, flow: QueryRuntime) -> None:
        """Go on with another state of a query; it is suspended no more."""
        self._take_in_contexts(flow)
        self._flows[flow.registration.label] = flow
        self.suspended.discard(flow.registration.label)
        self._changed()

    def remove(self, label: str) -> None:
        """Drop a query.

        Raises:
            PipelineError: no such query, or another one reads its output.
        """
        flow = self._flows.get(label)
        if flow is None:
            raise PipelineError(f"no query is called '{label}'", hint=f"registered: {', '.join(self._flows) or 'none'}")
        readers = self.lineage.readers(flow)
        if readers:
            raise PipelineError(f"'{label}' is read by {', '.join(readers)}", hint="stop the readers first")
        del self._flows[label]
        self.suspended.discard(label)
        self.drop_contexts()

    def withdraw(self, label: str, batch: int) -> None:
        """Drop a query for good; what it has changed of contexts stays, and is noted while anybody needs it.

        Args:
            label: its.
            batch: the first that it is not answered for.

        Raises:
            PipelineError: no such query, or another one reads its output.
        """
        flow, labels = self._flows.get(label), list(self._flows)
        until, since = self.changed_until.pop(label, None), self.changed_since.pop(label, None)
        sets = {} if flow is None else {each.name: self.contexts[each.name].now for each in flow.query.context_sets}
        self.remove(label)
        changed = flow is not None and bool(flow.derives) and until is not None
        if flow is not None and (changed or self.withdrawn.read(flow.query.name)):
            place = labels.index(label)
            self.withdrawn.add(flow.registration, Withdrawal(label, batch, until, place, since, sets))
        self.withdrawn.retain(self.contexts)

    def note_changes(self, watermarks: Watermarks, resuming: Collection[str] = ()) -> None:
        """Note how far the changes of deriving queries are known; those that are given nothing stand.

        Args:
            watermarks: of the source streams.
            resuming: labels of those that are suspended and catch up: they count as far as they will have by then.
        """
        for label, flow in self._flows.items():
            passed = None
            if flow.derives and label in resuming:
                passed = _lowest([watermarks[stream] for stream in self.lineage.awaited(label)])
            elif flow.derives and flow.failure is None and label not in self.suspended:
                passed = flow.row_watermark(flow.watermark)
            if passed is not None:
                self.changed_until[label] = passed

    def known_before(self, query: Query, watermarks: Watermarks) -> datetime | None:
        """How far the set is known that a query would change which is not registered yet; `None`: nobody speaks of it.

        Args:
            query: it.
            watermarks: of the source streams.
        """
        known = [self._known_before(name, watermarks) for name in query.changed_sets if name in self.contexts]
        return _lowest(known) if known else None

    def _known_before(self, name: str, watermarks: Watermarks) -> datetime | None:
        if self.is_followed(name):
            return self.contexts[name].known
        behind = [self.lineage.awaited(label) for label in self.lineage.deriving(name)]  # they catch up
        if not behind:
            return max((w for w in watermarks.values() if w is not None), default=None)
        return _lowest([watermarks[stream] for streams in behind for stream in streams])

    def note_since(self, label: str, known: datetime | None) -> None:
        """Note from when on the changes count of a deriving query that was just registered; `None`: all do."""
        self.changed_since.pop(label, None)
        if known is not None:
            self.changed_since[label] = known

    def drop_passed(self) -> bool:
        """Drop the withdrawn queries whose changes are all known; tell whether there were some."""
        passed = [label for label, flow in self._flows.items() if flow.withdrawn]
        for label in reversed(passed):
            self.remove(label)
        return bool(passed)

    def rehearsed(self, labels: Sequence[str], last: int | None, *, restored: bool) -> list[Registration]:
        """The queries with which the past of some is answered: all that decide about their rows and their contexts.

        Args:
            labels: theirs.
            last: the batch at whose end the past lies; `None`: there is no past.
            restored: see `WithdrawnQueries.among`.
        """
        registered = [flow.registration for flow in self._flows.values()]
        every = registered if last is None else self.withdrawn.among(registered, last, restored=restored)
        return involved(every, labels)

    def involved(self, label: str) -> list[Registration]:
        """A query and all that decide about its rows and about the contexts that it derives, as they are registered."""
        return involved([flow.registration for flow in self._flows.values()], [label])

    def begin_contexts_of(self, registrations: Iterable[Registration], others: QueryGraph) -> None:
        """Begin the sets that queries speak of, at the moments at which another data flow has."""
        sets = {each.name: each for registration in registrations for each in registration.query.context_sets}
        known = {name: others.contexts[name].now for name in sets if name in others.contexts}
        self.begin_contexts_at(sets.values(), {name: others.withdrawn.registered(name, None) for name in sets} | known)

    def begin_contexts_at(self, sets: Iterable[ContextSet], moments: Mapping[str, datetime | None]) -> None:
        """Begin those of some sets that have not begun, at the moments of their registration as far as these are said.

        Args:
            sets: of contexts.
            moments: by name.
        """
        for each in sets:
            if each.name not in self.contexts and each.name in moments:
                self.begin_contexts(each, moments[each.name])

    def drop_contexts(self) -> None:
        """Drop the sets of contexts that no query speaks of."""
        spoken_of = {each.name for flow in self._flows.values() for each in flow.query.context_sets}
        for name in self.contexts.keys() - spoken_of:
            del self.contexts[name]
        self._changed()

    def is_followed(self, name: str, besides: str = "") -> bool:
        """Whether a query speaks of a set of contexts that is not suspended: where none does, it stays as it is.

        Args:
            name: of the set.
            besides: the label of one that is not asked.
        """
        live = (flow for label, flow in self._flows.items() if label not in self.suspended and label != besides)
        return any(name in _sets_of(flow.query) for flow in live)

    def adopt_contexts(self, label: str, others: Mapping[str, ContextRuntime]) -> None:
        """Go on with the sets of another data flow that a query speaks of which was suspended until now.

        Those that other queries go on with are right already if they are known further than there. Where both are
        known as far, changes may wait that were offered there alone, while the query was suspended here.
        """
        for each in self._flows[label].query.context_sets:
            own, other = self.contexts[each.name].known, others[each.name].known
            as_far = own is None or (other is not None and own <= other)
            if as_far or not self.is_followed(each.name, besides=label):
                self.contexts[each.name] = others[each.name]

    @property
    def failed(self) -> bool:
        """Whether a query has failed that is not suspended yet."""
        return any(flow.failure is not None and label not in self.suspended for label, flow in self._flows.items())

    def check(self, label: str) -> None:
        """Raise what a query has failed with, or one whose output it reads.

        Raises:
            KaicepError: that.
        """
        for other in self.lineage.closed([label]):
            failure = self._flows[other].failure
            if failure is not None:
                raise failure

    def cause_of(self, query: Query) -> str | None:
        """The query whose output a query reads, directly, or that derives contexts of it, and that has failed.

        `None`: none has.
        """
        return next((other for other in self.lineage.before(query) if self._flows[other].failure is not None), None)

    def components(self) -> list[QueryComponent]:
        """What is answered together, each after what it waits for; no suspended queries."""
        if self._components is not None and self._components[0] == self.suspended:
            return self._components[1]
        live = [(label, flow.query) for label, flow in self._flows.items() if label not in self.suspended]
        waits = {Waiting(label, is_set=False): self.lineage.waits(query) for label, query in live}
        for name in filter(self.is_followed, self.contexts):
            waits[Waiting(name, is_set=True)] = [Waiting(label, is_set=False) for label in self.lineage.deriving(name)]
        self._components = frozenset(self.suspended), components_of(waits)
        return self._components[1]

    def filter_graph(self, stream: str) -> FilterGraph:
        """What all queries ask of the events of a stream that may be found together; the same until they change."""
        live = [
            flow.asked(stream)
            for label, flow in self._flows.items()
            if flow.failure is None and label not in self.suspended
        ]
        known = self._filter_graphs.get(stream)
        if known is None or known[0] != live:
            known = self._filter_graphs[stream] = live, FilterGraph(asked for of in live for asked in of)
        return known[1]

    def forget_windows(self) -> None:
        """Forget the windows of contexts that ended before all that any query may still ask."""
        for name, contexts in self.contexts.items() if not self.remembers else ():
            live = (flow for label, flow in self._flows.items() if label not in self.suspended)
            users = [flow for flow in live if name in _sets_of(flow.query)]
            passed = _lowest([contexts.known, *(flow.watermark for flow in users)])
            if passed is not None:
                contexts.forget(passed)

    def known_contexts(self, name: str, watermarks: Watermarks) -> datetime | None:
        """How far the changes of a set are known: as far as its deriving queries have been answered.

        `None`: nothing is known yet. One that has ended changes nothing any more; where none is left, as far as any
        stream is, and no further: a query that is registered later may go on changing it.
        """
        flows = [self._flows[label] for label in self.lineage.deriving(name)]
        moments = [self._changed_to(flow) for flow in flows if flow.failure is not None or not flow.ended]
        return _lowest(moments) if moments else max((w for w in watermarks.values() if w is not None), default=None)

    def _changed_to(self, flow: QueryRuntime) -> datetime | None:
        """How far the changes of a query are known: those before it was registered count for nothing."""
        passed, since = flow.row_watermark(flow.watermark), self.changed_since.get(flow.registration.label)
        return passed if since is None else max(passed or since, since)

    def known_to(self, component: QueryComponent, watermarks: Watermarks) -> datetime | None:
        """How far queries in contexts that they derive can be answered; `None`: not yet."""
        moments: list[datetime | None] = [END_OF_TIME]
        flows = [self._flows[label] for label in component.labels]
        own = {name for flow in flows for name in flow.query.streams if not self.lineage.is_source(name)}
        names = {name for name in own if set(self.lineage.labels_of(name)) <= set(component.labels)}
        for flow in flows:
            moments += [watermarks[stream] for stream in flow.streams - names]
            moments += [self.contexts[s].known for s in self.lineage.sets_before(flow.query) if s not in component.sets]
        for name in component.sets:
            others = [self._flows[label] for label in self.lineage.deriving(name) if label not in component.labels]
            moments += [self._changed_to(flow) for flow in others if not flow.ended]
        return _lowest(moments)


def _sets_of(query: Query) -> set[str]:
    """The names of the sets that a query speaks of."""
    return {each.name for each in query.context_sets}


def _lowest(moments: Sequence[datetime | None]) -> datetime | None:
    """The first of moments; `None` where one is not known."""
    known = [moment for moment in moments if moment is not None]
    return min(known) if len(known) == len(moments) else None


def _held(by_label: Mapping[str, HeldEvents]) -> dict[str, bytes]:
    """What queries hold, each once under its own name, and who holds what."""
    parts: dict[tuple[int, ...], bytes] = {}
    states: dict[str, bytes] = {}
    holders: dict[str, str] = {}
    for label, held in by_label.items():
        alike = tuple(map(id, held.batches))
        if alike not in parts:
            parts[alike] = held.snapshot()
        name = _HELD + sha256(parts[alike]).hexdigest()[:32]
        states[name], holders[label] = parts[alike], name
    return states | ({_HOLDERS: json.dumps(holders).encode()} if holders else {})
