"""The registered queries of a data flow, and which of them reads the output of which."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from ....errors import PipelineError
from ....language.nodes import Query
from ....planner import Watermarks
from ....semfilter.runtime import SubqueryStatistics
from .query_runtime import QueryRuntime

__all__ = ["QueryGraph"]


class QueryGraph:
    """Queries by label, each after those whose output it reads.

    Attributes:
        suspended: labels of the queries that are given nothing for now.
    """

    def __init__(self) -> None:
        self.suspended: set[str] = set()
        self._flows: dict[str, QueryRuntime] = {}
        self._label_of: dict[str, str] = {}

    @property
    def flows(self) -> Mapping[str, QueryRuntime]:
        """The queries by label, in the order of their registration."""
        return self._flows

    @property
    def subqueries(self) -> dict[str, tuple[SubqueryStatistics, ...]]:
        """By label, what each PATH of a query has cost; queries without PATHs left out."""
        return {label: flow.subqueries for label, flow in self._flows.items() if flow.subqueries}

    def due(self, watermarks: Watermarks) -> dict[str, datetime]:
        """The source streams that queries wait for: the next watermark of each that may bring rows without events."""
        due: dict[str, datetime] = {}
        for label, flow in self._flows.items():
            moment = flow.due
            if moment is None or label in self.suspended:
                continue
            origins = self.origins(flow.query)
            behind = {name for name in origins if (w := watermarks[name]) is None or w < moment}
            for name in behind or origins:
                due[name] = min(moment, due.get(name, moment))
        return due

    def add(self, flow: QueryRuntime) -> None:
        """Take in a query.

        Raises:
            PipelineError: the label is taken.
        """
        label, name = flow.registration.label, flow.query.name
        if label in self._flows:
            raise PipelineError(
                f"a query named '{label}' is registered already",
                hint="stop it first, or give the new one another name with CREATE QUERY … AS",
            )
        self._flows[label] = flow
        if name is not None:
            self._label_of[name] = label

    def replace(self, flow: QueryRuntime) -> None:
        """Go on with another state of a query; it is suspended no more."""
        self._flows[flow.registration.label] = flow
        self.suspended.discard(flow.registration.label)

    def remove(self, label: str) -> None:
        """Drop a query.

        Raises:
            PipelineError: no such query, or another one reads its output.
        """
        flow = self._flows.get(label)
        if flow is None:
            raise PipelineError(f"no query is called '{label}'", hint=f"registered: {', '.join(self._flows) or 'none'}")
        readers = [other for other, f in self._flows.items() if flow.query.name in f.streams]
        if readers:
            raise PipelineError(f"'{label}' is read by {', '.join(readers)}", hint="stop the readers first")
        del self._flows[label]
        self.suspended.discard(label)
        if flow.query.name is not None:
            del self._label_of[flow.query.name]

    @property
    def failed(self) -> bool:
        """Whether a query has failed that is not suspended yet."""
        return any(flow.failure is not None and label not in self.suspended for label, flow in self._flows.items())

    def check(self, label: str) -> None:
        """Raise what a query has failed with, or one whose output it reads.

        Raises:
            KaicepError: that.
        """
        for other in self.closed([label]):
            failure = self._flows[other].failure
            if failure is not None:
                raise failure

    def cause_of(self, query: Query) -> str | None:
        """The query whose output a query reads, directly, and that has failed; `None`: none has."""
        read = (self.label_of(source.stream.name) for source in query.sources)
        return next((other for other in read if other is not None and self._flows[other].failure is not None), None)

    def label_of(self, stream: str) -> str | None:
        """The query whose output a stream is; `None`: it is a source stream."""
        return self._label_of.get(stream)

    def origins(self, query: Query) -> set[str]:
        """The source streams that a query's events come from."""
        origins: set[str] = set()
        for source in query.sources:
            name = source.stream.name
            upstream = self._label_of.get(name)
            origins |= {name} if upstream is None else self.origins(self._flows[upstream].query)
        return origins

    def closed(self, labels: Sequence[str]) -> list[str]:
        """Queries and all whose output they read, directly or not, in the order of their registration."""
        found = {u for label in labels for u in [label, *self._upstream(self._flows[label].query)]}
        return [label for label in self._flows if label in found]

    def levels(self) -> list[list[str]]:
        """Labels by depth: a query stands in a later level than those whose output it reads; no suspended ones."""
        depth: dict[str, int] = {}
        for label, flow in self._flows.items():
            read = [depth[self._label_of[s]] for s in flow.streams if s in self._label_of]
            depth[label] = 1 + max(read, default=-1)
        live = {label: level for label, level in depth.items() if label not in self.suspended}
        return [[n for n, d in live.items() if d == level] for level in sorted(set(live.values()))]

    def _upstream(self, query: Query) -> set[str]:
        direct = [self._label_of[s.stream.name] for s in query.sources if s.stream.name in self._label_of]
        return {label for d in direct for label in [d, *self._upstream(self._flows[d].query)]}
