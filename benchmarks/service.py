"""Quality of service: how late the rows of an urgent query are while the engine is behind, with and without priorities.

    python -m benchmarks.service [--batches 80]

Batches of readings arrive at a steady pace. The engine cannot keep up when it answers all queries, and can when it
answers the urgent one alone. The same arrivals are answered twice: by queries that are all alike, and with `latency`
and `priority` in the project file. In the end both have answered everything; the rows are the same.
"""

from __future__ import annotations

import argparse
import itertools
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import polars as pl
import pyarrow as pa
from kaicep import Project
from kaicep.archive import Archive
from kaicep.pipeline.durability import CheckpointedFlow
from kaicep.pipeline.flow import IdleStreams
from kaicep.pipeline.sources import RawBatch

from .report import at_least, at_most, end, keep, machine_with

SIZE = 20_000
_STREAM = {
    "event_type": "<urn:R>",
    "time": {"attribute": "t"},
    "identity": ["room", "t"],
    "attributes": {"room": {"datatype": "xsd:string"}, "co2": {"datatype": "xsd:integer"}},
}
URGENT = "CREATE QUERY alarm AS SELECT ?e.room, ?e.co2 FROM (?e, air) FILTER (?e.co2 > 1390)"
_LOW = "CREATE QUERY low{n} AS SELECT ?e.room, MEDIAN(?e.co2) AS middle, STDDEV(?e.co2) AS spread FROM (?e, air)"
_WINDOW = "WINDOW (?e, sliding, {n}s) GROUP BY ?e.room HAVING (LAST(?e.co2) - MEDIAN(?e.co2) > 500)"
DOCUMENT = ";\n".join([URGENT, *(f"{_LOW} {_WINDOW}".format(n=n) for n in (7, 11, 13, 17))])
WANTED = 5
_LATER = "s until an urgent row, median of the later half"


class _Rows:
    """A sink that keeps what tells rows apart, and where they come from."""

    def __init__(self) -> None:
        self.ids: dict[str, set[str]] = {}
        self.count = self.archived = 0

    def write(self, batch_id: int, query_name: str, matches: pa.Table) -> None:  # noqa: ARG002 - a sink's
        self.ids.setdefault(query_name, set()).update(matches["_id"].cast(pa.string()).to_pylist())
        self.count += matches.num_rows
        self.archived += sum(source == "archive" for source in matches["_source"].cast(pa.string()).to_pylist())

    def flush(self) -> None:
        """Nothing is held."""

    def snapshot(self) -> dict[str, Any]:
        """No engine goes on after another one."""
        return {}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Nothing comes again."""

    def close(self) -> None:
        """Nothing is open."""


class Served(NamedTuple):
    """What a run gave.

    Attributes:
        waits: of each batch, in seconds from its arrival until the rows of the urgent query were durable.
        ids: by query, those of its rows.
        rows: how many there were.
        archived: how many of these came from the archive.
        seconds: until everything was answered.
    """

    waits: Sequence[float]
    ids: Mapping[str, set[str]]
    rows: int
    archived: int
    seconds: float


def readings(number: int) -> pa.Table:
    """A batch as a source gives it: a millisecond apart, batch after batch."""
    row = pl.int_range(SIZE) + number * SIZE
    moment = pl.lit(datetime(2026, 1, 1, tzinfo=UTC)) + pl.duration(milliseconds=row)
    stamp = moment.dt.strftime("%Y-%m-%dT%H:%M:%S%.fZ")
    frame = pl.select(t=stamp, room=pl.format("B{}", row % 242), co2=400 + row * 7919 % 1000)
    return frame.to_arrow()


def served(tables: Sequence[pa.Table], document: str, pace: float, queries: Mapping[str, Any]) -> Served:
    """Answer batches that arrive one after the other, then what was left.

    Args:
        tables: the batches.
        document: the queries.
        pace: seconds between two arrivals.
        queries: `[queries]` of the project file.
    """
    with ExitStack() as opened:
        root = Path(opened.enter_context(tempfile.TemporaryDirectory()))
        content = {"streams": {"air": _STREAM}, "archive": {"enabled": True, "store": False}, "queries": queries}
        project = Project.parse(content, root=root)
        archive = opened.enter_context(Archive(project.settings, project.knowledge, project.shapes))
        sink = _Rows()
        flow = CheckpointedFlow(project, root / "state", [sink], archive, say=lambda _: None)
        opened.callback(flow.close)
        flow.queries.submit(project.registrations(document, "document"))
        idle = IdleStreams(project.settings.idle_timeouts(), time.monotonic)
        waits, began = list[float](), time.perf_counter()
        start = datetime.now(UTC)
        for number, table in enumerate(tables, 1):
            due = number * pace
            time.sleep(max(0.0, began + due - time.perf_counter()))
            flow.run(number, {"air": RawBatch(table)}, idle, start + timedelta(seconds=due))
            waits.append(time.perf_counter() - began - due)
        flow.run(len(tables) + 1, {})  # as `run --once` ends: everybody comes back
        flow.finish()
        return Served(waits, sink.ids, sink.count, sink.archived, time.perf_counter() - began)


def _pace(document: str) -> float:
    """Seconds that a batch takes which nobody waits for."""
    waits = served([readings(number) for number in range(12)], document, 0.0, {}).waits
    return median(later - sooner for sooner, later in itertools.pairwise(waits[3:]))


def main() -> None:
    """Measure, print, keep."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--batches", type=int, default=80)
    batches: int = parser.parse_args().batches
    machine = machine_with("kaicep", "polars", "pyarrow")
    alone, together = _pace(URGENT), _pace(DOCUMENT)
    pace = (alone * together) ** 0.5
    print(
        f"  a batch of {SIZE:,} takes {alone:.3f} s of the urgent query, "
        f"{together:.3f} s of all; one every {pace:.3f} s"
    )
    tables = [readings(number) for number in range(batches)]
    plain = served(tables, DOCUMENT, pace, {})
    wanted = {"alarm": {"latency": f"{2000 * pace:.0f}ms", "priority": 1}}
    ranked = served(tables, DOCUMENT, pace, wanted)
    runs = {"all alike": plain, "with priorities": ranked}
    figures = {what: _figures(run) for what, run in runs.items()}
    for what, found in figures.items():
        print(f"  {what}: " + ", ".join(f"{value:,.2f} {name}" for name, value in found.items()))
    sooner = figures["all alike"][_LATER] / figures["with priorities"][_LATER]
    bars = [
        at_least("the urgent query's rows come sooner, times", sooner, WANTED),
        at_least("rows that came from the archive later", ranked.archived, 1),
        at_most("rows that are not the same in the end", _differing(plain, ranked), 0),
    ]
    print("\n".join(bar.line for bar in bars))
    given = {"batch": SIZE, "batches": batches, "urgent alone, s": alone, "all, s": together, "a batch every, s": pace}
    keep("service", {"machine": machine, "given": given, "runs": figures}, bars)
    end(bars)


def _figures(run: Served) -> dict[str, float]:
    return {
        _LATER: median(run.waits[len(run.waits) // 2 :]),
        "s until an urgent row, at most": max(run.waits),
        "s until everything was answered": run.seconds,
        "rows": run.rows,
        "rows from the archive": run.archived,
    }


def _differing(one: Served, other: Served) -> int:
    return sum(len(one.ids.get(name, set()) ^ other.ids.get(name, set())) for name in {*one.ids, *other.ids})


if __name__ == "__main__":
    main()
