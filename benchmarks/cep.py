"""Pattern shapes: the engine's operators against a plain Python automaton, in one run.

    python -m benchmarks.cep [--events 200000 --in-play 0.1] [--batch 10000] [--rounds 3] [--shape NAME]

Without `--events` there are three workloads: 500,000 events with 10 % of them in play, 50,000 a batch; 200,000 such
events in batches of 10,000, for time and memory from batch to batch; 20,000 events that are all in play.

Both get the same Arrow tables of events with the same watermarks, batch by batch, and both give Arrow tables of the
same rows, in the same order: the engine by FILTER, operator and output, the automaton (`benchmarks.naive_nfa`) as plain
Python does it (`benchmarks.naive_operator`). The rows are compared, all of them and all columns but `_id`, which is a
digest of either's own making. Events per second are those of the best of the rounds, which alternate between the two.
State: the size of the operator's snapshot and the events that the partial matches of the automaton hold, each the
greatest after any batch. Time and state of the second half of the stream, relative to the first, tell whether a shape
stays linear in time and flat in memory.

After all three workloads it writes `cep.json` to `benchmarks/results/`, and ends with 1 when a bar is missed: how many
times faster than the automaton in the first workload, and how flat in the second.
"""

from __future__ import annotations

import argparse
import gc
import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import chain

import pyarrow as pa
from kaicep import Project
from kaicep.pipeline.flow.queries.candidates import EventBatch
from kaicep.pipeline.flow.queries.query_runtime import QueryRuntime
from kaicep.pipeline.flow.queries.registration import Registration
from kaicep.semfilter.runtime import FilterOptions

from .cep_shapes import PROJECT, SEED, SENSORS, SHAPES, Shape, moment, workload
from .report import Bar, at_least, at_most, end, keep, machine_with

WORKLOADS = ((500_000, 0.1, 50_000), (200_000, 0.1, 10_000), (20_000, 1.0, 10_000))
"""Events, how many of them are in play, events a batch."""


@dataclass(frozen=True)
class Measured:
    """One way through the stream: seconds of each half, rows, greatest state of each half."""

    seconds: tuple[float, float]
    rows: pa.Table
    state: tuple[int, int]


def measure(batches: Sequence[pa.Table], step: Callable[[int], pa.Table], state: Callable[[], int]) -> Measured:
    """Run batch by batch; looking at the state is not measured."""
    seconds, states, rows = [0.0, 0.0], [0, 0], []
    gc.collect()
    for number in range(len(batches)):
        half = int(number >= len(batches) / 2)
        began = time.perf_counter()
        rows.append(step(number))
        seconds[half] += time.perf_counter() - began
        states[half] = max(states[half], state())
    return Measured((seconds[0], seconds[1]), pa.concat_tables(rows), (states[0], states[1]))


def watermark(batches: Sequence[pa.Table], number: int) -> int:
    """Which event has the time stamp that the watermark has after a batch; the last one passes all."""
    seen: int = sum(batch.num_rows for batch in batches[: number + 1])
    return seen if number + 1 == len(batches) else seen - 1


def engine(project: Project, text: str, batches: Sequence[pa.Table]) -> Measured:
    """The query over the batches, its candidates selected and its rows made."""
    (query,) = project.compile(text)
    flow = QueryRuntime(Registration(query, "query"), project.dataflow().shape, project.knowledge, FilterOptions())
    ends = [moment(watermark(batches, number)) for number in range(len(batches))]

    def step(number: int) -> pa.Table:
        return flow.process({"readings": EventBatch(batches[number])}, ends[number])

    return measure(batches, step, lambda: len(flow.snapshot()))


def baseline(shape: Shape, batches: Sequence[pa.Table]) -> Measured:
    """The same by hand."""
    operator = shape.operator()
    ends = pa.array([moment(watermark(batches, i)) for i in range(len(batches))], pa.timestamp("us", "UTC"))
    micros = ends.cast(pa.int64()).to_pylist()
    return measure(batches, lambda number: operator.process(batches[number], micros[number]), operator.naive.size)


def compare(shape: Shape, ours: pa.Table, theirs: pa.Table) -> None:
    """Look whether both gave the same rows.

    Raises:
        SystemExit: they did not.
    """
    if ours.num_rows != theirs.num_rows:
        raise SystemExit(f"{shape.text}: {ours.num_rows:,} rows instead of {theirs.num_rows:,}")
    for name in ("_time", "_events", "_window"):
        if name in theirs.column_names and ours[name].to_pylist() != theirs[name].to_pylist():
            raise SystemExit(f"{shape.text}: the rows differ in {name}")
    items = zip(ours[shape.item[0]].to_pylist(), theirs[shape.item[0]].to_pylist(), strict=True)
    if not all(math.isclose(one, other, rel_tol=1e-9) for one, other in items):
        raise SystemExit(f"{shape.text}: the rows differ in {shape.item[0]}")
    if len(set(ours["_id"].to_pylist())) != len(set(theirs["_id"].to_pylist())):
        raise SystemExit(f"{shape.text}: digests tell other rows apart")


@dataclass(frozen=True)
class Result:
    """Events per second of both, peak state, and how the second half of the stream compares to the first."""

    events: int
    in_play: float
    batch: int
    shape: str
    vectorisable: bool
    matches: int
    engine: float
    naive: float
    ratio: float
    engine_bytes: int
    naive_events: int
    later_time: float
    later_state: float

    def line(self) -> str:
        """A line of the report."""
        return (
            f"{self.shape:<16}{self.matches:>10,}{self.engine:>13,.0f}{self.naive:>13,.0f}{self.ratio:>7.1f}"
            f"{self.engine_bytes:>10,} B{self.naive_events:>9,}{self.later_time:>6.2f}{self.later_state:>6.2f}"
        )


def run(name: str, batches: Sequence[pa.Table], in_play: float, rounds: int) -> Result:
    """Measure a shape.

    Raises:
        SystemExit: the two do not give the same rows.
    """
    shape, project = SHAPES[name], Project.parse(PROJECT)
    ours, theirs = [], []
    for number in range(rounds):
        ours.append(engine(project, shape.text, batches))
        theirs.append(baseline(shape, batches))
        if not number:
            compare(shape, ours[0].rows, theirs[0].rows)
    best, other = (min(found, key=lambda m: sum(m.seconds)) for found in (ours, theirs))
    events = sum(batch.num_rows for batch in batches)
    rates = events / sum(best.seconds), events / sum(other.seconds)
    return Result(
        events, in_play, batches[0].num_rows, name, shape.vectorisable, best.rows.num_rows, *rates, rates[0] / rates[1],
        max(best.state), max(other.state), min(m.seconds[1] / m.seconds[0] for m in ours),
        best.state[1] / max(1, best.state[0]),
    )  # fmt: skip


def main() -> None:
    """Print a line for each shape; with `--json` write everything to a file as well."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", type=int)
    parser.add_argument("--in-play", type=float, default=0.1)
    parser.add_argument("--batch", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--shape", choices=list(SHAPES), action="append")
    arguments = parser.parse_args()
    machine = machine_with("pyarrow", "polars")
    workloads: Sequence[tuple[int, float, int]] = WORKLOADS
    if arguments.events is not None:
        workloads = ((arguments.events, arguments.in_play, arguments.batch),)
    results = list(chain.from_iterable(_report(*workload, arguments=arguments) for workload in workloads))
    if arguments.events is None and arguments.shape is None:
        bars = [*of_speed(results), *of_growth(results)]
        print("\nbars:", *(bar.line for bar in bars), sep="\n")
        keep("cep", {"machine": machine, "seed": SEED, "results": [asdict(r) for r in results]}, bars)
        end(bars)


def of_speed(results: Sequence[Result]) -> Iterator[Bar]:
    """Against the automaton."""
    for r in results:
        if (r.events, r.in_play, r.batch) == WORKLOADS[0]:
            yield at_least(f"{r.shape}: engine : automaton, events/s", r.ratio, 5 if r.vectorisable else 2)


def of_growth(results: Sequence[Result]) -> Iterator[Bar]:
    """The second half of the stream against the first."""
    for r in results:
        if (r.events, r.in_play, r.batch) == WORKLOADS[1]:
            yield at_most(f"{r.shape}: second half : first half, time", r.later_time, 1.5)
            yield at_most(f"{r.shape}: second half : first half, greatest state", r.later_state, 1.5)


def _report(events: int, in_play: float, batch: int, *, arguments: argparse.Namespace) -> list[Result]:
    batches = workload(events, in_play, batch)
    print(
        f"\n{events:,} events, {in_play:.0%} in play, {SENSORS} sensors, seed {SEED}, {batch:,} a batch"
        f"\n{'shape':<16}{'matches':>10}{'engine/s':>13}{'naive/s':>13}{'ratio':>7}{'state':>12}{'held':>9}"
        f"{'time':>6}{'mem':>6}"
    )
    results = []
    for name in arguments.shape or SHAPES:
        results.append(run(name, batches, in_play, arguments.rounds))
        print(results[-1].line(), flush=True)
    return results


if __name__ == "__main__":
    main()
