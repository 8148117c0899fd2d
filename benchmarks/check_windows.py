"""Windows by condition: CHECK over readings of 200 sensors, in one run.

    python -m benchmarks.check_windows [--events 1000000] [--batch 50000] [--rounds 3] [--shape NAME]

Each event is a candidate. The conditions of the first kind are monotone: what makes them false goes on doing so until
the oldest leave, so that windows begin where a comparison says; rows are those whose mean is above 0.6. The last two
tell what it costs when each event's window becomes a row, and when a condition is not monotone. Events per second are
those of the best round, with candidates selected and rows made.

Of all conditions it writes `check_windows.json` to `benchmarks/results/`, and ends with 1 when a bar is missed.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass

import pyarrow as pa
from kaicep import Project

from .cep import engine
from .cep_shapes import PROJECT, SEED, SENSORS, workload
from .report import Bar, at_least, end, keep, machine_with

__all__ = ["SHAPES"]

FASTEST = 1_000_000
"""Events per second that a monotone condition reaches."""


@dataclass(frozen=True)
class Shape:
    """A window by condition; `bar`: it has to be fast, being monotone and its rows being few."""

    condition: str
    after: str = "GROUP BY ?e.sensor"
    having: str = "HAVING (AVG(?e.x) > 0.6)"
    bar: bool = True


SHAPES: Mapping[str, Shape] = {
    "time span": Shape("CHECK (?e._time - FIRST(?e._time) < 60s)"),
    "count": Shape("CHECK (COUNT(?e) <= 20)"),
    "sum": Shape("CHECK (SUM(?e.x) <= 10 AND COUNT(?e) <= 100)"),
    "sum and span": Shape("CHECK (SUM(?e.x) <= 10 AND ?e._time - FIRST(?e._time) < 60s)"),
    "equal to first": Shape("CHECK (FIRST(?e.kind) = ?e.kind), 60s"),
    "shared": Shape("CHECK (COUNT(?e) <= 200), SHARED"),
    "every window": Shape("CHECK (?e._time - FIRST(?e._time) < 60s)", having="", bar=False),
    "not monotone": Shape("CHECK (AVG(?e.x) < 0.6), 10s", having="HAVING (AVG(?e.x) > 0.5)", bar=False),
}


@dataclass(frozen=True)
class Result:
    """Events per second, rows, and the greatest snapshot."""

    events: int
    shape: str
    has_bar: bool
    rows: int
    rate: float
    state: int


def run(name: str, batches: Sequence[pa.Table], rounds: int) -> Result:
    """Measure a condition."""
    shape, project = SHAPES[name], Project.parse(PROJECT)
    head = "SELECT AVG(?e.x) AS mean, COUNT(?e) AS n FROM (?e, readings)"
    text = f"{head} WINDOW (?e, {shape.condition}) {shape.after} {shape.having}"
    best = min((engine(project, text, batches) for _ in range(rounds)), key=lambda measured: sum(measured.seconds))
    events = sum(batch.num_rows for batch in batches)
    return Result(events, name, shape.bar, best.rows.num_rows, events / sum(best.seconds), max(best.state))


def bars_of(results: Sequence[Result]) -> Iterator[Bar]:
    """How fast monotone conditions are."""
    for result in results:
        if result.has_bar:
            yield at_least(f"CHECK, {result.shape}: events/s", result.rate, FASTEST)


def main() -> None:
    """Print a line for each condition."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", type=int, default=1_000_000)
    parser.add_argument("--batch", type=int, default=50_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--shape", choices=list(SHAPES), action="append")
    arguments = parser.parse_args()
    machine = machine_with("pyarrow", "polars")
    batches = workload(arguments.events, 1.0, arguments.batch)
    print(f"{arguments.events:,} events, {SENSORS} sensors, seed {SEED}, {arguments.batch:,} a batch")
    results = []
    for name in arguments.shape or SHAPES:
        results.append(result := run(name, batches, arguments.rounds))
        print(f"{name:<16}{result.rows:>10,} rows{result.rate:>13,.0f}/s{result.state:>10,} B", flush=True)
    if arguments.shape is None:
        bars = list(bars_of(results))
        print("\nbars:", *(bar.line for bar in bars), sep="\n")
        keep("check_windows", {"machine": machine, "seed": SEED, "results": [asdict(r) for r in results]}, bars)
        end(bars)


if __name__ == "__main__":
    main()
