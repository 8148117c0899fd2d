"""The data path without Spark: raw tuples of every stream in, archived events and matches out, batch by batch.

`Project.evaluate` and the Spark engine run the same object; only what surrounds it differs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from types import MappingProxyType

import pyarrow as pa
import pyarrow.compute as pc

from ..annotator import Annotated, Annotator, EventShape, event_shape
from ..cep import END_OF_TIME, Limits
from ..errors import CeilingError, PipelineError
from ..language import Query, StreamType
from ..ontology import KnowledgeBase
from ..planner import Part
from ..semfilter import FilterOptions, SemanticFilter, SubqueryStatistics
from .admission import Admission
from .candidates import EventBatch
from .flow import QueryFlow, Registration, continues

_STREAM = "stream/"
_QUERY = "query/"


@dataclass(frozen=True, slots=True)
class StreamStep:
    """What one batch brought to one stream.

    Attributes:
        events: event table of the admitted tuples.
        late: event table of the tuples below the watermark: archived, no part of the stream.
        rejected: rows of the raw table that are no events (row int64, reason string).
        duplicates: tuples whose identity was seen before.
        unlinked: values that name no individual of the knowledge base.
    """

    events: pa.Table
    late: pa.Table
    rejected: pa.Table
    duplicates: int
    unlinked: int

    @property
    def archived(self) -> pa.Table:
        """The events to archive: admitted ones and late ones, marked."""
        parts = [
            part.drop_columns("_row").append_column("_late", pa.repeat(pa.scalar(mark), part.num_rows))
            for part, mark in ((self.events, False), (self.late, True))
        ]
        return pa.concat_tables(parts)


@dataclass(frozen=True, slots=True)
class Step:
    """What one batch brought: per stream, and per query label the rows that became certain."""

    streams: Mapping[str, StreamStep] = field(default_factory=dict)
    matches: Mapping[str, pa.Table] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Past:
    """A batch that was taken before, and how it was judged then.

    Attributes:
        events: event tables by stream, late events among them.
        annotators: those in force then.
        knowledge: likewise.
        advances: where the watermarks of silent streams were moved after that (`Dataflow.advance`).
    """

    events: Mapping[str, pa.Table]
    annotators: Mapping[str, Annotator]
    knowledge: KnowledgeBase
    advances: Mapping[str, datetime] = field(default_factory=dict)


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
        self._admissions = {name: _admission(a, lateness[name]) for name, a in annotators.items()}
        self._flows: dict[str, QueryFlow] = {}
        self._streams_of: dict[str, str] = {}
        self._suspended: set[str] = set()
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
    def flows(self) -> Mapping[str, QueryFlow]:
        """The registered queries by label, each after those whose output it reads."""
        return self._flows

    @property
    def subqueries(self) -> dict[str, tuple[SubqueryStatistics, ...]]:
        """By query label, what each of its PATHs has cost; queries without PATHs left out."""
        return {label: flow.subqueries for label, flow in self._flows.items() if flow.subqueries}

    def now(self, query: Query) -> datetime | None:
        """The greatest time stamp that the query's streams have delivered so far."""
        moments = [self._admissions[s].greatest for s in self.origins(query)]
        return max((m for m in moments if m is not None), default=None)

    def origins(self, query: Query) -> set[str]:
        """The source streams that a query's events come from."""
        origins: set[str] = set()
        for source in query.sources:
            name = source.stream.name
            upstream = self._streams_of.get(name)
            origins |= {name} if upstream is None else self.origins(self._flows[upstream].query)
        return origins

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
        for label, flow in self._flows.items():
            flow.judge_by({v: f for (of, v), f in (filters or {}).items() if of == label}, self.shape, knowledge)

    def register(self, registration: Registration) -> None:
        """Begin to answer a query with the next batch.

        Raises:
            PipelineError: the label is taken.
        """
        label = registration.label
        if label in self._flows:
            raise PipelineError(
                f"a query named '{label}' is registered already",
                hint="stop it first, or give the new one another name with CREATE QUERY … AS",
            )
        flow = QueryFlow(registration, self.shape, self._knowledge, self._options, self._limits)
        self._flows[label] = flow
        if registration.query.name is not None:
            self._streams_of[registration.query.name] = label

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
        upstream = {u for label in labels for u in self._upstream(self._flows[label].query)}
        for label in [label for label in self._flows if label in upstream or label in labels]:
            copy.register(self._flows[label].registration)
        for name, admission in self._admissions.items():
            copy._admissions[name].restore(admission.snapshot())
        return copy

    def adopt(self, label: str, rehearsed: Dataflow) -> None:
        """Go on with a query where another data flow is with it."""
        self._flows[label] = rehearsed.flows[label]
        self._suspended.discard(label)

    def suspend(self, label: str) -> None:
        """Give a query nothing, until it is adopted from another data flow; no snapshot holds it."""
        self._suspended.add(label)

    @property
    def suspended(self) -> frozenset[str]:
        """The queries that are given nothing."""
        return frozenset(self._suspended)

    def _upstream(self, query: Query) -> list[str]:
        """Labels of the queries whose output a query reads, directly or not, in the order of their registration."""
        direct = [self._streams_of[s.stream.name] for s in query.sources if s.stream.name in self._streams_of]
        found = {label for d in direct for label in [d, *self._upstream(self._flows[d].query)]}
        return [label for label in self._flows if label in found]

    def remove(self, label: str) -> None:
        """Stop answering a query; its state is dropped.

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
        self._suspended.discard(label)
        if flow.query.name is not None:
            del self._streams_of[flow.query.name]

    def process(self, raw: Mapping[str, pa.Table]) -> Step:
        """Take one batch of raw tuples per stream, in order of arrival, and give what became certain."""
        streams = self.admit(raw)
        return Step(streams, dict(self.answer(streams)))

    def admit(self, raw: Mapping[str, pa.Table]) -> dict[str, StreamStep]:
        """The first half of `process`: annotate tuples and tell those that count."""
        return self.accept({name: self.annotators[name].annotate(table) for name, table in raw.items()})

    def accept(self, annotated: Mapping[str, Annotated]) -> dict[str, StreamStep]:
        """Tell those that count among tuples that are annotated already."""
        return {name: self._admit(name, batch) for name, batch in annotated.items()}

    def answer(self, streams: Mapping[str, StreamStep]) -> Iterator[tuple[str, pa.Table]]:
        """The second half of `process`: label and rows of each query, as they come; to be taken to the end."""
        return self._answer({name: step.events for name, step in streams.items()}, self.watermarks)

    def replay(self, past: Past) -> Step:
        """`process` for events that are annotated already, late ones among them, in order of arrival."""
        if past.knowledge is not self._knowledge:
            self.judge_by(past.annotators, past.knowledge)
        nothing = pa.table({"row": pa.array([], pa.int64()), "reason": pa.array([], pa.string())})
        streams = self.accept({name: Annotated(table, nothing, 0) for name, table in past.events.items()})
        self.advance(past.advances)
        return Step(streams, dict(self.answer(streams)))

    def take(self, part: Part) -> dict[str, pa.Table]:
        """The rows of each query by label for a piece of the past, whose events were admitted when they came."""
        if part.matches is None and not part.primes:
            return dict(self._answer(part.events, dict(part.watermarks), part.candidates))
        rows = {}
        for label, flow in self._flows.items():
            watermark = _smallest([part.watermarks[s] for s in flow.streams])
            if part.primes:
                flow.prime({name: EventBatch(table) for name, table in part.events.items()}, watermark)
            elif part.matches is not None:
                rows[label] = _visible(flow, flow.report(part.matches, watermark))
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
        for label, flow in self._flows.items():
            moment = flow.due
            if moment is None or label in self._suspended:
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

    def finish(self) -> Step:
        """End every stream: the watermark passes everything, and whatever comes later is late."""
        for admission in self._admissions.values():
            admission.end()
        return Step({}, dict(self._answer({}, dict.fromkeys(self._admissions, END_OF_TIME))))

    def snapshot(self) -> dict[str, bytes]:
        """The state of every stream and query, by name, for `restore`."""
        streams = {_STREAM + name: admission.snapshot() for name, admission in self._admissions.items()}
        flows = {label: flow for label, flow in self._flows.items() if label not in self._suspended}
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
                self._flows[query.label].restore(known)
        return unknown

    def close(self) -> None:
        """Give back the threads."""
        if self._pool is not None:
            self._pool.shutdown()

    def _admit(self, name: str, batch: Annotated) -> StreamStep:
        admitted = self._admissions[name].admit(batch.events)
        return StreamStep(admitted.events, admitted.late, batch.rejected, admitted.duplicates, batch.unlinked)

    def _answer(
        self,
        events: Mapping[str, pa.Table],
        watermarks: dict[str, datetime | None],
        found: Mapping[str, pa.Table] = MappingProxyType({}),
    ) -> Iterator[tuple[str, pa.Table]]:
        batches = {name: EventBatch(table) for name, table in events.items()}
        for level in self._levels():
            flows = [self._flows[label] for label in level]
            for label, flow, rows in zip(level, flows, self._run(flows, batches, watermarks, found), strict=True):
                self._feed(flow, rows, batches, watermarks)
                yield label, _visible(flow, rows)

    def _run(
        self,
        flows: list[QueryFlow],
        events: Mapping[str, EventBatch],
        watermarks: Mapping[str, datetime | None],
        found: Mapping[str, pa.Table],
    ) -> Iterator[pa.Table]:
        """The rows of queries of one level, in their order, as they come."""

        def answer(flow: QueryFlow) -> pa.Table:
            try:
                return flow.process(events, _smallest([watermarks[s] for s in flow.streams]), found)
            except CeilingError as error:
                if not self._isolated:
                    raise
                return flow.fail(error)

        return map(answer, flows) if self._pool is None else self._pool.map(answer, flows)

    @staticmethod
    def _feed(
        flow: QueryFlow, rows: pa.Table, events: dict[str, EventBatch], watermarks: dict[str, datetime | None]
    ) -> None:
        """Make the rows of a named query the events of the stream of that name."""
        if flow.query.name is None:
            return
        ids = pc.binary_join_element_wise(f"urn:kaicep:event:{flow.query.name}/", rows["_id"].cast(pa.string()), "")
        table = rows.set_column(rows.schema.get_field_index("_id"), "_id", ids)
        events[flow.query.name] = EventBatch(table)
        watermarks[flow.query.name] = flow.row_watermark(_smallest([watermarks[s] for s in flow.streams]))

    def _levels(self) -> list[list[str]]:
        """Labels by depth: a query stands in a later level than those whose output it reads."""
        depth: dict[str, int] = {}
        for label, flow in self._flows.items():
            read = [depth[self._streams_of[s]] for s in flow.streams if s in self._streams_of]
            depth[label] = 1 + max(read, default=-1)
        live = {label: level for label, level in depth.items() if label not in self._suspended}
        return [[n for n, d in live.items() if d == level] for level in sorted(set(live.values()))]

    def shape(self, stream: StreamType) -> EventShape:
        """How the events of a stream, a source or the output of a query, become triples."""
        return shape_of(stream, self.annotators, self._knowledge)


def shape_of(stream: StreamType, annotators: Mapping[str, Annotator], knowledge: KnowledgeBase) -> EventShape:
    """How the events of a stream, a source or the output of a query, become triples."""
    annotator = annotators.get(stream.name)
    return event_shape(stream, knowledge) if annotator is None else annotator.shape


def _admission(annotator: Annotator, lateness: timedelta) -> Admission:
    annotation = annotator.annotation
    return Admission(lateness, bounded=not annotation.identity or annotation.time in annotation.identity)


def _visible(flow: QueryFlow, rows: pa.Table) -> pa.Table:
    """Rows as users see them."""
    return rows.drop_columns([item.name for item in flow.query.items if item.hidden])


def _smallest(watermarks: list[datetime | None]) -> datetime | None:
    known = [w for w in watermarks if w is not None]
    return min(known) if len(known) == len(watermarks) else None
