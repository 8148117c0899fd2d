"""What executors that host an engine cost, and what of it is the driver's: a standalone cluster on this machine.

    python -m benchmarks.cluster [--quick]

The paper's seven queries over workload W with the log, rows to Parquet: on one and on two workers of one core each, and
hosted by the driver on two cores. A session has its processes to itself: 100 small batches warm them, then come runs of
some batch sizes, whose first two batches are not timed. CPU is that of the processes, apart by what they do; the
cluster's master and workers are left out. `no rows`: the same queries with thresholds out of reach, so that what the
driver does for rows is apart from what it does for a batch. `parts`: files of a batch, tasks of a job and shards of a
query, of which larger clusters have more. Java has one level of its compiler, as an engine on executors starts it;
`serial`: the driver's has the serial collector besides.

All share this machine's cores: events a second are no figures of scaling, and depend on who else runs here.

Writes `cluster.json`, `cluster.png` and `cluster.svg` to `benchmarks/results/`, and ends with 1 when a bar is missed.
`--quick` tries all of it with small batches, in some minutes, and writes nothing.
"""

from __future__ import annotations

import argparse
import multiprocessing
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, replace

from .cluster_plot import draw
from .cluster_reckoning import Rates, Reckoned, fitted, reckoned
from .cluster_runs import UNTIMED, Measured, Run, Session, measured, of
from .report import RESULTS, Bar, at_most, end, keep, machine_with

SMALL, LARGE, LARGEST = 100_000, 1_000_000, 2_000_000
WARM, QUICK_WARM, QUICK = 100, 3, 50
"""Batches before the runs; with `--quick` fewer, and batches a fiftieth as large."""

MOST_GROWTH, MOST_PYTHON, MOST_DRIVER, MOST_TIMES, MOST_SHARE = 1.2, 20.0, 250.0, 2.0, 5.0
ONE, TWO, DRIVER, SERIAL = "one worker", "two workers", "driver hosts", "two workers, serial"
SERIAL_COLLECTOR = "-XX:+UseSerialGC"
MANY_PARTS = (8, 16)


def sessions(warm: int) -> tuple[Session, ...]:
    """All that is measured."""
    small, large = Run(SMALL, 6), Run(LARGE, 6)
    quiet = tuple(replace(run, quiet=True) for run in (small, large))
    more = tuple(Run(SMALL, 3, parts=parts) for parts in MANY_PARTS)
    return (
        Session(TWO, 2, (Run(SMALL // 10, 6), small, large, Run(LARGEST, 2), *quiet, *more), warm),
        Session(DRIVER, 0, (small, large), warm),
        Session(ONE, 1, (small, large), warm),
        Session(SERIAL, 2, (small, large), warm, SERIAL_COLLECTOR),
    )


def quick(session: Session) -> Session:
    """A session that tries what the long one does."""
    runs = tuple(replace(run, rows=run.rows // QUICK, batches=2) for run in session.runs)
    return replace(session, runs=runs, warm=QUICK_WARM)


def check(found: Sequence[Measured]) -> None:
    """Stop when two sessions give different numbers of rows for the same files."""
    rows: dict[Run, Measured] = {}
    for one in found:
        first = rows.setdefault(one.run, one)
        if first.matches != one.matches:
            raise SystemExit(f"{first.session}: {first.matches}; {one.session}: {one.matches}")


def bars_of(found: Sequence[Measured], small: int, large: int, largest: int) -> list[Bar]:
    """What executor hosting has to keep to, of the seven queries as they are; then without their rows."""
    bars: list[Bar] = []
    for name, quiet in (("seven queries", False), ("no rows", True)):
        less, more = (of(found, TWO, rows, quiet=quiet) for rows in (small, large))
        bars += [
            at_most(f"{name}: the driver, {large:,} : {small:,} rows a batch", more.driver / less.driver, MOST_GROWTH),
            at_most(f"{name}: driver's Python, ms a batch of {large:,}", more.cpu["driver Python"], MOST_PYTHON),
            at_most(f"{name}: the driver, ms a batch of {large:,}", more.driver, MOST_DRIVER),
        ]
    most = of(found, TWO, largest)
    share = 100 * most.driver / most.total
    bars.append(at_most(f"seven queries: the driver's share, % of all CPU at {largest:,}", share, MOST_SHARE))
    serial, hosted = of(found, SERIAL, large), of(found, DRIVER, large)
    bars.append(at_most(f"serial: the driver, ms a batch of {large:,}", serial.driver, MOST_DRIVER / 2))
    times = of(found, TWO, large).total / hosted.total
    bars.append(at_most(f"CPU per event, executors : driver hosting, at {large:,}", times, MOST_TIMES))
    return bars


def share_reached(found: Sequence[Measured], *, quiet: bool) -> int | None:
    """The least measured batch from which on the driver has at most its share; `None`: none of them is large enough."""
    own = [m for m in found if m.session == TWO and m.run.quiet == quiet and m.run.parts == 2]
    enough: int | None = None
    for one in sorted(own, key=lambda m: -m.run.rows):
        if 100 * one.driver / one.total > MOST_SHARE:
            break
        enough = one.run.rows
    return enough


def reckoning(found: Sequence[Measured], small: int, large: int) -> tuple[Rates, list[Reckoned]]:
    """What these figures let expect of larger clusters."""
    quiet = of(found, TWO, small, quiet=True), of(found, TWO, large, quiet=True)
    parts = [of(found, TWO, small, parts=parts) for parts in (2, *MANY_PARTS)]
    rates = fitted(of(found, TWO, small), of(found, TWO, large), quiet, parts)
    return rates, reckoned(rates)


def main() -> None:
    """Print a line for each run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--warm", type=int, default=WARM)
    arguments = parser.parse_args()
    machine = machine_with("pyspark", "pyarrow", "polars")
    wanted = sessions(arguments.warm)
    chosen = [quick(session) for session in wanted] if arguments.quick else wanted
    small, large, largest = (rows // QUICK if arguments.quick else rows for rows in (SMALL, LARGE, LARGEST))
    found: list[Measured] = []
    for session in chosen:
        context = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(1, mp_context=context) as process:
            found += process.submit(measured, session).result()
    check(found)
    bars = bars_of(found, small, large, largest)
    reached = {name: share_reached(found, quiet=quiet) for name, quiet in (("seven queries", False), ("no rows", True))}
    print(f"\nthe driver has at most {MOST_SHARE:g} % of all CPU from batches of: {reached}")
    rates, larger = reckoning(found, small, large)
    print("reckoned, not measured:", *larger, sep="\n")
    print("bars:", *(bar.line for bar in bars), sep="\n")
    if not arguments.quick:
        sections = {"machine": machine, "warm": arguments.warm, "untimed": UNTIMED, "share_reached": reached}
        results = {"results": [asdict(one) for one in found]}
        told = {"rates": asdict(rates), "reckoned": [asdict(one) for one in larger]}
        keep("cluster", {**sections, **results, **told}, bars)
        title = f"seven queries, workload W, after {arguments.warm} batches; load {machine['load']:.0f} on 2 cores"
        for ending in ("png", "svg"):
            draw(found, title, RESULTS / f"cluster.{ending}")
    end(bars)


if __name__ == "__main__":
    main()
