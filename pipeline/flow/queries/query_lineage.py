"""Which streams and queries decide about which: who reads whose output, and who derives whose contexts."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from ....language.nodes import Query
from ..rules import EventTypes, RulePlace, event_types
from .context_runtime import ContextRuntime
from .query_components import Waiting
from .query_runtime import QueryRuntime
from .withdrawn_queries import WithdrawnQueries

__all__ = ["QueryLineage"]


class QueryLineage:
    """What follows from which queries and sets of contexts there are; as long as these are the same.

    Args:
        flows: the queries by label, each after those whose output it reads.
        contexts: by name, the sets of contexts that they speak of.
        withdrawn: the queries that were withdrawn and whose changes of contexts still count.
    """

    def __init__(
        self, flows: Mapping[str, QueryRuntime], contexts: Mapping[str, ContextRuntime], withdrawn: WithdrawnQueries
    ) -> None:
        self._flows, self._contexts, self._withdrawn = flows, contexts, withdrawn
        self._read = frozenset[str]().union(*(flow.streams for flow in flows.values()))
        self._places = {label: place for place, label in enumerate(flows)}
        read = (source.stream for flow in flows.values() for source in flow.query.sources)
        self._sources = frozenset(stream.name for stream in read if stream.event_type is not None)
        self._answering: dict[str, list[str]] = {}
        for label, flow in flows.items():
            for stream in flow.query.streams:
                self._answering.setdefault(stream, []).append(label)
        self._types: dict[str, EventTypes] = {}
        self._deriving: dict[str, list[str]] = {}

    def labels_of(self, stream: str) -> Sequence[str]:
        """The query whose output a stream is, or the rules that emit it; none: it is another stream."""
        return self._answering.get(stream, ())

    def is_source(self, stream: str) -> bool:
        """Whether a stream that queries read is one of the project's; rules may add to it."""
        return stream in self._sources

    def reads(self, stream: str | None) -> bool:
        """Whether a query reads a stream."""
        return stream in self._read

    def serves(self, flow: QueryRuntime) -> bool:
        """Whether a query's rows are needed by others: they read its output, or are in contexts that it derives."""
        return bool(flow.derives) or any(map(self.reads, flow.query.streams))

    def event_types(self, stream: str) -> EventTypes:
        """The columns of a stream, as those that read it know it."""
        if stream not in self._types:
            read = (s.stream for flow in self._flows.values() for s in flow.query.sources if s.stream.name == stream)
            self._types[stream] = event_types(read)
        return self._types[stream]

    def readers(self, flow: QueryRuntime) -> list[str]:
        """The queries that read what only one query gives; what others add to goes on without it."""
        own = {name for name in flow.query.streams if len(self._answering[name]) == 1 and not self.is_source(name)}
        return [label for label, other in self._flows.items() if own & other.streams and other is not flow]

    @property
    def emits(self) -> bool:
        """Whether a rule emits events."""
        return any(flow.firing is not None and flow.query.streams for flow in self._flows.values())

    def place_of(self, flow: QueryRuntime) -> RulePlace:
        """Where a rule stands among the registered queries."""
        behind = [self._places[label] for stream in flow.streams for label in self.labels_of(stream)]
        source = any(map(self.is_source, flow.streams))
        return RulePlace(self._places[flow.registration.label], -1 if source else min(behind, default=-1))

    def place_of_deriving(self, label: str) -> int:
        """Where a deriving query stands among the registered queries."""
        return self._places[label]

    def set_of(self, stream: str) -> str | None:
        """The set of contexts whose changes a stream is; `None`: it is another stream."""
        found = (name for name, contexts in self._contexts.items() if contexts.set.changes_stream == stream)
        return next(found, None)

    def deriving(self, name: str) -> list[str]:
        """The queries that change contexts of a set, in the order of their registration."""
        if name not in self._deriving:
            self._deriving[name] = [label for label, flow in self._flows.items() if name in flow.derives]
        return self._deriving[name]

    def origins(self, query: Query) -> set[str]:
        """The source streams that a query's events come from."""
        unknown = {each.changes_stream for each in query.context_sets if each.name not in self._contexts}
        read = {source.stream.name for source in query.sources} - unknown  # nobody has changed those yet
        return set[str]().union(*(self._origins_among(stream, set()) for stream in read))

    def _origins_among(self, stream: str, seen: set[str]) -> set[str]:
        """Those of a stream, without what was seen on the way: rules may emit what their own rows come from."""
        if stream in seen:
            return set()
        seen = {*seen, stream}
        upstream = [self._flows[label].streams for label in self.labels_of(stream)]
        if upstream:
            found = (self._origins_among(other, seen) for streams in upstream for other in streams)
            return ({stream} if self.is_source(stream) else set[str]()).union(*found)
        changes = self.set_of(stream) if self._contexts else None
        if changes is None:
            return {stream}
        live = [s.stream.name for label in self.deriving(changes) for s in self._flows[label].query.sources]
        behind = [*live, *self._withdrawn.streams(changes)]
        return set[str]().union(*(self._origins_among(other, seen) for other in behind))

    def awaited(self, label: str) -> set[str]:
        """The source streams that say how far a query can be answered: its own, and those behind its contexts."""
        return set().union(*(self.origins(self._flows[other].query) for other in self.closed([label])))

    def together(self, labels: Sequence[str]) -> list[str]:
        """Queries and all that decide about their rows and about the contexts that they derive; as `closed`."""
        found, before = self.closed(labels), 0
        while len(found) > before:
            before = len(found)
            sets = {name for label in found for name in self._flows[label].derives}
            found = self.closed([*found, *(label for label, flow in self._flows.items() if flow.derives & sets)])
        return found

    def closed(self, labels: Sequence[str]) -> list[str]:
        """Queries and all whose output they read or that derive their contexts, directly or not.

        In the order of their registration.
        """
        found: set[str] = set()
        ahead = list(labels)
        while ahead:
            label = ahead.pop()
            if label not in found:
                found.add(label)
                ahead += self.before(self._flows[label].query)
        return [label for label in self._flows if label in found]

    def waits(self, query: Query) -> list[Waiting]:
        """What a query waits for: the queries whose output it reads, and its sets of contexts."""
        read = [label for source in query.sources for label in self.labels_of(source.stream.name)]
        sets = self.sets_before(query)
        return [*(Waiting(label, is_set=False) for label in read), *(Waiting(name, is_set=True) for name in sets)]

    def sets_before(self, query: Query) -> list[str]:
        """The sets that a query waits for: it is in their contexts, or reads their changes."""
        changes = (self.set_of(source.stream.name) for source in query.sources) if self._contexts else ()
        within = () if query.in_context is None else query.in_context.sets
        return list(dict.fromkeys([*within, *(name for name in changes if name is not None)]))

    def before(self, query: Query) -> list[str]:
        """The queries whose output a query reads, and those that derive its contexts."""
        read = [label for source in query.sources for label in self.labels_of(source.stream.name)]
        sets = self.sets_before(query)
        return list(dict.fromkeys([*read, *(label for name in sets for label in self.deriving(name))]))

    def levels(self, suspended: Collection[str] = ()) -> list[list[str]]:
        """Labels by depth: a query stands in a later level than those whose output it reads; suspended ones nowhere."""
        depth: dict[str, int] = {}
        for label, flow in self._flows.items():
            read = [depth[other] for stream in flow.streams for other in self.labels_of(stream)]
            depth[label] = 1 + max(read, default=-1)
        live = {label: level for label, level in depth.items() if label not in suspended}
        return [[n for n, d in live.items() if d == level] for level in sorted(set(live.values()))]
