"""The data path without Spark: raw tuples of every stream in, archived events and matches out, batch by batch.

`Project.evaluate` and the Spark engine run the same object; only what surrounds it differs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from types import MappingProxyType

import pyarrow as pa

from ...annotator import Annotated, Annotator, EventShape, event_shape
from ...cep import END_OF_TIME
from ...cep.nfa import Limits
from ...errors import CeilingError
from ...language.nodes import Query, StreamType
from ...ontology import KnowledgeBase
from ...planner import BackfillChunk
from ...semfilter import SemanticFilter
from ...semfilter.runtime import FilterOptions, SubqueryStatistics
from .admission import Admission
from .batch_result import BatchResult, Past, StreamResult
from .candidate_selection import EventBatch
from .query_graph import QueryGraph
from .query_runtime import QueryRuntime, Registration, continues

_STREAM = "stream/"
_QUERY = "query/"


class Dataflow:
    """Source streams, registered queries, and the order between them.

    Args:
        annotators: by stream name; every source stream has one.
        lateness: by stream name, how far an event may lie behind the greatest time stamp before it.
        knowledge: the knowledge base that PATHs are evaluated against.
        options: how PATHs are evaluated.
        workers: queries that are evaluated at the same time.
        limits: how much each query may take.
        isolated: a query that takes more is stopped, and the others go on; otherwise its error is raised.
    """

    def __init__(
        self,
        annotators: Mapping[str, Annotator],
        lateness: Mapping[str, timedelta],
        knowledge: KnowledgeBase,
        options: FilterOptions,
        workers: int = 1,
        *,
        limits: Limits | None = None,
        isolated: bool = False,
    ) -> None:
        self._limits, self._isolated = limits, isolated
        self.annotators = annotators
        self._knowledge = knowledge
        self._options = options
        self._lateness = lateness
        self._admissions = {name: admission_of(a, lateness[name]) for name, a in annotators.items()}
        self._queries = QueryGraph()
        self._pool = ThreadPoolExecutor(workers) if workers > 1 else None

    @property
    def knowledge(self) -> KnowledgeBase:
        """What PATHs are evaluated against."""
        return self._knowledge

    @property
    def watermarks(self) -> dict[str, datetime | None]:
        """By stream, what no event that is admitted from now on lies below."""
        return {name: admission.watermark for name, admission in self._admissions.items()}

    @property
    def flows(self) -> Mapping[str, QueryRuntime]:
        """The registered queries by label, each after those whose output it reads."""
        return self._queries.flows

    @property
    def subqueries(self) -> dict[str, tuple[SubqueryStatistics, ...]]:
        """By query label, what each of its PATHs has cost; queries without PATHs left out."""
        return {label: flow.subqueries for label, flow in self.flows.items() if flow.subqueries}

    def now(self, query: Query) -> datetime | None:
        """The greatest time stamp that the query's streams have delivered so far."""
        moments = [self._admissions[s].greatest for s in self._queries.origins(query)]
        return max((m for m in moments if m is not None), default=None)

    def origins(self, query: Query) -> set[str]:
        """The source streams that a query's events come from."""
        return self._queries.origins(query)

    def judge_by(
        self,
        annotators: Mapping[str, Annotator],
        knowledge: KnowledgeBase,
        filters: Mapping[tuple[str, str], SemanticFilter] | None = None,
    ) -> None:
        """Judge what comes from now on by other knowledge; what waits in operators stays as it was judged.

        Args:
            annotators: by stream name, compiled against the knowledge.
            knowledge: for PATHs.
            filters: (label, event variable) → semantic filter over it, where there is one; the others are compiled now.
        """
        self.annotators = annotators
        self._knowledge = knowledge
        for label, flow in self.flows.items():
            flow.judge_by({v: f for (of, v), f in (filters or {}).items() if of == label}, self.shape, knowledge)

    def register(self, registration: Registration) -> None:
        """Begin to answer a query with the next batch.

        Raises:
            PipelineError: the label is taken.
        """
        flow = QueryRuntime(registration, self.shape, self._knowledge, self._options, self._limits)
        self._queries.add(flow)

    def rehearsal(self, labels: Sequence[str]) -> Dataflow:
        """A data flow of registered queries and those whose output they read, none of which has seen an event.

        Its streams are where those of this data flow are.
        """
        copy = Dataflow(
            self.annotators,
            self._lateness,
            self._knowledge,
            self._options,
            limits=self._limits,
            isolated=self._isolated,
        )
        for label in self._queries.closed(labels):
            copy.register(self.flows[label].registration)
        for name, admission in self._admissions.items():
            copy._admissions[name].restore(admission.snapshot())
        return copy

    def adopt(self, label: str, rehearsed: Dataflow) -> None:
        """Go on with a query where another data flow is with it."""
        self._queries.replace(rehearsed.flows[label])

    def suspend(self, label: str) -> None:
        """Give a query nothing, until it is adopted from another data flow; no snapshot holds it."""
        self._queries.suspended.add(label)

    @property
    def suspended(self) -> frozenset[str]:
        """The queries that are given nothing."""
        return frozenset(self._queries.suspended)

    def remove(self, label: str) -> None:
        """Stop answering a query; its state is dropped.

        Raises:
            PipelineError: no such query, or another one reads its output.
        """
        self._queries.remove(label)

    def process(self, raw: Mapping[str, pa.Table]) -> BatchResult:
        """Take one batch of raw tuples per stream, in order of arrival, and give what became certain."""
        streams = self.admit(raw)
        return BatchResult(streams, dict(self.answer(streams)))

    def admit(self, raw: Mapping[str, pa.Table]) -> dict[str, StreamResult]:
        """The first half of `process`: annotate tuples and tell those that count."""
        return self.accept(self.annotate(raw))

    def annotate(self, raw: Mapping[str, pa.Table]) -> dict[str, Annotated]:
        """Annotate tuples by the knowledge in force."""
        return {name: self.annotators[name].annotate(table) for name, table in raw.items()}

    def accept(self, annotated: Mapping[str, Annotated]) -> dict[str, StreamResult]:
        """Tell those that count among tuples that are annotated already."""
        return {name: self._admit(name, batch) for name, batch in annotated.items()}

    def answer(self, streams: Mapping[str, StreamResult]) -> Iterator[tuple[str, pa.Table]]:
        """The second half of `process`: label and rows of each query, as they come; to be taken to the end."""
        return self._answer({name: step.events for name, step in streams.items()}, self.watermarks)

    def replay(self, past: Past) -> BatchResult:
        """`process` for events that are annotated already, late ones among them, in order of arrival."""
        if past.knowledge is not self._knowledge:
            self.judge_by(past.annotators, past.knowledge)
        streams = self.accept({name: Annotated.again(table) for name, table in past.events.items()})
        self.advance(past.advances)
        return BatchResult(streams, dict(self.answer(streams)))

    def take(self, part: BackfillChunk) -> dict[str, pa.Table]:
        """The rows of each query by label for a piece of the past, whose events were admitted when they came."""
        if part.matches is None and not part.primes:
            return dict(self._answer(part.events, dict(part.watermarks), part.candidates))
        rows = {}
        for label, flow in self.flows.items():
            watermark = flow.watermark_of(part.watermarks)
            if part.primes:
                flow.prime({name: EventBatch(table) for name, table in part.events.items()}, watermark)
            elif part.matches is not None:
                rows[label] = flow.visible(flow.report(part.matches, watermark))
        return rows

    @property
    def begun(self) -> frozenset[str]:
        """The source streams that have delivered an event."""
        return frozenset(name for name, admission in self._admissions.items() if admission.greatest is not None)

    @property
    def due(self) -> dict[str, datetime]:
        """The source streams that queries wait for: the next watermark of each that may bring rows without events."""
        watermarks = self.watermarks
        due: dict[str, datetime] = {}
        for label, flow in self.flows.items():
            moment = flow.due
            if moment is None or label in self.suspended:
                continue
            origins = self.origins(flow.query)
            behind = {name for name in origins if (w := watermarks[name]) is None or w < moment}
            for name in behind or origins:
                due[name] = min(moment, due.get(name, moment))
        return due

    def advance(self, watermarks: Mapping[str, datetime]) -> None:
        """Move the watermarks of source streams that have been silent; whatever comes below them is late."""
        for name, watermark in watermarks.items():
            self._admissions[name].advance(watermark)

    def finish(self) -> BatchResult:
        """End every stream: the watermark passes everything, and whatever comes later is late."""
        for admission in self._admissions.values():
            admission.end()
        return BatchResult({}, dict(self._answer({}, dict.fromkeys(self._admissions, END_OF_TIME))))

    def snapshot(self) -> dict[str, bytes]:
        """The state of every stream and query, by name, for `restore`."""
        streams = {_STREAM + name: admission.snapshot() for name, admission in self._admissions.items()}
        flows = {label: flow for label, flow in self.flows.items() if label not in self.suspended}
        return streams | {_QUERY + label: flow.snapshot() for label, flow in flows.items()}

    def restore(self, state: Mapping[str, bytes], queries: Iterable[Registration]) -> list[Registration]:
        """Go on from a snapshot with those of the queries that it holds.

        Returns:
            The queries that it does not hold, or holds as another text: they are not registered.

        Raises:
            OperatorError: a part of the snapshot is of another version.
        """
        for name, admission in self._admissions.items():
            if _STREAM + name in state:
                admission.restore(state[_STREAM + name])
        unknown: list[Registration] = []
        for query in queries:
            known = state.get(_QUERY + query.label)
            registration = None if known is None else continues(known, query)
            changed = {other.query.name for other in unknown} & {s.stream.name for s in query.query.sources}
            if known is None or registration is None or changed:
                unknown.append(query)
            else:
                self.register(registration)
                self.flows[query.label].restore(known)
        return unknown

    def close(self) -> None:
        """Give back the threads."""
        if self._pool is not None:
            self._pool.shutdown()

    def _admit(self, name: str, batch: Annotated) -> StreamResult:
        admitted = self._admissions[name].admit(batch.events)
        return StreamResult(admitted.events, admitted.late, batch.rejected, admitted.duplicates, batch.unlinked)

    def _answer(
        self,
        events: Mapping[str, pa.Table],
        watermarks: dict[str, datetime | None],
        found: Mapping[str, pa.Table] = MappingProxyType({}),
    ) -> Iterator[tuple[str, pa.Table]]:
        batches = {name: EventBatch(table) for name, table in events.items()}
        for level in self._queries.levels():
            flows = [self.flows[label] for label in level]
            for label, flow, rows in zip(level, flows, self._run(flows, batches, watermarks, found), strict=True):
                self._feed(flow, rows, batches, watermarks)
                yield label, flow.visible(rows)

    def _run(
        self,
        flows: list[QueryRuntime],
        events: Mapping[str, EventBatch],
        watermarks: Mapping[str, datetime | None],
        found: Mapping[str, pa.Table],
    ) -> Iterator[pa.Table]:
        """The rows of queries of one level, in their order, as they come."""

        def answer(flow: QueryRuntime) -> pa.Table:
            try:
                return flow.process(events, flow.watermark_of(watermarks), found)
            except CeilingError as error:
                if not self._isolated:
                    raise
                return flow.fail(error)

        return map(answer, flows) if self._pool is None else self._pool.map(answer, flows)

    @staticmethod
    def _feed(
        flow: QueryRuntime, rows: pa.Table, events: dict[str, EventBatch], watermarks: dict[str, datetime | None]
    ) -> None:
        """Make the rows of a named query the events of the stream of that name."""
        if flow.query.name is None:
            return
        events[flow.query.name] = EventBatch(flow.as_events(rows))
        watermarks[flow.query.name] = flow.row_watermark(flow.watermark_of(watermarks))

    def shape(self, stream: StreamType) -> EventShape:
        """How the events of a stream, a source or the output of a query, become triples."""
        return shape_of(stream, self.annotators, self._knowledge)


def shape_of(stream: StreamType, annotators: Mapping[str, Annotator], knowledge: KnowledgeBase) -> EventShape:
    """How the events of a stream, a source or the output of a query, become triples."""
    annotator = annotators.get(stream.name)
    return event_shape(stream, knowledge) if annotator is None else annotator.shape


def admission_of(annotator: Annotator, lateness: timedelta) -> Admission:
    """What judges the tuples of a stream."""
    annotation = annotator.annotation
    return Admission(lateness, bounded=not annotation.identity or annotation.time in annotation.identity)
