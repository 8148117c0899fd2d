"""What the stages of the data path cost for a query of workload W, under every choice of optimisations."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from kaicep import Project
from kaicep.cep import build_operator
from kaicep.config import Settings
from kaicep.language.nodes import Query, Source
from kaicep.pipeline.flow.queries.candidates import CandidateSelection, EventBatch
from kaicep.planner import resolve_bounds
from kaicep.semfilter import SemanticFilter
from kaicep.semfilter.runtime import NAIVE, FilterOptions, SubqueryStatistics

STREAM = "airflowReport"
CAMPUS = Path(__file__).resolve().parent.parent / "examples" / "campus"

clock = time.process_time
"""CPU seconds of all threads: at least what an idle machine would take, and blind to who else runs on this one."""

RULES_ONLY = FilterOptions(buffer=False, cache_size=0, table_size=0)
"""The paper's run-time optimisations (§4.2) are measured on subqueries that were compiled (§4.1)."""


@dataclass(frozen=True, slots=True)
class Mode:
    """A line of Fig. 8a.

    Attributes:
        name: in the legend.
        query: file name.
        options: of the semantic filter.
        seconds: buffer interval; `None`: events come one by one.
    """

    name: str
    query: str
    options: FilterOptions
    seconds: float | None


def modes(sensors: int) -> tuple[Mode, ...]:
    """The lines of Fig. 8a; cache capacities are fractions of the distinct sensors."""
    buffered = replace(RULES_ONLY, buffer=True)
    return (
        Mode("CEP only (Query 1)", "query1.chi", FilterOptions(), 1.0),
        Mode("naive", "query5.chi", NAIVE, None),
        Mode("buffer 1 s", "query5.chi", buffered, 1.0),
        Mode("buffer 2 s", "query5.chi", buffered, 2.0),
        Mode("cache 10 %", "query5.chi", replace(RULES_ONLY, cache_size=sensors // 10), None),
        Mode("cache 100 %", "query5.chi", replace(RULES_ONLY, cache_size=sensors), None),
        Mode("buffer 1 s + cache 10 %", "query5.chi", replace(buffered, cache_size=sensors // 10), 1.0),
        Mode("buffer 1 s + cache 100 %", "query5.chi", replace(buffered, cache_size=sensors), 1.0),
        Mode("compiled", "query5.chi", FilterOptions(cache_size=sensors // 10), 1.0),
    )


@dataclass(frozen=True, slots=True)
class Cost:
    """CPU seconds per event, stage by stage, and what came out."""

    annotator: float
    semantic_filter: float
    cep: float
    rows: int

    @property
    def total(self) -> float:
        """All stages."""
        return self.annotator + self.semantic_filter + self.cep


class _Timed(SemanticFilter):
    """A semantic filter that knows how long it took."""

    def __init__(self, source: Source, project: Project, options: FilterOptions) -> None:
        super().__init__(source, project.annotators[STREAM].shape, project.knowledge, options)
        self.taken = 0.0

    def select(self, events: pa.Table) -> pa.Table:
        began = clock()
        selected = super().select(events)
        self.taken += clock() - began
        return selected


class QueryPath:
    """One query over one stream, batch by batch: annotator → semantic filter → CEP."""

    def __init__(self, project: Project, query: Query, options: FilterOptions) -> None:
        self._annotator = project.annotators[STREAM]
        self._semantic = _Timed(query.sources[0], project, options)
        self._source = CandidateSelection(query.sources[0], resolve_bounds(query.bounds, None), self._semantic)
        self._operator = build_operator(query)

    @property
    def statistics(self) -> tuple[SubqueryStatistics, ...]:
        """Hits and misses of the semantic filter."""
        return self._semantic.statistics

    def cost(self, batches: Sequence[pa.Table]) -> Cost:
        """Send batches of raw tuples through; the first is not timed when there are more: it fills caches."""
        spent: list[tuple[float, float, float]] = []
        events = rows = 0
        for number, raw in enumerate(batches):
            began, before = clock(), self._semantic.taken
            annotated = self._annotator.annotate(raw).events
            arrived = clock()
            candidates = self._source.candidates(EventBatch(annotated))
            watermark = pc.max(annotated["_time"]).as_py()
            rows += self._operator.process({self._source.source.variable: candidates}, watermark).num_rows
            semantic = self._semantic.taken - before
            if number or len(batches) == 1:
                spent.append((arrived - began, semantic, clock() - arrived - semantic))
                events += raw.num_rows
        annotator, semantic_filter, cep = (sum(column) / events for column in zip(*spent, strict=True))
        return Cost(annotator, semantic_filter, cep, rows)

    def held(self, raw: pa.Table) -> list[str]:
        """The ids of the events that pass."""
        found = self._source.candidates(EventBatch(self._annotator.annotate(raw).events))
        ids: list[str] = [] if found is None else list(found["_id"].to_numpy())
        return ids


def query_of(project: Project, file: str) -> Query:
    """A query of the campus example."""
    return project.compile((CAMPUS / "queries" / file).read_text(encoding="utf-8"), source=file)[-1]


def campus_project(knowledge: Sequence[Path], reasoner: str = "rl") -> Project:
    """The campus stream, its sensors named by template, over the given knowledge."""
    campus = Settings.load(CAMPUS)
    stream = campus.streams[STREAM].model_dump(exclude_unset=True)
    sensor = {"property": "evt:hasSource", "individual": "ee:{}"}
    return Project.parse(
        {
            "prefixes": campus.prefixes,
            "knowledge": {"modules": [str(path) for path in knowledge], "reasoner": reasoner},
            "streams": {STREAM: stream | {"attributes": stream["attributes"] | {"sensorID": sensor}}},
            "archive": {"enabled": False},
        }
    )


class Workload:
    """The events of workload W, over and over again, each time later."""

    def __init__(self, folder: Path) -> None:
        self._events = pq.read_table(folder / "events.parquet")
        moments = self._events["timestamp"].cast(pa.int64()).to_numpy()
        self._moments = moments
        self._span = int(moments[-1] - moments[0]) + 1

    def batch(self, start: int, size: int) -> pa.Table:
        """`size` events from the `start`-th on."""
        places = np.arange(start, start + size)
        once = places % len(self._moments)
        later = self._moments[once] + places // len(self._moments) * self._span
        moments = pa.array(later, pa.timestamp("ms", "UTC"))
        return self._events.take(pa.array(once)).set_column(1, "timestamp", moments)

    def batches(self, size: int, count: int) -> list[pa.Table]:
        """Batches of equal size, one after the other."""
        return [self.batch(number * size, size) for number in range(count)]


@dataclass(frozen=True, slots=True)
class Point:
    """A mode at an input rate (events/s): what it sustains, and what an event costs in each stage."""

    mode: str
    rate: int
    throughput: float
    cost: Cost


# One by one, events cost the same at any rate; so many of them are looked at, once.
_SAMPLE = 2_000
_BEHIND = 5


def points(
    project: Project, workload: Workload, mode: Mode, rates: Sequence[int], log: Callable[[str], None]
) -> list[Point]:
    """A line of Fig. 8a, as far as a batch costs no more than five buffer intervals."""
    query = query_of(project, mode.query)
    found: list[Point] = []
    for rate in rates:
        size = _SAMPLE if mode.seconds is None else int(rate * mode.seconds)
        cost = found[-1].cost if found else None
        if mode.seconds is not None and cost is not None and size * cost.total > _BEHIND * mode.seconds:
            break
        if mode.seconds is not None or cost is None:
            cost = QueryPath(project, query, mode.options).cost(workload.batches(size, 3 if size < 100_000 else 2))
        found.append(Point(mode.name, rate, min(rate, 1 / cost.total), cost))
        log(f"  {mode.name:26} input {rate:>9,}/s  sustained {found[-1].throughput:>11,.0f}/s")
    return found
