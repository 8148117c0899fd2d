"""Contexts at work: the evaluation of CAESAR (its Fig. 11 to 14) again, and the bars that kaicep sets itself.

    python -m benchmarks.contexts [--quick]

The data flow without Spark, over a dense road (`benchmarks.contexts_workload`), in batches of more than 10,000 reports
that were annotated ahead. Context-aware, queries say IN CONTEXT. Context-independent they are always on, in two forms:
*alone*, each has the conditions of its context itself, as in the paper; *staged*, as a good engineer would write it
without contexts, one more query for each context hands on the reports that lie in its windows, and the others read
those. The rows of all forms are compared. All figures are ratios within one run, of processor time, the median of
rounds that take turns. Varied are the queries per context, the segments, the length and the number of windows, and so
the part of the stream that they cover, where they lie, how many overlap and how far, and how many queries they share.

How many expressways of Linear Road one machine takes is measured by `benchmarks.contexts_expressways`.

Writes `contexts.json`, `contexts.svg` and `contexts.png` to `benchmarks/results/`, and ends with 1 when a bar is
missed.
"""

from __future__ import annotations

import argparse

from .contexts_workload import Road, covered, spread
from .report import machine_with


def main() -> None:
    """Measure, draw, compare with the bars."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a small road and few points, nothing written")
    parser.parse_args()
    machine_with("polars", "pyarrow", "numpy")
    road = Road()
    held = list(spread(road, ("congestion", "accident"), 2, 180))
    print(f"{road.events:,} reports, {covered(road.batches(held), held):.0%} of them in windows")


if __name__ == "__main__":
    main()
