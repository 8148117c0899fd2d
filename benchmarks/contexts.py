"""Contexts at work: the evaluation of CAESAR (its Fig. 11 to 14) again, and the bars that kaicep sets itself.

    python -m benchmarks.contexts [--quick] [--figure NAME]

The data flow without Spark, over a dense road (`benchmarks.contexts_workload`), in batches of 200,000 reports that
were annotated ahead; one figure varies how many they are, for each query costs something for each batch. Context-
aware, queries say IN CONTEXT. Context-independent they are always on, in two forms: *alone*, each has the conditions
of its context itself, as in the paper; *staged*, as a good engineer would write it without contexts, one more query
for each context hands on the reports that lie in its windows, and the others read those. The rows of all forms are
compared. Figures are seconds of the processor, and bars ratios of them within one run: of what is measured in rounds,
by turns, the median. Varied are the queries per context, the roads, the length and the number of windows, and so the
part of the stream that they cover, where they lie, how many overlap and how far, and how many queries are shared:
*separate*, a query stands in each context by itself, and sharing is switched off, *shared*, once in all of them. Each
part of the optimiser is measured switched on and off, too (`[engine.contexts]`).

How many expressways of Linear Road one machine takes is measured by `benchmarks.contexts_expressways`.

Writes `contexts.json`, `contexts.svg` and `contexts.png` to `benchmarks/results/`, and ends with 1 when a bar is
missed.
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import asdict

from . import (
    a_thread,  # noqa: F401 - before Polars
    contexts_optimiser,
)
from .contexts_figures import FIGURES, Point, Scale, ratios
from .contexts_plot import draw
from .contexts_workload import SEED, Road
from .report import RESULTS, Bar, at_least, at_most, end, keep, machine_with

FULL = Scale(Road(segments=10, cars=1_000, seconds=1_800, batch=200_000))
QUICK = Scale(Road(segments=2, cars=30, seconds=300, batch=150), of_road=1, queries=2, rounds=1, thinned=True)
OPERATORS = (2, 4, 6, 8, 10, 11, 12, 16, 20, 24)


def main() -> None:
    """Measure, draw, compare with the bars."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a small road and few points, nothing written, no bars")
    parser.add_argument("--figure", choices=["optimiser", *FIGURES], action="append", help="nothing written, no bars")
    arguments = parser.parse_args()
    machine = machine_with("polars", "pyarrow", "numpy")
    found: list[Point] = []
    for point in points(QUICK if arguments.quick else FULL, arguments.figure):
        found.append(point)
        print(line(point), flush=True)
    if arguments.quick or arguments.figure:
        return
    bars = list(of_figures(found))
    print("bars:", *(bar.line for bar in bars), sep="\n")
    keep("contexts", {"machine": machine, "seed": SEED, "points": [asdict(point) for point in found]}, bars)
    title = f"contexts, {FULL.road.events:,} reports; {platform.machine()}, {os.cpu_count()} cores, CPU seconds"
    for ending in ("svg", "png"):
        draw(found, title, RESULTS / f"contexts.{ending}")
    end(bars)


def points(scale: Scale, figures: Sequence[str] | None = None) -> Iterator[Point]:
    """Every figure, or some."""
    if not figures or "optimiser" in figures:
        yield from contexts_optimiser.points(OPERATORS[:3] if scale.thinned else OPERATORS)
    for name, figure in FIGURES.items():
        if not figures or name in figures:
            yield from figure(scale)


def line(point: Point) -> str:
    """A line of the report."""
    return (
        f"  {point.figure:<20}{point.x:>6g}  {point.form:<13}{statistics.median(point.seconds):>9.3f} s"
        f"{point.coverage:>6.0%}{point.rows:>10,} rows"
    )


def of_figures(found: Sequence[Point]) -> Iterator[Bar]:
    """What has to be reached."""
    alone = ratios(found, "queries", "alone", "aware")
    yield at_least("10 queries in each context, a fifth covered: context-independent : context-aware", alone[10], 8)
    covering = [r for figure in ("length", "number") for r in ratios(found, figure, "alone", "aware").values()]
    yield at_least("any part covered: context-independent : context-aware, the least", min(covering), 0.95)
    covering = [r for figure in ("length", "number") for r in ratios(found, figure, "staged", "aware").values()]
    yield at_least("any part covered: staged by hand : context-aware, the least", min(covering), 0.95)
    shared = ratios(found, "shared queries", "separate", "shared")
    yield at_least("10 queries in 30 overlapping windows: separate : shared", shared[10], 9)
    yield at_most("100 suspended queries : none", ratios(found, "suspended", "100", "none")[0], 1.05)


if __name__ == "__main__":
    main()
