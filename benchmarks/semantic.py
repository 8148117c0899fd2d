"""The semantic filter at work: the paper's Fig. 8a and 8b again, its baselines, and the bars that kaicep sets itself.

    python -m benchmarks.semantic [--events 1000000] [--quick]

Workload W, in memory, one process, no Spark: raw tuples → annotator → semantic filter → CEP. All times are CPU seconds
of the process: on an idle machine the wall clock shows no more, and on a shared one they mean the same. A mode
sustains an input rate when a buffer interval's events cost no more than the interval; modes without a buffer take
events one by one. *naive* is the subquery as it was written, one SPARQL query per event; buffers and caches are
measured on subqueries that were compiled (without verdicts ahead), as in the paper; *compiled* is what kaicep does by
default. Only a change of the knowledge under load (`benchmarks.living`) goes by the clock.

Writes `semantic.json` and `semantic.svg` to `benchmarks/results/`, and ends with 1 when a bar is missed.
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pyarrow as pa
from kaicep import Project
from kaicep.config import Settings
from kaicep.examples.campus import workload_w
from kaicep.ontology import load_knowledge
from kaicep.semfilter.runtime import FilterOptions

from . import living
from .path import ROOT, SEED, SENSORS, workload
from .report import RESULTS, Bar, at_least, at_most, end, keep, machine_with
from .semantic_naive import Naive, oxigraph_per_event, rdflib_per_event
from .semantic_plot import draw
from .semantic_stages import CAMPUS, Point, QueryPath, Workload, campus_project, clock, modes, points, query_of

RATES = (100, 1_000, 10_000, 30_000, 100_000, 300_000, 1_000_000, 3_000_000)
MANY = 100_000
_LIBRARIES = ("numpy", "polars", "pyarrow", "pyoxigraph", "rdflib", "reasonable", "matplotlib")


def main() -> None:
    """Measure, draw, compare with the bars."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", type=int, default=1_000_000)
    parser.add_argument("--quick", action="store_true", help="fewer rates and rounds, nothing written")
    arguments = parser.parse_args()
    machine = machine_with(*_LIBRARIES)
    folder = workload(arguments.events)
    project = campus_project([ROOT / "ontologies" / "campus" / "*.ttl", folder / "kb.ttl", CAMPUS / "workload.ttl"])
    events = Workload(folder)

    print("figure 8:")
    rates = RATES[1:4] if arguments.quick else RATES
    figure = [p for mode in modes(SENSORS) for p in points(project, events, mode, rates, print)]
    bars: list[Bar] = []
    same_answers(project, events.batch(0, 2_000), bars)
    against_query_1(project, events.batches(100_000, arguments.events // 100_000), 3 if arguments.quick else 7, bars)
    baselines = against_baselines(project, events, bars)
    many = many_sensors(bars)
    brick_and_building(bars)
    change = change_under_load(bars)

    print("bars:")
    for bar in bars:
        print(bar.line)
    if not arguments.quick:
        found = {
            "machine": machine,
            "baselines_events_per_second": baselines,
            "many_sensors": many,
            "change_under_load": change,
        }
        write(figure, found, bars)
    end(bars)


def same_answers(project: Project, raw: pa.Table, bars: list[Bar]) -> None:
    """Every mode selects the same events as the baselines do."""
    compiled = QueryPath(project, query_of(project, "query5.chi"), FilterOptions()).held(raw)
    others = [
        QueryPath(project, query_of(project, mode.query), mode.options).held(raw)
        for mode in modes(SENSORS)
        if mode.query == "query5.chi"
    ]
    bars.append(at_most("modes of Query 5 that disagree on 2,000 events", sum(o != compiled for o in others), 0))


def against_query_1(project: Project, batches: Sequence[pa.Table], rounds: int, bars: list[Bar]) -> None:
    """The whole path of Query 5 against that of Query 1, in turns."""
    ratios = []
    for _ in range(rounds):
        one, five = (
            QueryPath(project, query_of(project, file), FilterOptions()).cost(batches).total
            for file in ("query1.chi", "query5.chi")
        )
        ratios.append(five / one)
    bars.append(at_most("compiled Query 5 : Query 1, time per event", statistics.median(ratios), 1.5))


def against_baselines(project: Project, events: Workload, bars: list[Bar]) -> dict[str, float]:
    """One SPARQL query per event, against the compiled plan."""
    print("baselines:")
    query = query_of(project, "query5.chi")
    compiled = 1 / QueryPath(project, query, FilterOptions()).cost(events.batches(100_000, 4)).total
    found = {"compiled": compiled}
    measures: tuple[tuple[str, Callable[[Project, pa.Table], Naive], int], ...] = (
        ("naive rdflib", rdflib_per_event, 15),
        ("naive Oxigraph", oxigraph_per_event, 2_000),
    )
    for name, measure, size in measures:
        raw = events.batch(0, size)
        naive = measure(project, raw)
        held = QueryPath(project, query, FilterOptions()).held(raw)
        if naive.held != held:
            sys.exit(f"{name} and the compiled plan disagree: {naive.held} and {held}")
        found[name] = naive.rate
        print(f"  {name}: {naive.rate:,.1f} events/s; compiled: {compiled:,.0f}, {compiled / naive.rate:,.0f} times")
    bars.append(at_least("compiled : naive rdflib, events/s", compiled / found["naive rdflib"], 1_000))
    return found


def many_sensors(bars: list[Bar]) -> dict[str, dict[str, float]]:
    """100,000 sensors visited in turn, with a cache for 10 % of them; and an LRU cache alone."""
    print(f"{MANY:,} sensors:")
    project = campus_project([_many_sensors_knowledge(ROOT / ".cache" / f"semantic-{MANY}.ttl")], reasoner="none")
    query = query_of(project, "query5.chi")
    tenth = MANY // 10
    few, in_turn = ([_in_turn(number, visited) for number in range(5)] for visited in (1_000, MANY))
    ahead, cached, forgetful = (
        FilterOptions(cache_size=size, table_size=rows) for size, rows in ((tenth, 200_000), (tenth, 0), (1, 0))
    )
    plans = {
        "compiled, 1,000 visited": (few, ahead),
        "compiled, all visited in turn": (in_turn, ahead),
        "LRU cache alone, all visited in turn": (in_turn[:2], cached),
        "LRU cache of one key, all visited in turn": (in_turn[:2], forgetful),
    }
    found: dict[str, dict[str, float]] = {}
    for name, (batches, options) in plans.items():
        costs = []
        for _ in range(5 if options is ahead else 1):
            path = QueryPath(project, query, options)
            costs.append(path.cost(batches).total)
        (asked,) = path.statistics
        rate = 1 / statistics.median(costs)
        found[name] = {"events_per_second": rate, "hit_rate": asked.hit_rate or 0.0}
        print(f"  {name}: {rate:,.0f} events/s, hit rate {asked.hit_rate or 0:.1%}")
    at_few, at_all, by_cache, by_none = (value["events_per_second"] for value in found.values())
    bars.append(at_most("compiled, 100,000 sensors in turn : 1,000, time per event", at_few / at_all, 3))
    bars.append(
        at_least("LRU cache of 10 % alone : compiled, time per event (so it does not help)", at_all / by_cache, 3)
    )
    bars.append(at_most("LRU cache of 10 % : of one key, events/s (so it does not help)", by_cache / by_none, 1.5))
    return found


def _in_turn(number: int, visited: int) -> pa.Table:
    """100,000 reports of sensors that follow one another."""
    rates = np.random.default_rng([SEED, number]).integers(200, 1800, MANY) / 2
    moments = np.arange(MANY) + workload_w.START_MS + MANY * number
    return pa.table(
        {
            "sensorID": [f"s{i % visited}" for i in range(MANY)],
            "timestamp": pa.array(moments, pa.timestamp("ms", "UTC")),
            "flowrate": rates,
        }
    )


def _many_sensors_knowledge(target: Path) -> Path:
    """Workload W's knowledge of 100,000 sensors, and what follows of rooms written out: no reasoner is needed."""
    turtle, _ = workload_w.knowledge(MANY, np.random.default_rng([SEED, 1]))
    general = {leaf: kind for kind, (_, leaves) in workload_w.ROOM_TYPES.items() for leaf in leaves}
    lines = [turtle.replace("org:EE ", "org:EEDepartment ")]
    for line in turtle.splitlines():
        if line.startswith("bd:r") and " a bd:" in line:
            room, _, kind, _, _, department, *_ = line.split()
            owner = "org:EEDepartment" if department == "org:EE" else department
            lines.append(f"{room} a bd:{general[kind.removeprefix('bd:')]} ; bd:belongsTo {owner} .")
    target.parent.mkdir(exist_ok=True)
    target.write_text("\n".join(lines), encoding="utf-8")
    return target


def brick_and_building(bars: list[Bar]) -> None:
    """The closure of Brick 1.5 with the model of Soda Hall, from files to a store."""
    began = clock()
    knowledge = load_knowledge(Settings.load(ROOT / "examples" / "soda"))
    seconds = clock() - began
    print(f"Brick and Soda Hall: {len(knowledge.store):,} triples closed in {seconds:.1f} CPU s")
    bars.append(at_most("closure of Brick and a real building, CPU s", seconds, 10))


def change_under_load(bars: list[Bar]) -> dict[str, object]:
    """Knowledge that changes while events come, one batch per trigger interval; by the clock, not by the processors."""
    print("a module is added and removed while events come:")
    load = living.Load()
    found = living.measure(load, lambda line: print(f"  {line}"))
    print("\n".join(found.said))
    bars.append(at_most("events lost while the knowledge changed", found.lost, 0))
    longest = found.longest
    bars.append(
        at_most("longest batch while the knowledge changed, trigger intervals", longest.seconds / load.trigger, 1)
    )
    return {
        "load": asdict(load),
        "seconds_per_batch_without_a_change": [round(taken.seconds, 4) for taken in found.still],
        "seconds_per_batch_while_changing": [round(taken.seconds, 4) for taken in found.moved],
        "changes": [line.strip() for line in found.said],
    }


def write(figure: Sequence[Point], sections: Mapping[str, object], bars: Sequence[Bar]) -> None:
    """Keep the figures and the drawing."""
    clock_of = {"clock": "CPU seconds of the process, but for the change under load"}
    keep("semantic", {**clock_of, **sections, "figure": [asdict(point) for point in figure]}, bars)
    machine = f"{platform.machine()}, {os.cpu_count()} cores"
    title = f"workload W, {SENSORS:,} sensors; {machine}, CPU seconds"
    draw(figure, title, RESULTS / "semantic.svg")
    draw(figure, title, RESULTS / "semantic.png")


if __name__ == "__main__":
    main()
