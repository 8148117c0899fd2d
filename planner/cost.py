"""What a strategy would cost, from the archive's statistics: rows, segments, buckets, and candidates in a sample.

The constants are seconds, measured on one machine by `benchmarks.archive`; choosing needs their ratios only.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import assert_never

from ..archive import ReadView
from ..archive.rewrite import CandidateQuery
from ..language.nodes import Kind, Query
from .backfill_chunks import BackfillRequest

_SEGMENT = 4e-4
"""To open a segment of the log."""
_ROW = 8e-7
"""To read an event from the log, to filter it, and to correlate it."""
_GRAPH = 4e-3
"""To ask a bucket of the store, several of them at once."""
_TRIPLE = 1.5e-6
"""To look at an event in the store."""
_SOLUTION = 6e-5
"""To bring a candidate with its columns out of the store."""
_PAIR = 2e-6
"""To compare two candidates in SPARQL."""


@dataclass(frozen=True, slots=True)
class Statistics:
    """What the archive holds of what is asked.

    Attributes:
        rows: events.
        segments: of the log.
        graphs: buckets of the store.
        candidates: by event variable, how many there are, if all buckets are like a sample.
        looked_at: by event variable, how many events SPARQL looks at to find them.
        apart: whether SPARQL knows for each triple in which graph it is.
    """

    rows: int
    segments: int
    graphs: int
    candidates: dict[str, int]
    looked_at: dict[str, int]
    apart: bool = True

    def replay(self) -> float:
        """Seconds that the log and the operators take."""
        return _SEGMENT * self.segments + _ROW * self.rows

    def hybrid(self) -> float:
        """Seconds that SPARQL takes to give the candidates."""
        return sum(
            _GRAPH * self.graphs + _TRIPLE * self.looked_at[v] + _SOLUTION * count
            for v, count in self.candidates.items()
        )

    def rewrite(self, query: Query) -> float:
        """Seconds that SPARQL takes for everything; Oxigraph compares every two candidates."""
        counts = list(self.candidates.values())
        match query.kind:
            case Kind.SELECTION:
                pairs = 0
            case Kind.AGGREGATION:
                pairs = counts[0] ** 2
            case Kind.PATTERN:
                pairs = sum(a * b for a, b in combinations(counts, 2))
            case _:
                assert_never(query.kind)
        # One query over all buckets may look each event up in each of them.
        again = 0 if self.apart else sum(self.looked_at.values()) * self.graphs / 4
        return self.hybrid() + _TRIPLE * again + _PAIR * pairs


def log_statistics(archive: ReadView, request: BackfillRequest) -> Statistics:
    """What the log's footers tell, which costs next to nothing."""
    if request.span is None:
        return Statistics(0, 0, 0, {}, {})
    scan = archive.scan(request.columns, upto=request.upto)
    return Statistics(scan.rows(request.span.start, request.span.end), scan.segments, 0, {}, {})


def store_statistics(archive: ReadView, request: BackfillRequest, selects: tuple[CandidateQuery, ...]) -> Statistics:
    """The same and what the store tells: its buckets, and how many candidates one of them has."""
    known = log_statistics(archive, request)
    store = archive.store
    if store is None or request.span is None:
        return known
    candidates, looked_at, graphs = {}, {}, 0
    for select in selects:
        stream = select.source.stream.name
        buckets = store.graphs(stream, request.span.start, request.span.end)
        graphs = max(graphs, len(buckets))
        of_stream = archive.scan([stream], upto=request.upto).rows(request.span.start, request.span.end)
        sample = buckets[len(buckets) // 2 :][:1]
        found = select.read(store.select(select.text, *select.datasets(sample))).num_rows if sample else 0
        candidates[select.source.variable] = found * len(buckets)
        looked_at[select.source.variable] = min(of_stream, found * len(buckets)) if select.indexed else of_stream
    apart = all(select.apart for select in selects)
    return Statistics(known.rows, known.segments, graphs, candidates, looked_at, apart)
