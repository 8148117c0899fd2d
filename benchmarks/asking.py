"""States on demand: how long asking takes over 100,000 partial matches, and what it costs the stream meanwhile.

    python -m benchmarks.asking [--matches 100000] [--turns 16]

Orders come, one in ten is delivered, and a registered query waits for the rest. Queries of several kinds are asked of
its state. Then 10,000 events arrive each second, in batches, while somebody asks again and again; in turns with that,
nobody asks. The engine is one without Spark: its data flow, log, snapshots and what answers `kaicep ask`.
"""

from __future__ import annotations

import argparse
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import NamedTuple

import polars as pl
from kaicep import Project
from kaicep.archive import Archive
from kaicep.pipeline.asking import ask_stopped
from kaicep.pipeline.control import StateAdmin
from kaicep.pipeline.durability import CheckpointedFlow
from kaicep.pipeline.flow import Registration
from kaicep.pipeline.sources import RawBatch

from .report import at_least, at_most, end, keep, machine_with

RATE = 10_000
BATCH = 5_000
A_TURN = 10
"""Batches."""
WANTED_S = 1.0
WANTED_GROWTH = 1.2
_STREAMS = {
    "orders": {"id": "integer", "shop": "string", "price": "double"},
    "deliveries": {"id": "integer", "order": "integer"},
}
QUERY = """CREATE QUERY open AS SELECT ?o.id, ?o.shop, ?o.price FROM (?o, orders), (?d, deliveries)
SEQ (?o, ?d) JOIN (?d.order = ?o.id) WINDOW (?o, ?d, 2h)"""
ASKED = {
    "STATE, counted": "SELECT COUNT(?o) AS n FROM (?o, STATE(open.?o))",
    "STATE, by shop": "SELECT ?o.shop, COUNT(?o) AS n, SUM(?o.price) AS worth FROM (?o, STATE(open)) GROUP BY ?o.shop",
    "PARTIAL, by shop": """SELECT ?p.o_shop, COUNT(?p) AS n, MIN(?p._since) AS first FROM (?p, PARTIAL(open))
        GROUP BY ?p.o_shop ORDER BY MIN(?p._since)""",
    "PARTIAL, the first 20": """SELECT ?p.o_id, ?p.o_price, ?p._until AS until FROM (?p, PARTIAL(open))
        ORDER BY DESC(?p.o_price), ?p._until LIMIT 20""",
    "PARTIAL, all in order": "SELECT ?p.o_id, ?p._until AS until FROM (?p, PARTIAL(open)) ORDER BY ?p._until",
}


class Engine(NamedTuple):
    """What answers the query, and what is asked of it."""

    flow: CheckpointedFlow
    states: StateAdmin
    queries: Sequence[Registration]

    def run(self, number: int) -> float:
        """Answer a batch; the seconds that it takes, until it is durable."""
        tables = dict(zip(_STREAMS, (RawBatch(table.to_arrow()) for table in events(number)), strict=True))
        began = time.perf_counter()
        self.flow.run(number, tables)
        return time.perf_counter() - began


def events(number: int) -> Sequence[pl.DataFrame]:
    """Orders and deliveries of a batch, as sources give them."""
    orders = BATCH * 10 // 11
    row, tenth = pl.int_range(orders) + number * orders, pl.int_range(orders // 10) + number * (orders // 10)
    base = pl.lit(datetime(2026, 1, 1, tzinfo=UTC))

    def stamp(milliseconds: pl.Expr) -> pl.Expr:
        return (base + pl.duration(milliseconds=milliseconds)).dt.strftime("%Y-%m-%dT%H:%M:%S%.fZ")

    return (
        pl.select(t=stamp(row * 10), id=row, shop=pl.format("S{}", row % 50), price=row % 997 * 1.5),
        pl.select(t=stamp(tenth * 100 + 1), id=tenth, order=tenth * 10),
    )


@contextmanager
def engine() -> Iterator[Engine]:
    """One that has seen nothing."""
    streams = {
        name: {
            "event_type": f"<urn:{name}>",
            "time": {"attribute": "t"},
            "identity": ["id"],
            "attributes": {of: {"datatype": f"xsd:{kind}"} for of, kind in attributes.items()},
        }
        for name, attributes in _STREAMS.items()
    }
    with ExitStack() as opened:
        root = Path(opened.enter_context(tempfile.TemporaryDirectory()))
        content = {"streams": streams, "archive": {"enabled": True, "store": False}, "engine": {"state": "state"}}
        project = Project.parse(content, root=root)
        archive = opened.enter_context(Archive(project.settings, project.knowledge, project.shapes))
        flow = CheckpointedFlow(project, root / "state", (), archive, say=lambda _: None)
        opened.callback(flow.close)
        queries = project.registrations(QUERY, "open")
        flow.queries.submit(queries)
        states = StateAdmin(flow, lambda: queries, lambda _: None)
        opened.callback(states.close)
        yield Engine(flow, states, queries)


def seconds(one: Engine) -> dict[str, tuple[float, float]]:
    """By what is asked, seconds of a processor that an answer takes, and seconds until it is there.

    The least of three times each. The first is what the process that answers does, here; that one gives way to all else
    on the machine.
    """

    def answer(text: str) -> float:
        began = time.process_time()
        ask_stopped(one.flow.project, text, "asked", one.queries, lambda _: None)
        return time.process_time() - began

    def wait(text: str) -> float:
        began = time.perf_counter()
        one.states.ask(text)
        return time.perf_counter() - began

    return {
        name: (min(answer(text) for _ in range(3)), min(wait(text) for _ in range(3))) for name, text in ASKED.items()
    }


class Turns(NamedTuple):
    """Seconds of batches, by turns.

    Attributes:
        quiet: while nobody asks.
        asked: while somebody does.
        answers: how often.
    """

    quiet: Sequence[Sequence[float]]
    asked: Sequence[Sequence[float]]
    answers: int

    @property
    def growth(self) -> float:
        """How much longer the longest batch of a turn is while somebody asks: the median of all turns."""
        return median(max(asked) / max(quiet) for quiet, asked in zip(self.quiet, self.asked, strict=True))


def by_turns(one: Engine, number: int, turns: int) -> Turns:
    """Batches at a steady pace, asked in every second turn.

    Args:
        one: the engine.
        number: of the next batch.
        turns: how many there are of either kind.
    """
    asking, over, answers = threading.Event(), threading.Event(), 0

    def ask() -> None:
        nonlocal answers
        while not over.is_set():
            if asking.wait(0.1):
                one.states.ask([*ASKED.values()][answers % len(ASKED)])
                answers += 1

    thread = threading.Thread(target=ask)
    thread.start()
    found: dict[bool, list[Sequence[float]]] = {False: [], True: []}
    began, first = time.perf_counter(), number
    try:
        for turn in range(2 * turns):
            is_asked = turn % 2 == 1
            (asking.set if is_asked else asking.clear)()
            waits = []
            for _ in range(A_TURN):
                time.sleep(max(0.0, began + (number - first) * BATCH / RATE - time.perf_counter()))
                waits.append(one.run(number))
                number += 1
            found[is_asked].append(waits)
    finally:
        over.set()
        thread.join()
    return Turns(found[False], found[True], answers)


def main() -> None:
    """Measure, print, keep."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--matches", type=int, default=100_000)
    parser.add_argument("--turns", type=int, default=16)
    given = parser.parse_args()
    machine = machine_with("kaicep", "polars", "pyarrow")
    with engine() as one:
        number = given.matches // (BATCH * 9 // 11) + 2
        for batch in range(1, number):
            one.run(batch)
        began = time.perf_counter()
        rows = one.states.ask(ASKED["STATE, counted"])
        first = time.perf_counter() - began
        print(f"  {first:6.3f} s  the first question, for which a process begins")
        waiting: int = next(iter(rows))["n"]
        asked = seconds(one)
        for name, (spent, waited) in asked.items():
            print(
                f"  {spent:6.3f} s of a processor, there after {waited:6.3f} s  {name}, of {waiting:,} partial matches"
            )
        turns = by_turns(one, number, given.turns)
    longest = {name: [max(of) for of in each] for name, each in (("quiet", turns.quiet), ("asked", turns.asked))}
    for name, each in longest.items():
        print(f"  longest batches of {BATCH:,} events, {name}: " + ", ".join(f"{of * 1000:.0f} ms" for of in each))
    print(f"  asked {turns.answers} times meanwhile")
    bars = [at_least("partial matches that are asked for", waiting, given.matches)]
    bars += [at_most(f"seconds of a processor: {name}", spent, WANTED_S) for name, (spent, _) in asked.items()]
    bars.append(at_most("growth of the longest batch while somebody asks", turns.growth, WANTED_GROWTH))
    print("\n".join(bar.line for bar in bars))
    answers = {name: {"of a processor": spent, "until it is there": waited} for name, (spent, waited) in asked.items()}
    figures = {"partial matches": waiting, "seconds": answers, "longest batches, s": longest, "answers": turns.answers}
    figures["the first question, s"] = first
    keep("asking", {"machine": machine, "events/s": RATE, "batch": BATCH, **figures}, bars)
    end(bars)


if __name__ == "__main__":
    main()
