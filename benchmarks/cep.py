"""Ten pattern shapes: the engine's operators against a plain Python automaton, in one run.

    python -m benchmarks.cep [--events 200000] [--in-play 0.1] [--rounds 3] [--shape NAME]

Both get the same events, in time order, in batches of 10,000: the engine as Arrow tables (FILTER, operator, rows), the
automaton (`benchmarks.naive_nfa`) as Python tuples made beforehand. The numbers of matches are compared. Events per
second are those of the best of the rounds, which alternate between the two. State: the size of the operator's snapshot
and the events that the partial matches of the automaton hold, each the greatest after any batch. Time and state of the
second half of the stream, relative to the first, tell whether a shape stays linear in time and flat in memory.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import platform
import random
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from importlib.metadata import version

import pyarrow as pa
from kaicep import Project
from kaicep.errors import QueryTypeError
from kaicep.pipeline.candidates import EventBatch
from kaicep.pipeline.flow import QueryFlow, Registration
from kaicep.semfilter.options import FilterOptions

from .naive_nfa import Absence, Automaton, Both, Event, Naive, Session, Sliding, Step

SEED = 11
SENSORS = 200
BATCH = 10_000
START = datetime(2026, 1, 1, tzinfo=UTC)
SECOND = 1_000_000
STEP = SECOND // 100  # between two events
WIDTH = 60

_STREAM = {
    "event_type": "<urn:Reading>",
    "time": {"attribute": "at"},
    "identity": ["id"],
    "attributes": {
        "id": {"datatype": "xsd:string"},
        "sensor": {"datatype": "xsd:string"},
        "kind": {"datatype": "xsd:string"},
        "x": {"datatype": "xsd:double"},
    },
}
PROJECT = {"streams": {"readings": _STREAM}, "archive": {"enabled": False}}


def kind(letter: str) -> Callable[[Event], bool]:
    """A FILTER of the baseline."""
    return lambda event: event.kind == letter


def pattern(seq: str, variables: str, *clauses: str, window: str = f"{WIDTH}s", absent: str = "") -> str:
    """A query for events of these kinds, all of one sensor."""
    everything = variables + absent
    sources = ", ".join(f"(?{v}, readings)" for v in everything)
    filters = " ".join(f"FILTER (?{v}.kind = '{v}')" for v in everything)
    within = f"WINDOW ({', '.join(f'?{v}' for v in variables)}, {window})" if window else ""
    head = f"SELECT ?{variables[0]}.x FROM {sources} {filters}"  # noqa: S608 - no database sees it
    return " ".join([head, f"SEQ ({seq})", within, "PARTITION BY sensor", *clauses])


@dataclass(frozen=True)
class Shape:
    """One query and the same by hand; `vectorisable`: nothing in it asks for runs."""

    text: str
    naive: Callable[[], Naive]
    vectorisable: bool = True


A, B, C, N = (kind(letter) for letter in "abcn")
W = WIDTH * SECOND
SHAPES: Mapping[str, Shape] = {
    "SEQ any": Shape(pattern("?a ->> ?b", "ab"), lambda: Automaton([Step(A), Step(B)], W)),
    "SEQ next": Shape(pattern("?a -> ?b", "ab"), lambda: Automaton([Step(A), Step(B, "->")], W)),
    "SEQ strict": Shape(pattern("?a => ?b", "ab"), lambda: Automaton([Step(A), Step(B, "=>")], W)),
    "three steps": Shape(pattern("?a ->> ?b ->> ?c", "abc"), lambda: Automaton([Step(A), Step(B), Step(C)], W)),
    "Kleene, greedy": Shape(
        pattern("?a -> ?b{1,; ->} -> ?c", "abc"),
        lambda: Automaton([Step(A), Step(B, "->", 1, 10**9), Step(C, "->")], W),
        vectorisable=False,
    ),
    "Kleene, any": Shape(
        pattern("?a ->> ?b{1,3; ->>}~", "ab"), lambda: Automaton([Step(A), Step(B, "->>", 1, 3)], W), vectorisable=False
    ),
    "NOT between": Shape(
        pattern("?a, NOT ?n, ?b", "ab", absent="n"), lambda: Automaton([Step(A), Step(B, unless=N)], W)
    ),
    "NOT FOR": Shape(pattern("?a, NOT ?n FOR 30s", "a", window="", absent="n"), lambda: Absence(A, N, 30 * SECOND)),
    "AND": Shape(pattern("?a, (?b AND ?c)", "abc"), lambda: Both(A, B, C, W)),
    "sliding AVG": Shape(
        """SELECT AVG(?e.x) > 0.5 AS mean FROM (?e, readings) FILTER (?e.kind = 'a')
           WINDOW (?e, sliding, 60s) GROUP BY ?e.sensor""",
        lambda: Sliding(A, W, 0.5),
    ),
    "session COUNT": Shape(
        "SELECT COUNT(?e) AS n FROM (?e, readings) FILTER (?e.kind = 'a') WINDOW (?e, session, 30s) GROUP BY ?e.sensor",
        lambda: Session(A, 30 * SECOND),
    ),
}


def workload(events: int, in_play: float) -> list[pa.Table]:
    """Event tables, every event with a time stamp of its own; `in_play` of them are of kinds that queries ask for."""
    source = random.Random(SEED)
    kinds = [source.choice("abcn") if source.random() < in_play else "z" for _ in range(events)]
    table = pa.table(
        {
            "_time": pa.array(
                [START + timedelta(microseconds=i * STEP) for i in range(events)], pa.timestamp("us", "UTC")
            ),
            "_id": [f"urn:kaicep:event:readings/{i}" for i in range(events)],
            "id": [str(i) for i in range(events)],
            "sensor": [f"sensor{source.randrange(SENSORS)}" for _ in range(events)],
            "kind": kinds,
            "x": [source.random() for _ in range(events)],
        }
    )
    table = table.append_column("at", table["_time"])
    return [table.slice(start, BATCH) for start in range(0, events, BATCH)]


def tuples(table: pa.Table) -> list[Event]:
    """A batch for the baseline."""
    times = table["_time"].cast(pa.int64()).to_pylist()
    columns = [table[name].to_pylist() for name in ("_id", "sensor", "kind", "x")]
    return [Event(*values) for values in zip(times, *columns, strict=True)]


@dataclass(frozen=True)
class Measured:
    """One way through the stream: seconds of each half, matches, greatest state of each half."""

    seconds: tuple[float, float]
    matches: int
    state: tuple[int, int]


def measure(batches: int, step: Callable[[int], int], state: Callable[[], int]) -> Measured:
    """Run batch by batch; looking at the state is not measured."""
    seconds, states, matches = [0.0, 0.0], [0, 0], 0
    gc.collect()
    for number in range(batches):
        half = int(number >= batches / 2)
        began = time.perf_counter()
        matches += step(number)
        seconds[half] += time.perf_counter() - began
        states[half] = max(states[half], state())
    return Measured((seconds[0], seconds[1]), matches, (states[0], states[1]))


def engine(project: Project, text: str, tables: list[pa.Table]) -> Measured:
    """The query over the tables, its candidates selected and its rows made."""
    (query,) = project.compile(text)
    dataflow = project.dataflow()
    flow = QueryFlow(Registration(query, "query"), dataflow.shape, project.knowledge, FilterOptions())

    def step(number: int) -> int:
        last = number + 1 == len(tables)
        end = START + timedelta(microseconds=((number + 1) * BATCH - (0 if last else 1)) * STEP)
        rows = flow.process({"readings": EventBatch(tables[number])}, end)
        return int(rows.num_rows)

    return measure(len(tables), step, lambda: len(flow.snapshot()))


def baseline(naive: Naive, batches: list[list[Event]]) -> Measured:
    """The same by hand."""
    return measure(len(batches), lambda number: len(naive.process(batches[number])), naive.size)


@dataclass(frozen=True)
class Result:
    """Events per second of both, peak state, and how the second half of the stream compares to the first."""

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


def run(name: str, shape: Shape, tables: list[pa.Table], batches: list[list[Event]], rounds: int) -> Result:
    """Measure a shape.

    Raises:
        SystemExit: the two do not find equally many matches.
    """
    project = Project.parse(PROJECT)
    ours, theirs = [], []
    for _ in range(rounds):
        ours.append(engine(project, shape.text, tables))
        theirs.append(baseline(shape.naive(), batches))
    best, other = (min(found, key=lambda m: sum(m.seconds)) for found in (ours, theirs))
    if best.matches != other.matches:
        raise SystemExit(f"{name}: {best.matches:,} matches instead of {other.matches:,}")
    events = sum(map(len, batches))
    rates = events / sum(best.seconds), events / sum(other.seconds)
    return Result(
        name, shape.vectorisable, best.matches, *rates, rates[0] / rates[1], max(best.state), max(other.state),
        min(m.seconds[1] / m.seconds[0] for m in ours), best.state[1] / max(1, best.state[0]),
    )  # fmt: skip


def main() -> None:
    """Print a line for each shape, then everything as JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", type=int, default=200_000)
    parser.add_argument("--in-play", type=float, default=0.1)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--shape", choices=list(SHAPES), action="append")
    arguments = parser.parse_args()
    tables = workload(arguments.events, arguments.in_play)
    batches = [tuples(table) for table in tables]
    print(
        f"{arguments.events:,} events, {arguments.in_play:.0%} in play, {SENSORS} sensors, seed {SEED}, "
        f"{BATCH:,} events a batch; {platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, "
        + ", ".join(f"{name} {version(name)}" for name in ("pyarrow", "polars"))
    )
    print(
        f"{'shape':<16}{'matches':>10}{'engine/s':>13}{'naive/s':>13}{'ratio':>7}{'state':>12}{'held':>9}{'time':>6}{'mem':>6}"
    )
    results = []
    for name in arguments.shape or SHAPES:
        try:
            found = run(name, SHAPES[name], tables, batches, arguments.rounds)
        except QueryTypeError as error:
            print(f"{name:<16}{str(error).splitlines()[0]}")
            continue
        results.append(found)
        print(
            f"{name:<16}{found.matches:>10,}{found.engine:>13,.0f}{found.naive:>13,.0f}{found.ratio:>7.1f}"
            f"{found.engine_bytes:>10,} B{found.naive_events:>9,}{found.later_time:>6.2f}{found.later_state:>6.2f}"
        )
    print(json.dumps([asdict(found) for found in results]))


if __name__ == "__main__":
    main()
