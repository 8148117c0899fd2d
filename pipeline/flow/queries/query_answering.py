"""A batch's events to the queries that read them, level by level: rows of named queries are others' events."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from functools import partial
from types import MappingProxyType

import pyarrow as pa

from ....cep import limit_time
from ....errors import PipelineError
from ....planner import BackfillChunk
from ...monitoring import log_context
from .candidate_selection import EventBatch
from .query_graph import QueryGraph
from .query_isolation import QueryIsolation
from .query_runtime import QueryRuntime

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
    ) -> Iterator[tuple[str, pa.Table]]:
        """Label and rows of each query, as they become certain.

        Args:
            events: by source stream, what was admitted.
            watermarks: of the source streams; those of queries' output are added.
            found: by event variable, candidates that the archive's store found.
            seconds: that each query may take, or it fails; `None`: as many as it takes.
        """
        batches = _batches(events)
        for level in self._queries.levels():
            flows = [self._queries.flows[label] for label in level]
            for flow in flows:
                self._withhold(flow)
            found_rows = self._run(flows, batches, watermarks, found, seconds)
            for label, flow, rows in zip(level, flows, found_rows, strict=True):
                self._isolation.run(flow, partial(_feed, flow, rows, batches, watermarks))
                seen = self._isolation.run(flow, partial(flow.visible, rows))
                yield label, flow.visible(flow.no_rows) if seen is None else seen

    def answer_past(self, part: BackfillChunk) -> Iterator[tuple[str, pa.Table]]:
        """Label and rows of each query for a piece of the past, whose events were admitted when they came."""
        if part.matches is None and not part.primes:
            yield from self.answer(part.events, dict(part.watermarks), part.candidates)
            return
        for label, flow in self._queries.flows.items():
            watermark = flow.watermark_of(part.watermarks)
            if part.primes:
                self._isolation.run(flow, partial(flow.prime, _batches(part.events), watermark))
            elif part.matches is not None:
                rows = self._isolation.run(flow, partial(flow.report, part.matches, watermark))
                yield label, flow.visible(flow.no_rows if rows is None else rows)

    def _run(
        self,
        flows: list[QueryRuntime],
        events: Mapping[str, EventBatch],
        watermarks: Mapping[str, datetime | None],
        found: Mapping[str, pa.Table],
        seconds: float | None,
    ) -> Iterator[pa.Table]:
        """The rows of queries of one level, in their order, as they come."""

        def answered(flow: QueryRuntime) -> pa.Table:
            with log_context(query=flow.registration.label), limit_time(seconds):
                rows = self._isolation.run(flow, partial(flow.process, events, flow.watermark_of(watermarks), found))
            return flow.no_rows if rows is None else rows

        return map(answered, flows) if self._pool is None else self._pool.map(answered, flows)

    def _withhold(self, flow: QueryRuntime) -> None:
        """Stop a query with the one whose output it reads: it would take the missing rows for absence."""
        label = flow.registration.label
        cause = None if flow.failure is not None else self._queries.cause_of(flow.query)
        if cause is not None:
            message = f"'{label}' reads '{cause}', which is parked"
            flow.fail(PipelineError(message, hint=f"resume that: kaicep resume {cause}"))


def _feed(
    flow: QueryRuntime, rows: pa.Table, events: dict[str, EventBatch], watermarks: dict[str, datetime | None]
) -> None:
    """Make the rows of a named query the events of the stream of that name."""
    if flow.query.name is None:
        return
    events[flow.query.name] = EventBatch(flow.as_events(rows))
    watermarks[flow.query.name] = flow.row_watermark(flow.watermark_of(watermarks))


def _batches(events: Mapping[str, pa.Table]) -> dict[str, EventBatch]:
    return {name: EventBatch(table) for name, table in events.items()}
