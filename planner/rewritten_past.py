"""The past in SPARQL, and what operators have to know of it to go on (paper §5.2, §6.1)."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from math import prod
from typing import assert_never

from ..annotator import EventShape
from ..archive import ReadView
from ..archive.rewrite import (
    CandidateQuery,
    MatchQuery,
    RefusedError,
    WindowQuery,
    datasets,
    rewrite_exact_candidates,
    rewrite_matches,
    rewrite_windows,
)
from ..archive.sparql import Timeout
from ..archive.store import Store, StoreUnavailableError
from ..cep import adopted_matches, adopted_windows
from ..cep.output import MatchFrame
from ..errors import ArchiveError, PlanError
from ..language.nodes import AfterMatchKind, Kind, Query
from ..ontology import KnowledgeBase
from .backfill_chunks import (
    BackfillChunk,
    BackfillRequest,
    TimeRange,
    at_most,
    latest,
    lowest_watermark,
    replayed,
    replayed_from,
)
from .strategies import require_archived

_LOG = logging.getLogger("kaicep")

_AT_ONCE = 1_000_000
"""So many combinations of events are looked at where they are asked for, in a second or two; Oxigraph takes no sign to
stop, so what may be more is asked in a process that can be ended."""

Rewritten = CandidateQuery | MatchQuery | WindowQuery


@dataclass(frozen=True)
class Rewrite:
    """Everything in SPARQL up to the border; the operators go on from there.

    What the store holds for certain ends where the log has events that the store lacks, or where events can still come
    live. Matches that became true before are SPARQL's. Those across the border are the operators': they are given the
    events of the boundary window, the last ones that a later match can hold, and report nothing of them.

    Args:
        archive: its store answers.
        request: of one query.
        rewritten: the query's SPARQL.
        border: where SPARQL's part ends; `None`: a stream has not begun, so nothing of the past is certain.
        rows: how many events of the log are read at once, about.
        asked_for: whether nothing else will do: where SPARQL has no answer in time, the log gives none either.
    """

    archive: ReadView
    request: BackfillRequest
    rewritten: Rewritten
    border: datetime | None
    rows: int
    asked_for: bool = False

    @classmethod
    def of(
        cls, archive: ReadView, request: BackfillRequest, query: Query, rows: int, *, asked_for: bool = False
    ) -> Rewrite:
        """Rewrite a query that the store can be asked for.

        Raises:
            RefusedError: why it cannot be rewritten.
        """
        rewritten = rewrite(query, archive.shapes, archive.knowledge)
        border = lowest_watermark(request.watermarks)
        missing = archive.scan(request.columns, after=archive.held, upto=request.upto).time_range()
        if border is not None and missing is not None:
            border = min(border, missing[0])
        made = cls(archive, request, rewritten, border, rows, asked_for)
        if isinstance(rewritten, WindowQuery):
            made.text()
        return made

    def text(self) -> str:
        """The SPARQL."""
        graphs = self._graphs()
        span = self._span()
        # Named graphs of one stream need not be listed again, which would keep Oxigraph from its quickest join.
        told = graphs if len(graphs) > 1 else None
        match self.rewritten:
            case CandidateQuery(source=source) as select:
                among = None if told is None else told[source.stream.name]
                inner = select.text_with(among, span.start, span.end)
                return f"{inner} ORDER BY {select.moment} ?{source.variable}"
            case WindowQuery() as windows:
                return windows.text(told, span.start, span.end, self.border)
            case MatchQuery() as matches:
                return matches.text(told, span.start, span.end)
            case _:
                assert_never(self.rewritten)

    def parts(self) -> Iterator[BackfillChunk]:
        """First SPARQL's rows, then what the operators have to know, then the rest of the log.

        Raises:
            PlanError: it was asked for, and SPARQL has no answer within `rewrite_timeout` and the memory it may have.
        """
        store, request, border = self.archive.store, self.request, self.border
        scan = self.archive.scan(request.columns, upto=request.upto)
        if store is None or request.span is None:
            return
        if border is None:
            yield from replayed(scan, request, self.rows)
            return
        watermarks = at_most(request.watermarks, border)
        try:
            if any(self._graphs().values()) and (request.span.start is None or request.span.start < border):
                yield from self._answered(store, watermarks)
        except ArchiveError as error:
            self._explain(error)
            yield from replayed(scan, request, self.rows)
            return
        reach = timedelta(0) if isinstance(self.rewritten, CandidateQuery) else self.rewritten.reach
        start = latest(request.span.start, _before(border, reach))
        if reach and start < border:
            yield BackfillChunk(watermarks, events=scan.read(start, border, request.columns), primes=True)
        yield from replayed_from(border, scan, request, self.rows)

    def _explain(self, error: ArchiveError) -> None:
        """Say why the log answers instead of SPARQL.

        Raises:
            PlanError: it must not.
        """
        if isinstance(error, StoreUnavailableError):
            return
        if self.asked_for:
            raise PlanError(
                f"strategy 'rewrite' has no answer: {error.message}",
                hint="leave the choice to the planner, ask for replay, or raise rewrite_timeout in [archive]",
            ) from error
        _LOG.warning("SPARQL has no answer for the past of a query, which is replayed: %s", error.message)

    def _answered(self, store: Store, watermarks: Mapping[str, datetime | None]) -> Iterator[BackfillChunk]:
        """What SPARQL finds, if anything: time goes on only when the operators know what lies before the border."""
        graphs = [name for of_stream in self._graphs().values() for name in of_stream]
        tsv = store.select(self.text(), *datasets(graphs, apart=self.rewritten.apart), self._timeout(graphs))
        rewritten = self.rewritten
        if isinstance(rewritten, CandidateQuery):
            yield BackfillChunk(watermarks, candidates={rewritten.source.variable: rewritten.read(tsv)})
        elif (matches := self._matches(rewritten, tsv)) is not None:
            yield BackfillChunk(watermarks, matches=matches)

    def _timeout(self, graphs: Sequence[str]) -> Timeout | None:
        """When SPARQL is given up; `None`: it looks at few combinations of events, each in one graph or in all."""
        span, sources = self._span(), self.request.queries[-1].sources
        scans = [self.archive.scan([s.stream.name], upto=self.request.upto) for s in sources]
        if isinstance(self.rewritten, WindowQuery):
            scans *= 2  # each event's window is looked for among all events
        looked_at = prod(scan.rows(span.start, span.end) for scan in scans)
        if looked_at * (1 if self.rewritten.apart else len(graphs)) <= _AT_ONCE:
            return None
        return Timeout(self.archive.rewrite_timeout.total_seconds(), self.request.cancelled)

    def _matches(self, rewritten: MatchQuery | WindowQuery, tsv: bytes) -> MatchFrame | None:
        query, span = self.request.queries[-1], self._span()
        if isinstance(rewritten, MatchQuery):
            bound = rewritten.read(tsv)
            return adopted_matches(query, bound) if next(iter(bound.values())).height else None
        return adopted_windows(query, rewritten.read(tsv, span.start, span.end, self.border))

    def _graphs(self) -> dict[str, list[str]]:
        store, span = self.archive.store, self._span()
        if store is None:
            return {}
        return {stream: store.graphs(stream, span.start, span.end) for stream in self.request.columns}

    def _span(self) -> TimeRange:
        """The events that SPARQL is asked about; from the first one, if nothing else is said."""
        start = None if self.request.span is None else self.request.span.start
        end = self.border
        if end is not None and self.request.span is not None and self.request.span.end is not None:
            end = min(end, self.request.span.end)
        if start is None and isinstance(self.rewritten, WindowQuery):
            known = self.archive.scan(self.request.columns, upto=self.request.upto).time_range()
            start = end if known is None else known[0]
        return TimeRange(start, end)


def rewrite(query: Query, shapes: Mapping[str, EventShape], knowledge: KnowledgeBase) -> Rewritten:
    """A query's SPARQL, whatever archive it is asked of.

    Raises:
        RefusedError: SPARQL cannot say it.
    """
    require_archived(query, shapes)
    match query.kind:
        case Kind.SELECTION:
            return rewrite_exact_candidates(query, 0, shapes, knowledge)
        case Kind.AGGREGATION:
            return rewrite_windows(query, shapes, knowledge)
        case Kind.PATTERN:
            if query.after_match.kind is not AfterMatchKind.KEEP_ALL:
                clause = "POLICY" if query.after_match.is_mode else "AFTER MATCH"
                raise RefusedError(f"{clause} chooses among matches one after the other")
            return rewrite_matches(query, shapes, knowledge)


def _before(moment: datetime, duration: timedelta) -> datetime:
    first = datetime.min.replace(tzinfo=UTC)
    return first if moment - first < duration else moment - duration
