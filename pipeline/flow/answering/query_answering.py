"""A batch's events to the queries that read them, level by level: rows of named queries are others' events."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from functools import partial
from itertools import groupby
from operator import attrgetter
from types import MappingProxyType

import pyarrow as pa

from ....cep import joined_rows
from ....language.nodes import COMPANION
from ....planner import BackfillChunk
from ...monitoring import log_context
from ..queries import (
    CommonCall,
    EventBatch,
    EventSplits,
    QueryGraph,
    QueryIsolation,
    QueryRuntime,
    bounds_of,
    shared_batch,
)
from .circle_answering import CircleAnswering
from .joint_answering import JointAnswering
from .row_forwarding import RowForwarding
from .running_answer import QueryRows, RunningAnswer, TimeSpent
from .withheld_queries import withhold

__all__ = ["QueryAnswering"]


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
        self._joint = JointAnswering(isolation)
        self._forwarding = RowForwarding(queries, isolation)
        self._circles = CircleAnswering(queries, isolation, self._forwarding)

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
        if self._queries.contexts or self._queries.lineage.emits:
            yield from self._in_contexts(self._batches(events), watermarks, found, TimeSpent(seconds))
            return
        labels = self._queries.lineage.levels(self._queries.suspended)
        levels = [[self._queries.flows[label] for label in level] for level in labels]
        held: dict[str, list[pa.Table]] = {}
        time = TimeSpent(seconds)
        for one in self._levels(levels, self._batches(events), watermarks, found, time, again=frozenset()):
            yield from self._visible(one.label, one.rows, held, last=one.last)

    def _batches(self, events: Mapping[str, pa.Table]) -> dict[str, EventBatch]:
        """The events by stream, of which each finds at once what all queries ask."""
        return {name: shared_batch(table, partial(self._queries.filter_graph, name)) for name, table in events.items()}

    def _levels(
        self,
        levels: Sequence[Sequence[QueryRuntime]],
        events: Mapping[str, EventBatch],
        watermarks: dict[str, datetime | None],
        found: Mapping[str, pa.Table],
        time: TimeSpent,
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
        withhold(self._queries, levels[0])
        asked = [(flow, events, flow.watermark_of(watermarks)) for flow in levels[0]]
        answers = self._begun(asked, found, time)
        given, later = dict(events), levels[1:]
        while answers:
            for answer, rows in zip(answers, self._next(answers, time), strict=True):
                if later:
                    self._forwarding.feed(answer, rows, given, watermarks)
                yield QueryRows(answer.label, rows, last=not (answer.goes_on or answer.label in again))
            answers = [answer for answer in answers if answer.goes_on]
            readers = _readers(levels[1:], {answer.flow.query.name for answer in answers})
            reading = {flow.registration.label for level in readers for flow in level}
            yield from self._levels(later, given, watermarks, found, time, again=again | reading)
            later, given, found = readers, {}, {}

    def _in_contexts(
        self,
        events: dict[str, EventBatch],
        watermarks: dict[str, datetime | None],
        found: Mapping[str, pa.Table],
        time: TimeSpent,
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
                    held: dict[str, list[pa.Table]] = {}
                    for flow, rows in self._circles.answer(component, events, watermarks, splits, time):
                        yield from self._visible(flow.registration.label, rows, held, last=True)
                for name in component.sets:
                    self._forwarding.settle(name, events, watermarks)

    def _each(
        self,
        flows: Sequence[QueryRuntime],
        events: dict[str, EventBatch],
        watermarks: dict[str, datetime | None],
        splits: EventSplits,
        *,
        found: Mapping[str, pa.Table],
        time: TimeSpent,
    ) -> Iterator[QueryRows]:
        """The rows of queries that do not wait for each other; what others need of them is fed to these."""
        withhold(self._queries, flows)
        kept: dict[str, list[pa.Table]] = {}
        released = []
        for flow in flows:
            label = flow.registration.label
            serves = self._queries.lineage.serves(flow)
            given, watermark = flow.released(events, watermarks, splits)
            if self._isolation.run(flow, partial(flow.is_passed_over, given, watermark)):
                kept |= {label: [flow.no_rows]} if serves else {}
                yield QueryRows(label, flow.rows.none)
                continue
            kept |= {label: []} if serves else {}
            released.append((flow, given, watermark))
        answers = self._begun(released, found, time)
        held: dict[str, list[pa.Table]] = {}
        running = answers
        while running:
            for answer, rows in zip(running, self._next(running, time), strict=True):
                if answer.label in kept:
                    kept[answer.label].append(rows)
                yield from self._visible(answer.label, rows, held, last=not answer.goes_on)
            running = [answer for answer in running if answer.goes_on]
        for label, parts in kept.items():
            self._forwarding.serve(self._queries.flows[label], joined_rows(parts), events, watermarks)

    def _begun(self, asked: Sequence[_Asked], found: Mapping[str, pa.Table], time: TimeSpent) -> list[RunningAnswer]:
        """The answers of queries that do not read each other, begun together where that is one search."""
        together = {} if found else _together(asked)
        others = [one for one in asked if one[0].registration.label not in together]
        joint = {} if found else self._joint.answers(others, time)
        return [
            joint.get(label) or RunningAnswer(flow, flow.pieces(given, watermark, found, together.get(label)))
            for flow, given, watermark in asked
            for label in (flow.registration.label,)
        ]

    def answer_past(self, part: BackfillChunk, *, seconds: float | None = None) -> Iterator[QueryRows]:
        """The rows of each query for events that were admitted before; `seconds`: see `answer`."""
        if part.matches is None and not part.primes:
            yield from self.answer(part.events, dict(part.watermarks), part.candidates, seconds=seconds)
            while self._queries.drop_passed():  # nobody waits for them any more
                yield from self.answer({}, dict(part.watermarks))
            return
        for label, flow in self._queries.flows.items():
            watermark = flow.watermark_of(part.watermarks)
            if part.primes:
                self._isolation.run(flow, partial(flow.prime, self._batches(part.events), watermark))
            elif part.matches is not None:
                rows = self._isolation.run(flow, partial(flow.report, part.matches, watermark))
                yield QueryRows(label, flow.rows.visible(flow.no_rows if rows is None else rows))

    def _next(self, answers: Sequence[RunningAnswer], time: TimeSpent) -> Iterator[pa.Table]:
        """The next rows of each query of one level, in their order, as they come."""

        def following(answer: RunningAnswer) -> pa.Table:
            if answer.found:
                return answer.next()
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
        seen = self._isolation.run(flow, partial(flow.rows.visible, rows))
        answer = QueryRows(label, flow.rows.none if seen is None else seen, last=last)
        if flow.firing is not None:
            calls = self._isolation.run(flow, partial(flow.firing.calls, rows, self._queries.lineage.place_of(flow)))
            answer = answer._replace(calls=calls, done=flow.firing.done(rows, calls))
        yield answer


_Asked = tuple[QueryRuntime, Mapping[str, EventBatch], datetime | None]
"""A query, what it is given by stream, and the watermark up to which it is answered."""


def _together(released: Sequence[_Asked]) -> dict[str, CommonCall]:
    """By label, what queries do together that are equal but for contexts and bounds, and are given the same."""
    companies: dict[Hashable, list[tuple[QueryRuntime, Mapping[str, EventBatch]]]] = {}
    for flow, given, watermark in released:
        company = flow.company(given, watermark)
        if company is not None:
            companies.setdefault(company, []).append((flow, given))
    calls: dict[str, CommonCall] = {}
    for members in companies.values():
        flows = [flow for flow, _ in members]
        if len(members) > 1 and _gain(flows):
            offered = next((offer for flow in flows if (offer := flow.offer()) is not None), None)
            call = CommonCall([flow.query for flow in flows], members[0][1], offered)
            calls |= dict.fromkeys((flow.registration.label for flow in flows), call)
    return calls


def _gain(flows: Sequence[QueryRuntime]) -> bool:
    """Whether one search serves queries better than one that has them as partitions: these are equal but for names."""
    return flows[0].query.in_context is not None or len({bounds_of(flow.query) for flow in flows}) > 1


def _readers(levels: Sequence[Sequence[QueryRuntime]], names: set[str | None]) -> list[list[QueryRuntime]]:
    """Of queries by depth those that read the output of others, or of one that does."""
    found, names = [], set(names)
    for level in levels:
        readers = [flow for flow in level if flow.streams & names]
        names |= {flow.query.name for flow in readers}
        found.append(readers)
    return [level for level in found if level]
