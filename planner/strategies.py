"""The strategies by which the past is answered, and which of them can answer a query (paper §5)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from functools import cached_property

import pyarrow as pa

from ..annotator import EventShape
from ..archive import ReadView
from ..archive.log import LogScan
from ..archive.rewrite import CandidateQuery, RefusedError, find_candidates, rewrite_candidates
from ..archive.store import Store, StoreUnavailableError, bucket_start
from ..cep.order import sees_all_events
from ..language.nodes import Element, Group, Query, walk_pattern
from ..ontology import KnowledgeBase
from .backfill_chunks import (
    BackfillChunk,
    BackfillRequest,
    TimeRange,
    lowest_watermark,
    prefiltered,
    replayed,
    replayed_from,
)

_GRAPHS_AT_ONCE = 16
"""So many graphs a query: what is asked of knowledge is asked once for all of them."""
_GRAPHS_AT_ONCE_MIXED = 4
"""The same where events and knowledge are asked as one: each triple is looked for in every graph, so the time grows
with their square."""


class Strategy(StrEnum):
    """How the past is answered; the rows never depend on it."""

    REPLAY = "replay"
    REWRITE = "rewrite"
    HYBRID = "hybrid"


@dataclass(frozen=True)
class Replay:
    """All events from the log, through the same filters and operators as live ones."""

    archive: ReadView
    request: BackfillRequest
    rows: int

    @cached_property
    def scan(self) -> LogScan:
        """The log up to the border."""
        return self.archive.scan(self.request.columns, upto=self.request.upto)

    def parts(self) -> Iterator[BackfillChunk]:
        """The past, piece by piece."""
        yield from replayed(self.scan, self.request, self.rows)


@dataclass(frozen=True)
class Hybrid:
    """PATHs and FILTERs by SPARQL over the store, correlation by the operators.

    Args:
        archive: its store answers for what it holds, its log for the rest.
        request: of one query.
        selects: one SELECT for each event variable.
        rows: how many events of the log are read at once, about.
    """

    archive: ReadView
    request: BackfillRequest
    selects: tuple[CandidateQuery, ...]
    rows: int

    @classmethod
    def of(cls, archive: ReadView, request: BackfillRequest, rows: int) -> Hybrid:
        """Rewrite the query.

        Raises:
            RefusedError: why it cannot be rewritten.
        """
        selects = candidate_queries(only_query(archive, request), archive.shapes, archive.knowledge)
        return cls(archive, request, selects, rows)

    def parts(self) -> Iterator[BackfillChunk]:
        """The past, bucket range by bucket range; from the border on, where batches still come, from the log."""
        whole = self.archive.scan(self.request.columns, upto=self.request.upto)
        border = lowest_watermark(self.request.watermarks)
        if border is None:
            yield from replayed(whole, self.request, self.rows)
            return
        yield from self._complete(border, whole)
        yield from replayed_from(border, whole, self.request, self.rows)

    def _complete(self, border: datetime, whole: LogScan) -> Iterator[BackfillChunk]:
        """What lies before the border: nothing comes to it, so each variable is asked about the same events.

        From where a store behind an endpoint stops answering, the log gives the rest.
        """
        store, held, span = self.archive.store, self.archive.held, self.request.span
        if store is None or span is None or (span.start is not None and span.start >= border):
            return
        before = TimeRange(span.start, border if span.end is None else min(span.end, border))
        rest = self.archive.scan(self.request.columns, after=held, upto=self.request.upto)
        at_once = _GRAPHS_AT_ONCE if all(select.apart for select in self.selects) else _GRAPHS_AT_ONCE_MIXED
        borders = bucket_borders(store, list(self.request.columns), before, at_once)

        asked_from = before.start

        def found(start: datetime | None, end: datetime | None) -> dict[str, pa.Table]:
            nonlocal asked_from
            asked_from = start
            return {s.source.variable: find_candidates(store, s, start, end) for s in self.selects}

        try:
            yield from prefiltered(rest, replace(self.request, span=before), borders, found)
        except StoreUnavailableError:
            yield from replayed(whole, replace(self.request, span=TimeRange(asked_from, before.end)), self.rows)


def candidate_queries(
    query: Query, shapes: Mapping[str, EventShape], knowledge: KnowledgeBase
) -> tuple[CandidateQuery, ...]:
    """One SELECT for the candidates of each event variable.

    Raises:
        RefusedError: candidates are not all that the query looks at, or SPARQL cannot say what they are.
    """
    require_archived(query, shapes)
    if sees_all_events(query):
        raise RefusedError("strict contiguity looks at every event, candidate or not")
    for part in () if query.pattern is None else walk_pattern(query.pattern):
        if isinstance(part, Element | Group) and part.quantifier is not None and part.quantifier.until is not None:
            raise RefusedError("UNTIL looks at events that are no candidates")
    return tuple(rewrite_candidates(s, shapes[s.stream.name], knowledge) for s in query.sources)


def require_archived(query: Query, shapes: Mapping[str, EventShape]) -> None:
    """Refuse a query that reads the output of another: the archive has events only.

    Raises:
        RefusedError: it does.
    """
    derived = next((s.stream.name for s in query.sources if s.stream.name not in shapes), None)
    if derived is not None:
        raise RefusedError(f"it reads the output of '{derived}', which is no part of the archived events")


def only_query(archive: ReadView, request: BackfillRequest) -> Query:
    """The query, when the store can be asked for it.

    Raises:
        RefusedError: the store cannot.
    """
    if archive.store is None:
        raise RefusedError("the archive has no store")
    if not archive.informed:
        raise RefusedError("the store does not have the knowledge base yet")
    since, span = archive.store.since, request.span
    if since is not None and span is not None and (span.start is None or span.start < since):
        raise RefusedError(f"the store has events from {since:%Y-%m-%dT%H:%M:%SZ} on only")
    return request.queries[-1]


def bucket_borders(store: Store, streams: Sequence[str], span: TimeRange, at_once: int) -> list[datetime]:
    """The moments at which a few buckets end and the next few begin."""
    graphs = (name for stream in streams for name in store.graphs(stream, span.start, span.end))
    starts = sorted({start for name in graphs if (start := bucket_start(name)) is not None})
    return [s for s in starts[at_once::at_once] if span.start is None or s > span.start]
