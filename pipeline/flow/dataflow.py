"""The data path without Spark: batches in, admitted events and the rows of every query out, by one door.

Live batches, the spool after an outage, backfills and replays of the log are sources of batches; the engine, `evaluate`
and the simulations give them to the same `process`.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from functools import partial
from types import MappingProxyType
from typing import TypeVar

import pyarrow as pa
from polars.exceptions import PanicException

from ...annotator import AnnotatedBatch, Annotator, EventShape
from ...cep import END_OF_TIME, Limits
from ...errors import KaicepError, PipelineError
from ...language.nodes import Query, StreamType
from ...ontology import KnowledgeBase
from ...planner import BackfillChunk
from ...semfilter import SemanticFilter, check_connected
from ...semfilter.runtime import FilterOptions, SubqueryStatistics
from ..monitoring import log_context
from ..profile import FlowProfile, StreamProfiler
from .admission import MOST_IDENTITIES, Admission
from .batch import Batch, Judgement
from .batch_result import BatchResult, StreamResult
from .candidate_selection import EventBatch
from .idle_streams import IdleStreams
from .parked_queries import failure_of
from .query_graph import QueryGraph
from .query_runtime import QueryRuntime, continues
from .registration import Registration

T = TypeVar("T")

_LOG = logging.getLogger("kaicep")

_STREAM = "stream/"
_QUERY = "query/"


class CancelledError(BaseException):
    """Ends a batch that is not to be finished; no query's failure."""


class Dataflow:
    """Source streams, registered queries, and the order between them.

    Args:
        judgement: by what events are judged; every source stream has an annotator.
        lateness: by stream name, how far an event may lie behind the greatest time stamp before it.
        options: how PATHs are evaluated.
        workers: queries that are evaluated at the same time.
        limits: how much each query may take.
        isolated: a query that fails, whatever it fails with, is stopped, and the others go on; otherwise its error is
            raised.
        identities: of a stream where no watermark says that one cannot come again, so many are remembered.
    """

    def __init__(
        self,
        judgement: Judgement,
        lateness: Mapping[str, timedelta],
        options: FilterOptions,
        workers: int = 1,
        *,
        limits: Limits | None = None,
        isolated: bool = False,
        identities: int = MOST_IDENTITIES,
    ) -> None:
        self._limits, self._isolated = limits, isolated
        self._judgement = judgement
        self._identities, self._forgetful = identities, set[str]()
        self._options = options
        self._lateness = lateness
        self._admissions = {
            name: admission_of(a, lateness[name], identities) for name, a in judgement.annotators.items()
        }
        self._profilers = {name: StreamProfiler(a.shape) for name, a in judgement.annotators.items()}
        self._queries = QueryGraph()
        self._pool = ThreadPoolExecutor(workers) if workers > 1 else None
        self._latest: BatchResult | None = None
        self._cancelled = threading.Event()

    @property
    def annotators(self) -> Mapping[str, Annotator]:
        """By stream name, what annotates its tuples."""
        return self._judgement.annotators

    @property
    def knowledge(self) -> KnowledgeBase:
        """What PATHs are evaluated against."""
        return self._judgement.knowledge

    @property
    def watermarks(self) -> dict[str, datetime | None]:
        """By stream, what no event that is admitted from now on lies below."""
        return {name: admission.watermark for name, admission in self._admissions.items()}

    @property
    def newest(self) -> dict[str, datetime | None]:
        """By stream, the greatest time stamp so far; `None`: before its first event, or it has ended."""
        greatest = {name: admission.greatest for name, admission in self._admissions.items()}
        return {name: None if moment == END_OF_TIME else moment for name, moment in greatest.items()}

    @property
    def flows(self) -> Mapping[str, QueryRuntime]:
        """The registered queries by label, each after those whose output it reads."""
        return self._queries.flows

    @property
    def subqueries(self) -> dict[str, tuple[SubqueryStatistics, ...]]:
        """By query label, what each of its PATHs has cost; queries without PATHs left out."""
        return {label: flow.subqueries for label, flow in self.flows.items() if flow.subqueries}

    @property
    def profile(self) -> FlowProfile:
        """What it has seen of streams and what has become of it in queries, since it was made."""
        streams = {name: profiler.profile for name, profiler in self._profilers.items()}
        return FlowProfile(streams, {label: flow.profile for label, flow in self.flows.items()})

    def now(self, query: Query) -> datetime | None:
        """The greatest time stamp that the query's streams have delivered so far."""
        moments = [self._admissions[s].greatest for s in self._queries.origins(query)]
        return max((m for m in moments if m is not None), default=None)

    def closed(self, labels: Sequence[str]) -> list[str]:
        """Queries and all whose output they read, directly or not, in the order of their registration."""
        return self._queries.closed(labels)

    def origins(self, query: Query) -> set[str]:
        """The source streams that a query's events come from."""
        return self._queries.origins(query)

    def judge_by(self, judgement: Judgement) -> None:
        """Judge what comes from now on by other knowledge; what waits in operators stays as it was judged."""
        self._judgement = judgement
        for label, flow in self.flows.items():
            ready = {variable: f for (of, variable), f in judgement.filters.items() if of == label}
            self._bounded(flow, partial(flow.judge_by, ready, self.shape, judgement.knowledge))

    def register(self, registration: Registration, compiled: QueryRuntime | None = None) -> None:
        """Begin to answer a query with the next batch; one that is suspended begins anew.

        Args:
            registration: the query and the moment of its registration.
            compiled: what `compile` gave for the same query, so that its PATHs need not be compiled again.

        Raises:
            PipelineError: the label is taken.
            KaicepError: the query cannot be compiled.
        """
        self._settle()  # the batch before was none of this query's
        alike = compiled is not None and compiled.knowledge is self.knowledge
        flow = self.compile(registration, compiled.filters if compiled is not None and alike else {})
        if registration.label in self.suspended:
            self._queries.replace(flow)
        else:
            self._queries.add(flow)

    def compile(
        self, registration: Registration, filters: Mapping[str, SemanticFilter] = MappingProxyType({})
    ) -> QueryRuntime:
        """What will answer a query; nothing is registered.

        Raises:
            KaicepError: a PATH cannot be evaluated, or is not connected, or the pattern is too large.
        """
        for source in registration.query.sources if not filters else ():
            check_connected(source, self.knowledge, registration.query.document)
        return QueryRuntime(registration, self.shape, self.knowledge, self._options, self._limits, filters=filters)

    def rehearsal(self, labels: Sequence[str], state: Mapping[str, bytes] | None = None) -> Dataflow:
        """A data flow of registered queries and those whose output they read.

        Args:
            labels: of the queries.
            state: a snapshot to begin from; `None`: no query has seen an event, and the streams are where those of this
                data flow are.
        """
        copy = Dataflow(
            self._judgement,
            self._lateness,
            self._options,
            limits=self._limits,
            isolated=self._isolated,
            identities=self._identities,
        )
        registrations = [self.flows[label].registration for label in self._queries.closed(labels)]
        for registration in registrations if state is None else copy.restore(state, registrations):
            copy.register(registration)
        for name, admission in self._admissions.items() if state is None else ():
            copy._admissions[name].restore(admission.snapshot())
        return copy

    def rows_at_end(self) -> dict[str, int]:
        """By query label, how many rows the end of the streams would bring now; this data flow stays as it is.

        The ends of streams are tried on a copy, so this takes as long as the end itself, where a query waits at all.
        """
        self._settle()
        answered = [label for label in self.flows if label not in self.suspended]
        if all(self.flows[label].due is None for label in answered):
            return {}
        copy = self.rehearsal(answered)
        for label, flow in copy.flows.items():
            if label not in self.suspended:
                flow.restore(self.flows[label].snapshot())
        matches = copy.process(Batch(ends=True)).matches
        return {label: matches[label].num_rows for label in answered if matches[label].num_rows}

    def adopt(self, label: str, rehearsed: Dataflow) -> None:
        """Go on with a query where another data flow is with it."""
        self._settle()
        self._queries.replace(rehearsed.flows[label])

    def suspend(self, label: str) -> None:
        """Give a query nothing, until it is adopted from another data flow; no snapshot holds it."""
        self._queries.suspended.add(label)

    @property
    def suspended(self) -> frozenset[str]:
        """The queries that are given nothing."""
        return frozenset(self._queries.suspended)

    @property
    def failed(self) -> bool:
        """Whether a query has failed that is not suspended yet."""
        return any(flow.failure is not None and label not in self.suspended for label, flow in self.flows.items())

    def remove(self, label: str) -> None:
        """Stop answering a query; its state is dropped.

        Raises:
            PipelineError: no such query, or another one reads its output.
        """
        self._queries.remove(label)

    def process(self, batch: Batch) -> BatchResult:
        """Take a batch: judge, admit, move watermarks; its queries are answered while somebody takes the rows."""
        self._settle()
        if batch.judged_by is not None and batch.judged_by.knowledge is not self._judgement.knowledge:
            self.judge_by(batch.judged_by)
        streams = {name: self._admit(name, events) for name, events in batch.events.items()}
        advances = self._advance(batch, streams)
        watermarks = self._end() if batch.ends else self.watermarks
        if batch.past is None:
            rows = self._answer({name: stream.events for name, stream in streams.items()}, dict(watermarks))
        else:
            rows = self._answer_past(batch.past)
        idled = batch.idle is not None and batch.advances is None
        self._latest = BatchResult(streams, rows, watermarks, advances, batch.source, idled=idled)
        return self._latest

    @property
    def begun(self) -> frozenset[str]:
        """The source streams that have delivered an event."""
        return frozenset(name for name, admission in self._admissions.items() if admission.greatest is not None)

    @property
    def due(self) -> dict[str, datetime]:
        """The source streams that queries wait for: the next watermark of each that may bring rows without events."""
        self._settle()
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

    def idle_advances(self, idle: IdleStreams) -> dict[str, datetime]:
        """Where the watermarks of source streams that are idle would be moved now."""
        return idle.advances(self.due, self.watermarks, self.begun)

    def snapshot(self) -> dict[str, bytes]:
        """The state of every stream and query, by name, for `restore`; of queries that have failed there is none."""
        self._settle()
        streams = {_STREAM + name: admission.snapshot() for name, admission in self._admissions.items()}
        flows = [flow for label, flow in self.flows.items() if label not in self.suspended and flow.failure is None]
        states = {_QUERY + flow.registration.label: self._bounded(flow, flow.snapshot) for flow in flows}
        return streams | {name: state for name, state in states.items() if state is not None}

    def restore(self, state: Mapping[str, bytes], queries: Iterable[Registration]) -> list[Registration]:
        """Go on from a snapshot with those of the queries that it holds.

        Returns:
            The queries that it does not hold, holds as another text, or that cannot be answered: they are not
            registered.

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
                continue
            try:
                self.register(registration)
            except KaicepError:  # such as for other limits; it is told where it is registered
                unknown.append(query)
            else:
                self.flows[query.label].restore(known)
        return unknown

    def cancel(self) -> None:
        """Answer nothing more, from any thread: the batch at work ends with `CancelledError`, to be done again."""
        self._cancelled.set()

    def close(self) -> None:
        """Give back the threads."""
        if self._pool is not None:
            self._pool.shutdown()

    def _admit(self, name: str, batch: AnnotatedBatch) -> StreamResult:
        self._profilers[name].note(batch)
        admitted = self._admissions[name].admit(batch.events)
        if self._admissions[name].forgets and name not in self._forgetful:
            self._forgetful.add(name)
            _LOG.warning(
                "'%s' has had more than %s identities, and the earliest are forgotten: a record that comes again after "
                "so many others is new; let its identity have the time stamp, or raise identities under [engine]",
                *(name, f"{self._identities:,}"),
            )
        return StreamResult(admitted.events, admitted.late, batch.rejected, admitted.duplicates, batch.unlinked)

    def _settle(self) -> None:
        """Answer what nobody has asked for of the batch before."""
        if self._latest is not None:
            for _ in self._latest.rows():
                pass
            self._latest = None

    def _advance(self, batch: Batch, streams: Mapping[str, StreamResult]) -> Mapping[str, datetime]:
        """Move the watermarks of idle source streams; whatever comes below them is late."""
        advances = batch.advances
        if batch.idle is not None:
            batch.idle.heard(name for name, stream in streams.items() if stream.events.num_rows)
            if advances is None:
                advances = self.idle_advances(batch.idle)
        for name, watermark in (advances or {}).items():
            self._admissions[name].advance(watermark)
        return advances or {}

    def _end(self) -> dict[str, datetime | None]:
        """End every stream: the watermark passes everything."""
        for admission in self._admissions.values():
            admission.end()
        return dict.fromkeys(self._admissions, END_OF_TIME)

    def _answer_past(self, part: BackfillChunk) -> Iterator[tuple[str, pa.Table]]:
        """Label and rows of each query for a piece of the past, whose events were admitted when they came."""
        if part.matches is None and not part.primes:
            yield from self._answer(part.events, dict(part.watermarks), part.candidates)
            return
        for label, flow in self.flows.items():
            watermark = flow.watermark_of(part.watermarks)
            if part.primes:
                self._bounded(flow, partial(flow.prime, _batches(part.events), watermark))
            elif part.matches is not None:
                rows = self._bounded(flow, partial(flow.report, part.matches, watermark))
                yield label, flow.visible(flow.no_rows if rows is None else rows)

    def _answer(
        self,
        events: Mapping[str, pa.Table],
        watermarks: dict[str, datetime | None],
        found: Mapping[str, pa.Table] = MappingProxyType({}),
    ) -> Iterator[tuple[str, pa.Table]]:
        batches = _batches(events)
        for level in self._queries.levels():
            flows = [self.flows[label] for label in level]
            for flow in flows:
                self._withhold(flow)
            for label, flow, rows in zip(level, flows, self._run(flows, batches, watermarks, found), strict=True):
                self._bounded(flow, partial(self._feed, flow, rows, batches, watermarks))
                seen = self._bounded(flow, partial(flow.visible, rows))
                yield label, flow.visible(flow.no_rows) if seen is None else seen

    def _run(
        self,
        flows: list[QueryRuntime],
        events: Mapping[str, EventBatch],
        watermarks: Mapping[str, datetime | None],
        found: Mapping[str, pa.Table],
    ) -> Iterator[pa.Table]:
        """The rows of queries of one level, in their order, as they come."""

        def answer(flow: QueryRuntime) -> pa.Table:
            with log_context(query=flow.registration.label):
                rows = self._bounded(flow, partial(flow.process, events, flow.watermark_of(watermarks), found))
            return flow.no_rows if rows is None else rows

        return map(answer, flows) if self._pool is None else self._pool.map(answer, flows)

    def _bounded(self, flow: QueryRuntime, do: Callable[[], T]) -> T | None:
        """Let a query do something; one that fails is stopped, and `None` is what it has done."""
        try:
            self._leave_when_cancelled()
            return do()
        except (Exception, PanicException) as error:
            self._leave_when_cancelled()  # whatever it failed with, it was ended
            if not self._isolated:
                raise
            if not isinstance(error, KaicepError):
                _LOG.exception("query %s failed", flow.registration.label)
            flow.fail(failure_of(flow.registration.label, error))
            return None

    def check(self, label: str) -> None:
        """Raise what a query has failed with, or one whose output it reads.

        Raises:
            KaicepError: that.
        """
        for other in self.closed([label]):
            failure = self.flows[other].failure
            if failure is not None:
                raise failure

    def _leave_when_cancelled(self) -> None:
        if self._cancelled.is_set():
            raise CancelledError

    def cause_of(self, query: Query) -> str | None:
        """The query whose output a query reads, directly, and that has failed; `None`: none has."""
        read = (self._queries.label_of(source.stream.name) for source in query.sources)
        return next((other for other in read if other is not None and self.flows[other].failure is not None), None)

    def _withhold(self, flow: QueryRuntime) -> None:
        """Stop a query with the one whose output it reads: it would take the missing rows for absence."""
        label = flow.registration.label
        cause = None if flow.failure is not None else self.cause_of(flow.query)
        if cause is not None:
            message = f"'{label}' reads '{cause}', which is parked"
            flow.fail(PipelineError(message, hint=f"resume that: kaicep resume {cause}"))

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
        return self._judgement.shape(stream)


def _batches(events: Mapping[str, pa.Table]) -> dict[str, EventBatch]:
    return {name: EventBatch(table) for name, table in events.items()}


def admission_of(annotator: Annotator, lateness: timedelta, identities: int = MOST_IDENTITIES) -> Admission:
    """What judges the tuples of a stream."""
    annotation = annotator.annotation
    bounded = not annotation.identity or annotation.time in annotation.identity
    return Admission(lateness, bounded=bounded, most=identities)
