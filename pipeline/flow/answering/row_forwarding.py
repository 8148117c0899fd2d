"""What becomes of a query's rows: events of the queries that read them, changes of contexts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import partial

import pyarrow as pa
import pyarrow.compute as pc

from ....language.nodes import Query
from ..queries import EventBatch, QueryGraph, QueryIsolation, QueryRuntime
from ..rules import FiringOrder, fitted, united
from .running_answer import RunningAnswer

__all__ = ["RowForwarding"]


class RowForwarding:
    """Hands the rows of a batch on to those that wait for them.

    Args:
        queries: the registered queries.
        isolation: how each of them is run.
    """

    def __init__(self, queries: QueryGraph, isolation: QueryIsolation) -> None:
        self._queries, self._isolation = queries, isolation

    def serve(
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
            events[flow.query.name] = EventBatch(flow.rows.as_events(rows))
            watermarks[flow.query.name] = flow.row_watermark(flow.watermark)
        passed = flow.row_watermark(flow.watermark)
        for stream, emitted in self.emitted(flow, rows).items():
            before = [events[stream].table] if stream in events else []
            events[stream] = EventBatch(united([*before, emitted]))
            known = watermarks.get(stream, passed)
            watermarks[stream] = None if known is None or passed is None else min(known, passed)
        if derives and flow.failure is None:
            self.offer(flow.registration.label, rows)

    def feed(
        self,
        answer: RunningAnswer,
        rows: pa.Table,
        events: dict[str, EventBatch],
        watermarks: dict[str, datetime | None],
    ) -> None:
        """Make rows of a named query, behind which more may come, the events of the stream of that name."""
        self._isolation.run(answer.flow, partial(_feed, answer, rows, events, watermarks))

    def emitted(self, flow: QueryRuntime, rows: pa.Table) -> dict[str, pa.Table]:
        """By stream that queries read, the events that a rule emits for rows, perhaps none."""
        found: dict[str, list[pa.Table]] = {}
        for query, events in self._isolation.run(flow, partial(flow.rows.emitted, rows)) or ():
            name = query.output.name
            if self._queries.lineage.reads(name):
                found.setdefault(name, []).append(fitted(events, self._queries.lineage.event_types(name)))
        return {name: united(tables) for name, tables in found.items()}

    def offer(self, label: str, rows: pa.Table) -> None:
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
            yield from flow.firing.changes(rows, self._queries.lineage.place_of(flow))
            return
        place = FiringOrder.of_query(self._queries.lineage.place_of_deriving(flow.registration.label))
        yield flow.query, rows, [place] * rows.num_rows

    def settle(self, name: str, events: dict[str, EventBatch], watermarks: dict[str, datetime | None]) -> None:
        """Let a set be known as far as the queries that derive it have been answered."""
        contexts = self._queries.contexts[name]
        known = self._queries.known_contexts(name, watermarks)
        if known is not None:
            contexts.advance(known)
        stream = contexts.set.changes_stream
        changes = contexts.changes(wanted=self._queries.lineage.reads(stream))
        events[stream], watermarks[stream] = EventBatch(changes), contexts.known


def _feed(
    answer: RunningAnswer, rows: pa.Table, events: dict[str, EventBatch], watermarks: dict[str, datetime | None]
) -> None:
    """Make the rows of a named query the events of the stream of that name."""
    flow = answer.flow
    if flow.query.name is None:
        return
    events[flow.query.name] = EventBatch(flow.rows.as_events(rows))
    passed = flow.watermark_of(watermarks)
    if answer.goes_on and passed is not None:
        passed = min(passed, pc.max(rows["_time"]).as_py())  # rows come in order of time
    watermarks[flow.query.name] = flow.row_watermark(passed)
