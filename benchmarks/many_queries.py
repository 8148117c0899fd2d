"""Many queries at once: variants of the paper's Queries 4-7 on workload W, in one run.

    python -m benchmarks.many_queries [--events 150000] [--batch 50000] [--rounds 2] [--most 1000]

1, 10, 100 and 1,000 queries, in turn of the four forms, each with a class of rooms, a department and a threshold of its
own, are given the same raw tuples: annotator → semantic filters → patterns → rows. *All* is that path; *filters* is
only what says which events the candidates of each event variable are; of one query alone, it copies them. Times are CPU
seconds of the process, the least of the rounds; the first batch is not timed: it fills caches. "The time of one" is the
mean of the four forms, each by itself.

Memory is measured of 100 queries that hold the same events, aggregates and patterns of which no two have the same
window: the bytes behind the candidates that operators hold, what several hold counted once, and those of snapshots,
in times of the greatest of four of these queries alone; beside it, how much the process grows with all 100.

Writes `many_queries.json` to `benchmarks/results/`, and ends with 1 when a bar is missed.
"""

from __future__ import annotations

import argparse
import gc
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from statistics import mean

import pyarrow as pa
from kaicep import Project
from kaicep.cep.order import held_bytes
from kaicep.examples.campus import workload_w
from kaicep.language.nodes import Query
from kaicep.pipeline.flow.answering.company import CompanySelection
from kaicep.pipeline.flow.batch import live_batch
from kaicep.pipeline.flow.dataflow import Dataflow
from kaicep.pipeline.flow.queries import QueryRuntime
from kaicep.pipeline.flow.queries.candidates import shared_batch
from kaicep.pipeline.flow.queries.registration import Registration

from .path import ROOT, workload
from .report import Bar, at_most, end, keep, machine_with
from .semantic_stages import CAMPUS, STREAM, Workload, campus_project, clock

__all__ = ["texts"]

COUNTS = (1, 10, 100, 1_000)
FORMS = 4
HOLDERS, HELD_EVENTS, HELD_BATCH = 100, 100_000, 5_000
MOST_HELD = 1.5
BARS = {("all", 100): 5, ("all", 1_000): 30, ("filters", 100): 3, ("filters", 1_000): 10}

_ROOM = "?{e} evt:hasSource ?s{e} . ?s{e} rdf:type ee:AirflowSensor . ?s{e} bd:hasLocation ?l{e} . ?l{e} rdf:type bd:"
_OF = "?l{e} bd:belongsTo org:{department}"


def texts(count: int) -> list[str]:
    """So many queries, no two alike: forms in turn, then departments, classes and thresholds."""
    kinds, departments = list(workload_w.ROOM_TYPES), list(workload_w.DEPARTMENTS)
    found = []
    for number in range(count):
        form, variant = number % FORMS, number // FORMS
        kind, department = kinds[variant % len(kinds)], departments[variant % len(departments)]
        limit = 500 + 10 * (variant // (len(kinds) * len(departments) // 2)) + variant % 7
        found.append(_text(form, kind, "EEDepartment" if department == "EE" else department, limit))
    return found


def _text(form: int, kind: str, department: str, limit: int) -> str:
    """A variant of Query 4, 5, 6 or 7."""

    def room(variable: str) -> str:
        return f"{_ROOM}{kind} . {_OF}".format(e=variable, department=department)

    match form:
        case 0:
            return f"SELECT ?e.sensorID FILTER (?e.hvc:airflow > {limit}) PATH {{ {room('e')} }}"
        case 1:
            compared = "?e hvc:airflow ?rate . hvc:GreenOfficeAirflow hvc:hasValue ?gaf"
            return f"SELECT ?e.sensorID PATH {{ {room('e')} . {compared} . FILTER (?rate > ?gaf + {limit - 500}) }}"
        case 2:
            return f"SELECT AVG(?e.flowrate) > {limit} AS high WINDOW (?e, sliding, 5min) PATH {{ {room('e')} }}"
        case _:
            joins = "JOIN (?f.sensorID = ?e.sensorID) JOIN (?f.flowrate - ?e.flowrate > 50)"
            paths = f"PATH {{ {room('e')} . {room('f')} }}"
            pattern = f"{joins} SEQ (?e, ?f) WINDOW (?e, ?f, 5min)"
            return f"SELECT ?e.sensorID FILTER (?e.flowrate > {limit}) {pattern} {paths}"


def holders(count: int) -> list[str]:
    """So many queries that hold the same events, with windows of other lengths."""
    path = f"PATH {{{{ {_ROOM.format(e='{e}')}Office }}}}"
    one, both = path.replace("{e}", "e"), f"{path.replace('{e}', 'e')} {path.replace('{e}', 'f')}"
    pair = "JOIN (?f.sensorID = ?e.sensorID) JOIN (?f.flowrate - ?e.flowrate > 1000) SEQ (?e, ?f)"
    forms = (
        f"SELECT AVG(?e.flowrate) AS mean WINDOW (?e, sliding, {{length}}min) {one}",
        f"SELECT ?e.sensorID {pair} WINDOW (?e, ?f, {{length}}min) {both}",
        f"SELECT COUNT(?e) AS n WINDOW (?e, hopping, {{length}}min, 1min) {one}",
        f"SELECT ?e.sensorID, ?f.flowrate {pair} WINDOW (?e, ?f, {{length}}min) {both} LIMIT 1000000",
    )
    return [forms[place % len(forms)].format(length=10 + place // len(forms)) for place in range(count)]


@dataclass(frozen=True, slots=True)
class Held:
    """Bytes that queries hold when all events have come.

    Attributes:
        queries: how many.
        memory: of candidates in memory.
        snapshot: of what is written of queries.
        process: by which the process has grown.
    """

    queries: int
    memory: int
    snapshot: int
    process: int


def resident() -> int:
    """Bytes of memory that the process has."""
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")


def held(project: Project, queries: Sequence[Query], batches: Sequence[pa.Table]) -> Held:
    """What queries hold after some batches."""
    gc.collect()
    before = resident()
    flow = _registered(project, queries)
    for raw in batches:
        flow.process(live_batch(flow.annotators, {STREAM: raw}))
    gc.collect()
    grown = resident() - before
    memory = held_bytes(frame for one in flow.flows.values() for _, frame in one.taken().candidates)
    written = sum(len(part) for name, part in flow.snapshot().items() if name.startswith(("query/", "events/")))
    return Held(len(queries), memory, written, grown)


@dataclass(frozen=True, slots=True)
class Taken:
    """CPU seconds of a number of queries, and what came out."""

    queries: int
    all: float
    filters: float
    rows: int


def taken(project: Project, queries: Sequence[Query], batches: Sequence[pa.Table], rounds: int) -> Taken:
    """The least of some rounds."""
    found = [_round(project, queries, batches) for _ in range(rounds)]
    return Taken(len(queries), min(r.all for r in found), min(r.filters for r in found), found[0].rows)


def _round(project: Project, queries: Sequence[Query], batches: Sequence[pa.Table]) -> Taken:
    flow, alone = (_registered(project, queries) for _ in range(2))
    filters_of = _Filters(alone)
    everything, filters, rows = 0.0, 0.0, 0
    gc.collect()
    for number, raw in enumerate(batches):
        began = clock()
        batch = live_batch(flow.annotators, {STREAM: raw})
        rows += sum(found.num_rows for found in flow.process(batch).matches.values())
        everything += (clock() - began) * bool(number)
        filters += filters_of.seconds(batch.events[STREAM].events) * bool(number)
    return Taken(len(queries), everything, filters, rows)


class _Filters:
    """What selects the candidates of all queries, as the data flow does: those of queries that are alike together."""

    def __init__(self, flow: Dataflow) -> None:
        self._graph = partial(flow.queries.filter_graph, STREAM)
        companies: dict[str, list[QueryRuntime]] = {}
        for number, query in enumerate(flow.flows.values()):
            companies.setdefault(str(number) if query.likeness is None else query.likeness.key, []).append(query)
        self._alone = [queries[0] for queries in companies.values() if len(queries) == 1]
        self._companies = [(CompanySelection(), queries) for queries in companies.values() if len(queries) > 1]

    def seconds(self, events: pa.Table) -> float:
        """That it takes of the events of a batch."""
        began, batch = clock(), shared_batch(events, self._graph)
        for selection, queries in self._companies:
            for _, _, by_itself, _ in selection.taken(queries, {STREAM: batch}).apart():
                by_itself.candidates(batch)
        for query in self._alone:
            for source in query.sources:
                source.candidates(batch)
        return clock() - began


def _registered(project: Project, queries: Sequence[Query]) -> Dataflow:
    flow = project.dataflow()
    for number, query in enumerate(queries):
        flow.register(Registration(query, f"q{number}"))
    return flow


def bars_of(found: Sequence[Taken], one: Taken) -> list[Bar]:
    """How many times the time of one query they take."""
    ratios = {("all", t.queries): t.all / one.all for t in found}
    ratios |= {("filters", t.queries): t.filters / one.filters for t in found}
    return [
        at_most(f"{of}: {count:,} queries, times one query", ratios[of, count], most)
        for (of, count), most in BARS.items()
        if (of, count) in ratios
    ]


def held_bars(alone: Sequence[Held], together: Held) -> list[Bar]:
    """How many times the bytes of the greatest one all of them hold."""
    return [
        at_most(f"{of}: {together.queries} queries that hold the same, times one", ratio, MOST_HELD)
        for of, ratio in (
            ("memory", together.memory / max(h.memory for h in alone)),
            ("snapshots", together.snapshot / max(h.snapshot for h in alone)),
        )
    ]


def main() -> None:
    """Print a line for each number of queries."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", type=int, default=150_000)
    parser.add_argument("--batch", type=int, default=50_000)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--most", type=int, default=COUNTS[-1])
    arguments = parser.parse_args()
    machine = machine_with("polars", "pyarrow", "pyoxigraph")
    folder = workload(1_000_000)
    project = campus_project([ROOT / "ontologies" / "campus" / "*.ttl", folder / "kb.ttl", CAMPUS / "workload.ttl"])
    batches = Workload(folder).batches(arguments.batch, arguments.events // arguments.batch)
    queries = [project.compile(text)[-1] for text in texts(arguments.most)]
    single = [taken(project, [query], batches, arguments.rounds) for query in queries[:FORMS]]
    one = Taken(1, mean(t.all for t in single), mean(t.filters for t in single), sum(t.rows for t in single))
    counts = [count for count in COUNTS[1:] if count <= arguments.most]
    found = [one, *(taken(project, queries[:count], batches, arguments.rounds) for count in counts)]
    for t in found:
        print(f"{t.queries:>6,} queries{t.all:>9.3f} s{t.filters:>9.3f} s filters{t.rows:>11,} rows", flush=True)
    few = Workload(folder).batches(HELD_BATCH, HELD_EVENTS // HELD_BATCH)
    asked = [project.compile(text)[-1] for text in holders(HOLDERS)]
    alone, together = [held(project, [query], few) for query in asked[-FORMS:]], held(project, asked, few)
    for h in (*alone, together):
        print(
            f"{h.queries:>6,} queries hold{h.memory / 1e6:>9.2f} MB, snapshots{h.snapshot / 1e6:>9.2f} MB", flush=True
        )
    bars = [*bars_of(found, one), *held_bars(alone, together)]
    print("\nbars:", *(bar.line for bar in bars), sep="\n")
    if arguments.most == COUNTS[-1]:
        sizes = {"events": arguments.events, "batch": arguments.batch}
        keep(
            "many_queries",
            {
                "machine": machine,
                **sizes,
                "results": [asdict(t) for t in found],
                "held": list(map(asdict, [*alone, together])),
            },
            bars,
        )
    end(bars)


if __name__ == "__main__":
    main()
