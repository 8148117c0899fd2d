"""The data path without Spark: batches in, admitted events and the rows of every query out, by one door.

Live batches, the spool after an outage, backfills and replays of the log are sources of batches; the engine, `evaluate`
and the simulations give them to the same `process`.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping, Sequence, Sized
from datetime import datetime, timedelta
from functools import partial
from types import MappingProxyType

import polars as pl
import pyarrow.compute as pc

from ...annotator import Annotator, EventShape
from ...cep import END_OF_TIME, Limits
from ...cep.order import EventTable
from ...config import QuerySettings
from ...errors import KaicepError, OperatorError
from ...expressions import LengthyError
from ...language.nodes import Query, StreamType
from ...ontology import KnowledgeBase
from ...semfilter import SemanticFilter, check_connected
from ...semfilter.runtime import FilterOptions
from ..profile import FlowProfile
from .admission import MOST_IDENTITIES
from .answering import QueryAnswering
from .batch import Batch, BatchSource, Judgement
from .batch_result import BatchResult, StreamResult
from .idle_streams import IdleStreams
from .queries import QueryGraph, QueryIsolation, QueryRuntime, Registration, continues
from .source_streams import KnownIdentities, SourceStreams, StreamMoments
from .taken_flow import EVENTS, QUERY, TakenFlow, TakenQuery

__all__ = ["Dataflow", "is_state_of", "seconds_for", "state_of_query"]

_TIMED_EVENTS = 100_000


class Dataflow:
    """Source streams, registered queries, and the order between them.

    Attributes:
        queries: the registered queries.

    Args:
        judgement: by what events are judged; every source stream has an annotator.
        lateness: by stream name, how far an event may lie behind the greatest time stamp before it.
        options: how PATHs are evaluated.
        workers: queries that are evaluated at the same time.
        limits: how much each query may take.
        isolated: a query that fails, whatever it fails with, is stopped, and the others go on; otherwise its error is
            raised.
        identities: of a stream where no watermark says that one cannot come again, so many are remembered.
        query_timeout: how long each query may take for each 100,000 events of a live batch; `None`: as long as it
            takes. What is replayed or caught up with holds up nobody.
        services: what is asked of queries; some look at a share of the events only.
    """

    runtime: type[QueryRuntime] = QueryRuntime
    """What a query is answered by."""

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
        query_timeout: timedelta | None = None,
        services: QuerySettings | None = None,
    ) -> None:
        self._services = QuerySettings() if services is None else services
        self._limits, self._identities, self._query_timeout = limits, identities, query_timeout
        self._judgement = judgement
        self._options = options
        self._lateness = lateness
        self._streams = SourceStreams(judgement.annotators, lateness, identities)
        self.queries = QueryGraph()
        self._isolation = QueryIsolation(isolated=isolated)
        self._answering = QueryAnswering(self.queries, self._isolation, workers)
        self._latest: BatchResult | None = None
        self._joining: list[tuple[int, str, Sequence[Registration], datetime | None]] = []
        self._leaving: list[tuple[int, str]] = []

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
        return self._streams.watermarks

    @property
    def newest(self) -> dict[str, datetime | None]:
        """By stream, the greatest time stamp so far; `None`: before its first event, or it has ended."""
        greatest = self._streams.greatest
        return {name: None if moment == END_OF_TIME else moment for name, moment in greatest.items()}

    def newest_of(self, batch: Batch) -> dict[str, datetime]:
        """By stream, the greatest time stamp of a batch that has not been processed."""
        found = {name: pc.max(events.events["_time"]).as_py() for name, events in batch.events.items()}
        return {name: moment for name, moment in found.items() if moment is not None}

    @property
    def ended(self) -> bool:
        """Whether its streams have been ended."""
        return END_OF_TIME in self._streams.greatest.values()

    @property
    def flows(self) -> Mapping[str, QueryRuntime]:
        """The registered queries by label, each after those whose output it reads."""
        return self.queries.flows

    @property
    def profile(self) -> FlowProfile:
        """What it has seen of streams and what has become of it in queries, since it was made."""
        return FlowProfile(self._streams.profile, {label: flow.profile for label, flow in self.flows.items()})

    def now(self, query: Query) -> datetime | None:
        """The greatest time stamp that the query's streams have delivered so far."""
        greatest = self._streams.greatest
        moments = [greatest[stream] for stream in self.queries.lineage.origins(query)]
        return max((m for m in moments if m is not None), default=None)

    def judge_by(self, judgement: Judgement) -> None:
        """Judge what comes from now on by other knowledge; what waits in operators stays as it was judged."""
        self._judgement = judgement
        for label, flow in self.flows.items():
            ready = {variable: f for (of, variable), f in judgement.filters.items() if of == label}
            self._isolation.run(flow, partial(flow.judge_by, ready, self.shape, judgement.knowledge))

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
            self.queries.replace(flow)
        else:
            self.queries.add(flow)

    def compile(
        self, registration: Registration, filters: Mapping[str, SemanticFilter] = MappingProxyType({})
    ) -> QueryRuntime:
        """What will answer a query; nothing is registered.

        Raises:
            KaicepError: a PATH cannot be evaluated, or is not connected, or the pattern is too large.
        """
        for source in registration.query.sources if not filters else ():
            check_connected(source, self.knowledge, registration.query.document)
        try:
            return self.runtime(
                registration, self.shape, self.knowledge, self._options, self._limits,
                filters=filters, change_bounds=self.queries.change_bounds(registration),
                share=self._services.service(_called(registration)).shed,
            )  # fmt: skip
        except LengthyError as error:
            raise _placed(error, registration.query) from error

    def rehearsal(
        self, labels: Sequence[str], state: Mapping[str, bytes] | None = None, last: int | None = None
    ) -> Dataflow:
        """A data flow of registered queries and those whose output they read.

        Args:
            labels: of the queries.
            state: a snapshot to begin from; `None`: no query has seen an event, and the streams are where those of this
                data flow are.
            last: the batch at whose end the past lies that it is given, or the snapshot was taken; `None`: it is given
                no past.
        """
        copy = self._beside(self._streams.snapshot() if state is None else {})
        registrations = self.queries.rehearsed(labels, last, restored=bool(state))
        unknown = copy.restore(state, registrations) if state else registrations
        self._share(copy, unknown)
        for registration in unknown:
            copy.register(registration)
        return copy

    def unheard(self, labels: Sequence[str], last: int) -> tuple[Dataflow, list[Registration]]:
        """A data flow for registered queries and all that decide about them; nothing is compiled yet.

        Args:
            labels: of the queries.
            last: the batch at whose end the past lies that it is given.

        Returns:
            The data flow, whose streams have not begun, and what is to be registered in it.
        """
        copy, registrations = self._beside({}), self.queries.rehearsed(labels, last, restored=False)
        self._share(copy, registrations)
        return copy, registrations

    def _beside(self, streams: Mapping[str, bytes]) -> Dataflow:
        """One of the same knowledge, without any query; its streams are where a snapshot has them."""
        copy = Dataflow(
            self._judgement,
            self._lateness,
            self._options,
            limits=self._limits,
            isolated=self._isolation.isolated,
            identities=self._identities,
            services=self._services,
        )
        copy.queries.remembers = True
        copy._streams.restore(streams)
        return copy

    def _share(self, copy: Dataflow, registrations: Iterable[Registration]) -> None:
        """Let a data flow know what is known here of the contexts of some queries."""
        copy.queries.begin_contexts_of(registrations, self.queries)
        copy.queries.changed_since = self.queries.withdrawn.changed_since(self.queries.changed_since)

    def adopt(self, label: str, rehearsed: Dataflow) -> None:
        """Go on with a query where another data flow is with it."""
        self._settle()
        self.queries.replace(rehearsed.flows[label])
        self.queries.adopt_contexts(label, rehearsed.queries.contexts)

    @property
    def scattered(self) -> tuple[str, ...]:
        """Queries whose state is in several places, and from now on is needed in one: to be made anew, and adopted."""
        return ()

    def suspend(self, label: str) -> None:
        """Give a query nothing, until it is adopted from another data flow; no snapshot holds it."""
        self.queries.suspended.add(label)

    @property
    def suspended(self) -> frozenset[str]:
        """The queries that are given nothing."""
        return frozenset(self.queries.suspended)

    def remove(self, label: str) -> None:
        """Stop answering a query; its state is dropped.

        Raises:
            PipelineError: no such query, or another one reads its output.
        """
        self.queries.remove(label)

    def withdraw(self, label: str, batch: int) -> None:
        """Stop answering a query for good, from a batch on; see `QueryGraph.withdraw`.

        Raises:
            PipelineError: no such query, or another one reads its output.
        """
        self._settle()
        self.queries.withdraw(label, batch)

    def join_at(self, label: str, registered: Dataflow, batch: int) -> None:
        """Let a deriving query, and all that decides about it, join at the batch at which it was registered elsewhere.

        From any thread. Where nobody speaks of its contexts, none of them is needed.

        Args:
            label: its.
            registered: the data flow in which it was registered.
            batch: at which.
        """
        since = registered.queries.changed_since.get(label)
        self._joining.append((batch, label, registered.queries.involved(label), since))

    def leave_at(self, label: str, batch: int) -> None:
        """Let a query leave at the batch at which it was withdrawn elsewhere; from any thread."""
        self._leaving.append((batch, label))

    def cross(self, batch: int) -> None:
        """Let queries leave and join before a batch of the log that is processed next, as they have elsewhere."""
        for first, label in tuple(self._leaving):
            if first <= batch:
                self._leaving.remove((first, label))
                self._leave([label])
        self._leave([f.registration.label for f in self.flows.values() if _has_left(f.registration, batch)])
        for joining in tuple(self._joining):
            first, label, registrations, since = joining
            if first <= batch:
                self._joining.remove(joining)
                self._join(label, registrations, since)

    def _leave(self, labels: Sequence[str]) -> None:
        for label in reversed([label for label in self.flows if label in labels]):
            self._settle()
            self.queries.remove(label)

    def _join(self, label: str, registrations: Sequence[Registration], since: datetime | None) -> None:
        changed = {name for one in registrations for name in one.query.changed_sets}
        if label in self.flows or not changed & self.queries.contexts.keys():
            return
        for registration in registrations:
            if registration.label not in self.flows:
                self.register(registration)
        self.queries.changed_since.pop(label, None)
        if since is not None:
            self.queries.changed_since[label] = since

    def process(self, batch: Batch) -> BatchResult:
        """Take a batch: judge, admit, move watermarks; its queries are answered while somebody takes the rows."""
        self._settle()
        self.queries.shared_events.begin()
        if batch.judged_by is not None and batch.judged_by.knowledge is not self._judgement.knowledge:
            self.judge_by(batch.judged_by)
        streams = {name: self._streams.admit(name, events) for name, events in batch.events.items()}
        advances = self._advance(batch, streams)
        watermarks = self._end() if batch.ends else self.watermarks
        if batch.past is None:
            events = {name: stream.events for name, stream in streams.items()}
            rows = self._answering.answer(events, dict(watermarks), seconds=self._allowed(batch, events))
        else:
            rows = self._answering.answer_past(batch.past, seconds=self._allowed(batch, batch.past.events))
        idled = batch.idle is not None and batch.advances is None
        self._latest = BatchResult(streams, rows, watermarks, advances, batch.source, idled=idled)
        return self._latest

    def _end(self) -> dict[str, datetime | None]:
        """End every stream; what goes on without events ends with the last of these."""
        last = max((moment for moment in self.newest.values() if moment is not None), default=None)
        for flow in self.flows.values():
            flow.end_at(last)
        return self._streams.end()

    def _allowed(self, batch: Batch, events: Mapping[str, Sized]) -> float | None:
        """How long each query may take for a batch; after an outage it may have the events of hours."""
        if self._query_timeout is None or batch.source is not BatchSource.LIVE:
            return None
        return seconds_for(sum(map(len, events.values())), self._query_timeout)

    @property
    def due(self) -> dict[str, datetime]:
        """The source streams that queries wait for: the next watermark of each that may bring rows without events."""
        self._settle()
        return self.queries.due(self.watermarks)

    def idle_advances(self, idle: IdleStreams) -> dict[str, datetime]:
        """Where the watermarks of source streams that are idle would be moved now."""
        return idle.advances(self.due, self.watermarks, self._streams.begun)

    def taken(self) -> TakenFlow:
        """The state of every stream and query as it is now; of queries that have failed there is none."""
        self._settle()
        flows = [flow for label, flow in self.flows.items() if label not in self.suspended and flow.failure is None]
        states = [(flow, self._isolation.run(flow, flow.taken)) for flow in flows]
        queries = [TakenQuery(flow, flow.registration, state) for flow, state in states if state is not None]
        return TakenFlow(self._streams.taken(), queries, self.queries.taken())

    def snapshot(self) -> dict[str, bytes]:
        """The same as bytes, by name, for `restore`; a query that cannot be written has failed."""
        return self.taken().written(self._isolation.run)

    def restore(self, state: Mapping[str, bytes], queries: Iterable[Registration]) -> list[Registration]:
        """Go on from a snapshot with those of the queries that it holds.

        Returns:
            The queries that it does not hold, holds as another text, or that cannot be answered: they are not
            registered.

        Raises:
            OperatorError: a part of the snapshot is of another version.
        """
        self._streams.restore(state)
        unknown: list[Registration] = []
        restored: dict[str, str] = {}
        queries = list(queries)
        events = {n[len(EVENTS) :]: EventTable.restored(of) for n, of in state.items() if n.startswith(EVENTS)}
        self.queries.restore_contexts(state, [query.query for query in queries])
        for query in queries:
            label = _label_in(state, query)
            known = state.get(QUERY + label)
            registration = None if known is None else continues(known, query)
            given = {name for other in unknown for name in other.query.streams}
            changed = given & {s.stream.name for s in query.query.sources}
            if known is None or registration is None or changed:
                unknown.append(query)
                continue
            try:
                self.register(registration)
            except KaicepError:  # such as for other limits; it is told where it is registered
                unknown.append(query)
            else:
                self.flows[query.label].restore(known, events)
                restored[query.label] = label
        self.queries.restore_held(state, restored)
        self.queries.drop_contexts()
        return unknown

    @property
    def cancelled(self) -> threading.Event:
        """Whether nothing more is answered; see `cancel`."""
        return self._isolation.cancelled

    @property
    def moments(self) -> StreamMoments:
        """By source stream that has begun, its time."""
        return self._streams.moments

    @property
    def seen(self) -> Mapping[str, pl.DataFrame]:
        """By source stream, `_id` and `_time` of the events that may come again."""
        return self._streams.seen

    def divide(self) -> None:
        """Let queries that have seen nothing be answered in parts from now on, where they go on in parts."""

    def recall(self, moments: StreamMoments, known: KnownIdentities) -> None:
        """Let the source streams be where they were, without a snapshot; see `SourceStreams.recall`."""
        self._streams.recall(moments, known)

    def cancel(self) -> None:
        """Answer nothing more, from any thread: the batch at work ends with `CancelledError`, to be done again."""
        self._isolation.cancel()

    def close(self) -> None:
        """Give back the threads."""
        self._answering.close()

    def _settle(self) -> None:
        """Answer what nobody has asked for of the batch before."""
        if self._latest is not None:
            _ = self._latest.matches
            self._latest = None

    def _advance(self, batch: Batch, streams: Mapping[str, StreamResult]) -> Mapping[str, datetime]:
        """Move the watermarks of idle source streams; whatever comes below them is late."""
        advances = batch.advances
        if batch.idle is not None:
            batch.idle.heard(name for name, stream in streams.items() if stream.events.num_rows)
            if advances is None:
                advances = self.idle_advances(batch.idle)
        self._streams.advance(advances or {})
        return advances or {}

    def shape(self, stream: StreamType) -> EventShape:
        """How the events of a stream, a source or the output of a query, become triples."""
        return self._judgement.shape(stream)


def _placed(error: LengthyError, query: Query) -> KaicepError:
    """The same, where it stands in the text."""
    place = None if query.document is None else query.document.place(error.span)
    return OperatorError(error.message, place=place, hint=error.hint)


def _called(registration: Registration) -> str:
    """What a query is called, or was before it was withdrawn."""
    return registration.label if registration.withdrawal is None else registration.withdrawal.label


def _label_in(state: Mapping[str, bytes], registration: Registration) -> str:
    """What a query is called in a snapshot: one that was withdrawn since has its label of then."""
    return registration.label if QUERY + registration.label in state else _called(registration)


def _has_left(registration: Registration, batch: int) -> bool:
    return registration.withdrawal is not None and registration.withdrawal.batch <= batch


def seconds_for(events: int, query_timeout: timedelta) -> float:
    """How long a query may take for so many events of a live batch."""
    return query_timeout.total_seconds() * max(1.0, events / _TIMED_EVENTS)


def state_of_query(label: str, state: bytes) -> dict[str, bytes]:
    """A snapshot of a data flow that holds nothing but a query.

    Args:
        label: its.
        state: its own snapshot.
    """
    return {QUERY + label: state}


def is_state_of(label: str, state: Mapping[str, bytes]) -> bool:
    """Whether a snapshot of a data flow holds a query."""
    return QUERY + label in state
