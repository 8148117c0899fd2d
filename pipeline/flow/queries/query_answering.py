"""A batch's events to the queries that read them, level by level: rows of named queries are others' events."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from itertools import groupby
from operator import attrgetter
from time import monotonic, process_time
from types import MappingProxyType
from typing import NamedTuple
from weakref import WeakKeyDictionary

import pyarrow as pa
import pyarrow.compute as pc

from ....cep import joined_rows, limit_time
from ....errors import PipelineError
from ....language.nodes import COMPANION, Query
from ....planner import BackfillChunk
from ...monitoring import log_context
from ..rules import FiringOrder, fitted, united
from .candidate_selection import EventBatch
from .derivation import ChangeForecast, Derivation
from .held_events import EventSplits, HeldEvents
from .kindred_queries import CommonCall
from .query_components import QueryComponent
from .query_graph import QueryGraph
from .query_isolation import QueryIsolation
from .query_runtime import QueryRuntime

__all__ = ["QueryAnswering", "QueryRows"]

_AT_ONCE = 2**20
"""So many moments are tried at once at first, where queries are in contexts that they derive."""


class _StoppedError(Exception):
    """A query has failed, and those that wait for it and it for them are answered no more."""


class QueryAnswering:
    """Gives the registered queries their events; those that are suspended get nothing.

    Args:
        queries: the registered queries.
        isolation: how each of them is run.
        workers: queries that are evaluated at the same time.
    """

    def __init__(self, queries: QueryGraph, isolation: QueryIsolation, workers: int = 1) -> None:
        self._queries, self._isolation = queries, isolation
        self._pool = ThreadPoolExecutor(workers) if workers > 1 else None
        self._at_once: dict[tuple[str, ...], int] = {}
        self._forecasts: WeakKeyDictionary[QueryRuntime, ChangeForecast | None] = WeakKeyDictionary()

    def close(self) -> None:
        """Give back the threads."""
        if self._pool is not None:
            self._pool.shutdown()

    def answer(
        self,
        events: Mapping[str, pa.Table],
        watermarks: dict[str, datetime | None],
        found: Mapping[str, pa.Table] = MappingProxyType({}),
        *,
        seconds: float | None = None,
    ) -> Iterator[QueryRows]:
        """The rows of each query, as they become certain.

        Args:
            events: by source stream, what was admitted.
            watermarks: of the source streams; those of queries' output are added.
            found: by event variable, candidates that the archive's store found.
            seconds: that each query may take, or it fails; `None`: as many as it takes.
        """
        if self._queries.contexts or self._queries.emits:
            yield from self._in_contexts(_batches(events), watermarks, found, _TimeSpent(seconds))
            return
        levels = [[self._queries.flows[label] for label in level] for level in self._queries.levels()]
        held: dict[str, list[pa.Table]] = {}
        time = _TimeSpent(seconds)
        for one in self._levels(levels, _batches(events), watermarks, found, time, again=frozenset()):
            yield from self._visible(one.label, one.rows, held, last=one.last)

    def _levels(
        self,
        levels: Sequence[Sequence[QueryRuntime]],
        events: Mapping[str, EventBatch],
        watermarks: dict[str, datetime | None],
        found: Mapping[str, pa.Table],
        time: _TimeSpent,
        *,
        again: AbstractSet[str],
    ) -> Iterator[QueryRows]:
        """The rows of queries, each after those whose output it reads, which it is given piece by piece.

        Args:
            levels: the queries by depth.
            events: by stream, those that came since these queries were asked last.
            watermarks: of all streams.
            found: see `answer`.
            time: what each has taken.
            again: labels of those that are asked once more, since what they read goes on.
        """
        if not levels:
            return
        self._withhold(levels[0])
        answers = [_Answer(flow, flow.pieces(events, flow.watermark_of(watermarks), found)) for flow in levels[0]]
        given, later = dict(events), levels[1:]
        while answers:
            for answer, rows in zip(answers, self._next(answers, time), strict=True):
                if later:
                    self._isolation.run(answer.flow, partial(_feed, answer, rows, given, watermarks))
                yield QueryRows(answer.label, rows, last=not (answer.goes_on or answer.label in again))
            answers = [answer for answer in answers if answer.goes_on]
            readers = _readers(levels[1:], {answer.flow.query.name for answer in answers})
            asked = {flow.registration.label for level in readers for flow in level}
            yield from self._levels(later, given, watermarks, found, time, again=again | asked)
            later, given, found = readers, {}, {}

    def _in_contexts(
        self,
        events: dict[str, EventBatch],
        watermarks: dict[str, datetime | None],
        found: Mapping[str, pa.Table],
        time: _TimeSpent,
    ) -> Iterator[QueryRows]:
        """The rows of each query where there are contexts: each after what derives its own; as `_levels` otherwise."""
        splits, flows = EventSplits(), self._queries.flows
        self._queries.forget_windows()
        for _, together in groupby(self._queries.components(), key=attrgetter("depth")):
            components = list(together)
            single = [flows[label] for component in components if not component.circular for label in component.labels]
            yield from self._each(single, events, watermarks, splits, found=found, time=time)
            for component in components:
                if component.circular:
                    yield from self._derived(component, events, watermarks, splits, time)
                for name in component.sets:
                    self._settle_contexts(name, events, watermarks)

    def _each(
        self,
        flows: Sequence[QueryRuntime],
        events: dict[str, EventBatch],
        watermarks: dict[str, datetime | None],
        splits: EventSplits,
        *,
        found: Mapping[str, pa.Table],
        time: _TimeSpent,
    ) -> Iterator[QueryRows]:
        """The rows of queries that do not wait for each other; what others need of them is fed to these."""
        self._withhold(flows)
        kept: dict[str, list[pa.Table]] = {}
        released = []
        for flow in flows:
            label = flow.registration.label
            serves = self._queries.serves(flow)
            given, watermark = flow.released(events, watermarks, splits)
            if self._isolation.run(flow, partial(flow.is_passed_over, given, watermark)):
                kept |= {label: [flow.no_rows]} if serves else {}
                yield QueryRows(label, flow.no_visible_rows)
                continue
            kept |= {label: []} if serves else {}
            released.append((flow, given, watermark))
        together = {} if found else _together(released)
        answers = [
            _Answer(flow, flow.pieces(given, watermark, found, together.get(flow.registration.label)))
            for flow, given, watermark in released
        ]
        held: dict[str, list[pa.Table]] = {}
        running = answers
        while running:
            for answer, rows in zip(running, self._next(running, time), strict=True):
                if answer.label in kept:
                    kept[answer.label].append(rows)
                yield from self._visible(answer.label, rows, held, last=not answer.goes_on)
            running = [answer for answer in running if answer.goes_on]
        for label, parts in kept.items():
            self._serve(self._queries.flows[label], joined_rows(parts), events, watermarks)

    def _serve(
        self,
        flow: QueryRuntime,
        rows: pa.Table,
        events: dict[str, EventBatch],
        watermarks: dict[str, datetime | None],
        *,
        derives: bool = True,
    ) -> None:
        """Make the rows of a query the events of its readers, and changes of contexts."""
        if flow.query.name is not None:
            events[flow.query.name] = EventBatch(flow.as_events(rows))
            watermarks[flow.query.name] = flow.row_watermark(flow.watermark)
        passed = flow.row_watermark(flow.watermark)
        for stream, emitted in self._emitted(flow, rows).items():
            before = [events[stream].table] if stream in events else []
            events[stream] = EventBatch(united([*before, emitted]))
            known = watermarks.get(stream, passed)
            watermarks[stream] = None if known is None or passed is None else min(known, passed)
        if derives and flow.failure is None:
            self._offer(flow.registration.label, rows)

    def _emitted(self, flow: QueryRuntime, rows: pa.Table) -> dict[str, pa.Table]:
        """By stream that queries read, the events that a rule emits for rows, perhaps none."""
        found: dict[str, list[pa.Table]] = {}
        for query, events in self._isolation.run(flow, partial(flow.emitted, rows)) or ():
            name = query.output.name
            if self._queries.reads(name):
                found.setdefault(name, []).append(fitted(events, self._queries.event_types(name)))
        return {name: united(tables) for name, tables in found.items()}

    def _offer(self, label: str, rows: pa.Table) -> None:
        """Take the rows of a query as changes of contexts, if it derives some."""
        flow = self._queries.flows[label]
        if flow.derives:
            counted = flow.counted(rows, self._queries.changed_since.get(label))
            for query, own, places in self._changes(flow, counted):
                if query.change is not None:
                    contexts = flow.contexts[query.change.context.set]
                    self._isolation.run(flow, partial(contexts.offer, query, own, places))

    def _changes(self, flow: QueryRuntime, rows: pa.Table) -> Iterator[tuple[Query, pa.Table, Sequence[FiringOrder]]]:
        """The changes that rows make: queries that make them, their rows, and where each stands among others."""
        if flow.firing is not None:
            yield from flow.firing.changes(rows, self._queries.place_of(flow))
            return
        place = FiringOrder.of_query(self._queries.place_of_deriving(flow.registration.label))
        yield flow.query, rows, [place] * rows.num_rows

    def _derived(
        self,
        component: QueryComponent,
        events: dict[str, EventBatch],
        watermarks: dict[str, datetime | None],
        splits: EventSplits,
        time: _TimeSpent,
    ) -> Iterator[QueryRows]:
        """The rows of queries in contexts that they derive."""
        flows = [self._queries.flows[label] for label in component.labels]
        self._withhold(flows)
        upto = self._queries.known_to(component, watermarks)
        waiting = {}
        for flow in flows:
            flow.hold({s: events[s] for s in flow.streams if s in events})
            waiting[flow.registration.label] = HeldEvents()
            if upto is not None:
                released, others = flow.held.ahead(upto, splits)
                waiting[flow.registration.label].take(released)
                flow.held.keep(others)
        rows: Mapping[str, Sequence[pa.Table]] = {}
        if upto is not None and all(flow.failure is None for flow in flows):
            rows = self._settled(component, flows, waiting, upto, time)
        held: dict[str, list[pa.Table]] = {}
        for flow in flows:
            found = joined_rows([flow.no_rows, *rows.get(flow.registration.label, ())])
            self._serve(flow, found, events, watermarks, derives=False)
            yield from self._visible(flow.registration.label, found, held, last=True)

    def _settled(
        self,
        component: QueryComponent,
        flows: Sequence[QueryRuntime],
        waiting: Mapping[str, HeldEvents],
        upto: datetime,
        time: _TimeSpent,
    ) -> Mapping[str, Sequence[pa.Table]]:
        """What rounds find; where one query fails, all of them have, since none is right without the others."""

        def answered(flow: QueryRuntime, given: Mapping[str, EventBatch], border: datetime) -> pa.Table:
            label = flow.registration.label
            with log_context(query=label), time.of(label):
                rows = self._isolation.run(flow, partial(flow.process, given, border))
            if rows is None:
                raise _StoppedError
            return rows

        sets = [self._queries.contexts[name] for name in component.sets]
        levels = _depths(flows)
        at_once, foreseen = self._at_once.get(component.sets, _AT_ONCE), partial(self._foreseen, flows, time)
        derivation = Derivation(levels, sets, answered, self._offer, at_once, foreseen=foreseen, emitted=self._emitted)
        try:
            return derivation.settle(waiting, upto)
        except _StoppedError:
            self._withhold(flows)
            return {}
        finally:
            self._at_once[component.sets] = derivation.at_once

    def _foreseen(
        self,
        flows: Sequence[QueryRuntime],
        time: _TimeSpent,
        events: Mapping[str, Mapping[str, EventBatch]],
        border: datetime,
    ) -> dict[str, Callable[[], None]]:
        """By label, what tells the contexts the changes that queries may make before a moment."""
        found: dict[str, Callable[[], None]] = {}
        names = {name for flow in flows for name in flow.query.streams}
        for flow in flows:
            label = flow.registration.label
            forecast = None if flow.streams & names else self._forecast(flow)
            if forecast is None or flow.query.change is None:
                continue
            with log_context(query=label), time.of(label):
                rows = self._isolation.run(flow, partial(forecast.rows, events[label], border))
            if rows is None:
                raise _StoppedError
            contexts = flow.contexts[flow.query.change.context.set]
            place = FiringOrder.of_query(self._queries.place_of_deriving(label))
            found[label] = partial(contexts.foresee, contexts.possible(flow.query, rows, place, forecast.partition))
        return found

    def _forecast(self, flow: QueryRuntime) -> ChangeForecast | None:
        """What foresees the rows of a query, made once; `None`: they cannot be foreseen."""
        if flow not in self._forecasts:
            self._forecasts[flow] = ChangeForecast.of(flow)
        return self._forecasts[flow]

    def _settle_contexts(
        self, name: str, events: dict[str, EventBatch], watermarks: dict[str, datetime | None]
    ) -> None:
        """Let a set be known as far as the queries that derive it have been answered."""
        contexts = self._queries.contexts[name]
        known = self._queries.known_contexts(name, watermarks)
        if known is not None:
            contexts.advance(known)
        stream = contexts.set.changes_stream
        changes = contexts.changes(wanted=self._queries.reads(stream))
        events[stream], watermarks[stream] = EventBatch(changes), contexts.known

    def answer_past(self, part: BackfillChunk) -> Iterator[QueryRows]:
        """The rows of each query for a piece of the past, whose events were admitted when they came."""
        if part.matches is None and not part.primes:
            yield from self.answer(part.events, dict(part.watermarks), part.candidates)
            while self._queries.drop_passed():  # nobody waits for them any more
                yield from self.answer({}, dict(part.watermarks))
            return
        for label, flow in self._queries.flows.items():
            watermark = flow.watermark_of(part.watermarks)
            if part.primes:
                self._isolation.run(flow, partial(flow.prime, _batches(part.events), watermark))
            elif part.matches is not None:
                rows = self._isolation.run(flow, partial(flow.report, part.matches, watermark))
                yield QueryRows(label, flow.visible(flow.no_rows if rows is None else rows))

    def _next(self, answers: Sequence[_Answer], time: _TimeSpent) -> Iterator[pa.Table]:
        """The next rows of each query of one level, in their order, as they come."""

        def following(answer: _Answer) -> pa.Table:
            with log_context(query=answer.label), time.of(answer.label):
                rows = self._isolation.run(answer.flow, answer.next)
            return answer.flow.no_rows if rows is None else rows

        return map(following, answers) if self._pool is None else self._pool.map(following, answers)

    def _visible(
        self, label: str, rows: pa.Table, held: dict[str, list[pa.Table]], *, last: bool
    ) -> Iterator[QueryRows]:
        """The rows as users see them, if they need not wait for others.

        Whether a column of integers is one of doubles, since one of them has left 64 bits, all rows of a batch say.
        """
        flow = self._queries.flows[label]
        if any(name.endswith(COMPANION) for name in rows.column_names):
            held.setdefault(label, []).append(rows)
            if not last:
                return
        if last and label in held:
            rows = pa.concat_tables(held.pop(label))
        seen = self._isolation.run(flow, partial(flow.visible, rows))
        calls = None
        if flow.firing is not None:
            calls = self._isolation.run(flow, partial(flow.firing.calls, rows, self._queries.place_of(flow)))
        yield QueryRows(label, flow.no_visible_rows if seen is None else seen, last=last, calls=calls)

    def _withhold(self, flows: Sequence[QueryRuntime]) -> None:
        """Stop each query with the one whose output it reads: it would take the missing rows for absence."""
        if any(flow.failure is not None for flow in self._queries.flows.values()):
            for flow in flows:
                self._withhold_one(flow)

    def _withhold_one(self, flow: QueryRuntime) -> None:
        label = flow.registration.label
        cause = None if flow.failure is not None else self._queries.cause_of(flow.query)
        if cause is not None:
            does = "reads" if self._queries.flows[cause].query.name in flow.streams else "is in contexts derived by"
            message = f"'{label}' {does} '{cause}', which is parked"
            flow.fail(PipelineError(message, hint=f"resume that: kaicep resume {cause}"))


class QueryRows(NamedTuple):
    """Rows that one query has for a batch.

    Attributes:
        label: the query's.
        rows: in output order, behind those that it gave before.
        last: no more of them follow.
        calls: what a rule calls for its rows, as `rules.in_order` takes it; `None`: nothing.
    """

    label: str
    rows: pa.Table
    last: bool = True
    calls: pa.Table | None = None


@dataclass(slots=True)
class _Answer:
    """The rows that one query has for a batch, piece by piece; of the next piece it is known whether there is one.

    Attributes:
        flow: the query.
        pieces: its rows.
        goes_on: whether there are more than those that were given last.
    """

    flow: QueryRuntime
    pieces: Iterator[pa.Table]
    goes_on: bool = True
    _ahead: pa.Table | None = None

    @property
    def label(self) -> str:
        """The query's."""
        return self.flow.registration.label

    def next(self) -> pa.Table:
        """The next rows; none, if there are none at all."""
        self.goes_on = False  # should it fail, or have failed with the rows before
        if self.flow.failure is not None:
            return self.flow.no_rows
        rows = next(self.pieces, None) if self._ahead is None else self._ahead
        self._ahead = next(self.pieces, None)
        self.goes_on = self._ahead is not None
        return self.flow.no_rows if rows is None else rows


class _TimeSpent:
    """How long each query has taken for a batch, all pieces together; one that takes too long fails.

    Args:
        seconds: that it may take; `None`: as many as it takes.
    """

    def __init__(self, seconds: float | None) -> None:
        self._seconds = seconds
        self._spent: dict[str, tuple[float, float]] = {}

    @contextmanager
    def of(self, label: str) -> Iterator[None]:
        """Count what is done within, on this thread, as done for a query."""
        clock, processor = self._spent.get(label, (0.0, 0.0))
        began = monotonic(), process_time()
        try:
            with limit_time(self._seconds, (clock, processor)):
                yield
        finally:
            self._spent[label] = (clock + monotonic() - began[0], processor + process_time() - began[1])


def _together(
    released: Sequence[tuple[QueryRuntime, Mapping[str, EventBatch], datetime | None]],
) -> dict[str, CommonCall]:
    """By label, what queries do together that are equal but for their contexts and are given the same."""
    companies: dict[Hashable, list[tuple[QueryRuntime, Mapping[str, EventBatch]]]] = {}
    for flow, given, watermark in released:
        company = flow.company(given, watermark)
        if company is not None:
            companies.setdefault(company, []).append((flow, given))
    calls: dict[str, CommonCall] = {}
    for members in companies.values():
        if len(members) > 1:
            flows = [flow for flow, _ in members]
            offered = next((offer for flow in flows if (offer := flow.offer()) is not None), None)
            call = CommonCall([flow.query for flow in flows], members[0][1], offered)
            calls |= dict.fromkeys((flow.registration.label for flow in flows), call)
    return calls


def _feed(
    answer: _Answer, rows: pa.Table, events: dict[str, EventBatch], watermarks: dict[str, datetime | None]
) -> None:
    """Make the rows of a named query the events of the stream of that name."""
    flow = answer.flow
    if flow.query.name is None:
        return
    events[flow.query.name] = EventBatch(flow.as_events(rows))
    passed = flow.watermark_of(watermarks)
    if answer.goes_on and passed is not None:
        passed = min(passed, pc.max(rows["_time"]).as_py())  # rows come in order of time
    watermarks[flow.query.name] = flow.row_watermark(passed)


def _readers(levels: Sequence[Sequence[QueryRuntime]], names: set[str | None]) -> list[list[QueryRuntime]]:
    """Of queries by depth those that read the output of others, or of one that does."""
    found, names = [], set(names)
    for level in levels:
        readers = [flow for flow in level if flow.streams & names]
        names |= {flow.query.name for flow in readers}
        found.append(readers)
    return [level for level in found if level]


def _depths(flows: Sequence[QueryRuntime]) -> list[list[QueryRuntime]]:
    """Queries by depth: each after those whose output it reads."""
    depth: dict[str | None, int] = {}
    levels: dict[int, list[QueryRuntime]] = {}
    for flow in flows:
        own = 1 + max((depth[stream] for stream in flow.streams if stream in depth), default=-1)
        if flow.query.name is not None:
            depth[flow.query.name] = own
        levels.setdefault(own, []).append(flow)
    return [levels[place] for place in sorted(levels)]


def _batches(events: Mapping[str, pa.Table]) -> dict[str, EventBatch]:
    return {name: EventBatch(table) for name, table in events.items()}
