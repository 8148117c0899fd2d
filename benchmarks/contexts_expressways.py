"""Linear Road's rating: the most expressways that one machine takes with every toll told within five seconds.

    python -m benchmarks.contexts_expressways [--most 80] [--step 2]

The recorded expressway stands beside itself, with other vehicles, and the queries of `examples/linear_road` are
answered through Spark, without an archive. Of its 45 minutes the busiest ones are measured, behind 15 that lead up to
them. A file has the reports of two seconds and is a batch. How long batches take is measured as fast as it goes; a
batch begins when its last report has come and the batch before is done, and a report's latency is the time from the
beginning of its two seconds to the end of its batch. The tolls are compared with the published ones, vehicle by
vehicle, and so are the alerts. Each number of expressways is rated with the optimiser's parts and without them (Fig.
11b of CAESAR).

State is measured without Spark, over three hours: the recording four times, with other vehicles each time.

Writes `contexts_expressways.json`, `.svg` and `.png` to `benchmarks/results/`, and ends with 1 when a bar is missed.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import polars as pl
import pyarrow as pa
from kaicep import Engine, Project
from kaicep.config import EngineSettings
from kaicep.examples.linear_road import reports
from kaicep.pipeline.flow.batch import live_batch
from kaicep.pipeline.flow.dataflow import Dataflow
from kaicep.pipeline.hosting.spark_session import start_spark
from kaicep.pipeline.sinks.sink import Sink
from pyspark.sql import SparkSession

from .contexts_plot import draw_latency
from .report import RESULTS, at_least, at_most, end, keep, machine_with

EXAMPLE = Path(reports.__file__).parent
LATENCY = 5.0
"""Seconds from a report to the toll that it makes due (Linear Road)."""
_BEGIN, _KNOWN, _MEASURED, _END = 1_500, 1_860, 2_400, 2_700
"""Seconds of the stream: where it is taken up, from when on what it must yield depends only on what came since, from
when on batches are short, and its end."""
_LAST = _END - 2  # the reports of the last second wait for later ones, which do not come
_LEAD = 60  # seconds of a batch before those that are measured
_QUERIES = "[1-5]_*.chi"
_TURNS = 4
"""Recordings that make three hours."""
_RATED = (1, 7, 20, 40, 60, 80)
_PLANS: Mapping[str, Mapping[str, bool]] = {
    "optimised": {},
    "plain": {"push_down": False, "sharing": False, "grouping": False},
}
"""What `[engine.contexts]` says."""


@dataclass(frozen=True, slots=True)
class Rating:
    """What so many expressways take.

    Attributes:
        plan: `optimised` or `plain`.
        expressways: how many.
        reports: in the batches that are measured.
        latency: of the report that waited longest, in seconds.
        longest: seconds of the longest batch.
        median: of all batches.
        tolls: that were told and are right.
    """

    plan: str
    expressways: int
    reports: int
    latency: float
    longest: float
    median: float
    tolls: int

    @property
    def line(self) -> str:
        """A line of the report."""
        return (
            f"  {self.plan:<10}{self.expressways:>3} expressways, {self.reports:>9,} reports, {self.tolls:>9,} tolls: "
            f"latency {self.latency:6.2f} s, a batch {self.median:.2f} s, at most {self.longest:.2f} s"
        )


class _Kept(Sink):
    """Keeps the rows of the queries that the benchmark asks for."""

    def __init__(self, *names: str) -> None:
        self.rows: dict[str, list[pa.Table]] = {name: [] for name in names}

    def write(self, batch_id: int, query_name: str, matches: pa.Table) -> None:
        """Keep them; each batch is delivered once here."""
        del batch_id
        if query_name in self.rows:
            self.rows[query_name].append(matches)

    def frame(self, name: str, items: Mapping[str, str]) -> pl.DataFrame:
        """The rows of a query, its items by the names of the published columns."""
        frame = pl.DataFrame(pl.from_arrow(pa.concat_tables(self.rows[name], promote_options="default")))
        return frame.select(pl.col(item).cast(pl.Int64).alias(column) for column, item in items.items())


def cuts(step: int) -> list[int]:
    """At which seconds of the stream a batch ends."""
    return [*range(_BEGIN + _LEAD, _MEASURED + 1, _LEAD), *range(_MEASURED + step, _END + 1, step)]


def write_batches(folder: Path, expressways: int, ends: Sequence[int]) -> int:
    """A file for each batch; how many reports are in those that are measured."""
    folder.mkdir(parents=True)
    every = reports.load_reports(expressways).filter(pl.col("time") >= _BEGIN)
    places = np.searchsorted(every["time"].to_numpy(), ends).tolist()
    begun = time.time() - len(places)
    for number, (first, last) in enumerate(zip([0, *places], places, strict=False)):
        path = folder / f"readings-{number:04d}.parquet"
        every.slice(first, last - first).write_parquet(path)
        os.utime(path, (begun + number, begun + number))
    return every.filter(pl.col("time") >= _MEASURED).height


def rate(spark: SparkSession, plan: str, expressways: int, step: int) -> Rating:
    """Let an engine do all batches.

    Raises:
        SystemExit: a toll or an alert is not the published one.
    """
    scratch = Path(tempfile.mkdtemp(prefix="kaicep-bench-"))
    ends = cuts(step)
    measured = write_batches(scratch / "reports", expressways, ends)
    kept = _Kept("toll", "alert")
    done: list[float] = []
    project = _project(scratch, _PLANS[plan])
    with Engine(project, spark=spark, sinks=[kept], on_batch=lambda _: done.append(time.perf_counter())) as engine:
        for path in sorted((EXAMPLE / "queries").glob(_QUERIES)):
            engine.submit(path.read_text(encoding="utf-8"), label=path.stem, collect=False)
        engine.run_available()
    shutil.rmtree(scratch)
    tolls = check(kept, expressways)
    first = sum(last <= _MEASURED for last in ends)
    taken = [after - before for before, after in zip(done[first - 1 :], done[first : len(ends)], strict=False)]
    latency = waited(taken, step)
    return Rating(plan, expressways, measured, latency, max(taken), statistics.median(taken), tolls)


def ratings(spark: SparkSession, plan: str, most: int, step: int) -> Iterator[Rating]:
    """More and more expressways, until it takes too long."""
    for expressways in (n for n in _RATED if n <= most):
        found = rate(spark, plan, expressways, step)
        print(found.line, flush=True)
        yield found
        if found.latency > LATENCY:
            return


def waited(taken: Sequence[float], step: float) -> float:
    """The longest time from a report to the end of its batch, when batches take so long."""
    free, longest = 0.0, 0.0
    for number, seconds in enumerate(taken):
        free = max(free, (number + 1) * step) + seconds
        longest = max(longest, free - number * step)
    return longest


def check(kept: _Kept, expressways: int) -> int:
    """Compare with what is published; how many tolls there are.

    Raises:
        SystemExit: they differ.
    """
    published = reports.load_expected().filter(pl.col("time").is_between(_KNOWN, _LAST))
    told = {
        "toll": {"time": "time", "vid": "vid", "lav_or_accident_seg": "lav", "toll": "toll"},
        "alert": {"time": "time", "vid": "vid", "lav_or_accident_seg": "accident"},
    }
    for kind, (name, items) in enumerate(told.items()):
        once = published.filter(pl.col("type") == kind).select(*items)
        wanted = pl.concat(once.with_columns(vid=pl.col("vid") + reports.VEHICLES * i) for i in range(expressways))
        found = kept.frame(name, items).filter(pl.col("time").is_between(_KNOWN, _LAST))
        if not found.sort(*items).equals(wanted.cast(pl.Int64).sort(*items)):
            raise SystemExit(f"{name}: {found.height:,} rows are not the {wanted.height:,} that are published")
        if not kind:
            tolls = found.height
    return tolls


def states() -> list[int]:
    """Bytes of a snapshot at the end of each minute of three hours: one expressway, its recording four times."""
    flow, recorded = without_spark(), reports.load_reports()
    found: list[int] = []
    for turn in range(_TURNS):
        every = later(recorded, turn)
        for minute in range(turn * _END, (turn + 1) * _END, 60):
            own = every.filter(pl.col("time").is_between(minute, minute + 59))
            flow.process(live_batch(flow.annotators, {"report": own.to_arrow()}))
            found.append(sum(map(len, flow.snapshot().values())))
    return found


def without_spark() -> Dataflow:
    """A data flow that answers the queries."""
    of = Project.load(EXAMPLE)
    flow = of.dataflow()
    text = "\n".join(path.read_text(encoding="utf-8") for path in sorted((EXAMPLE / "queries").glob(_QUERIES)))
    for registration in of.registrations(text, "expressway"):
        flow.register(registration)
    return flow


def later(recorded: pl.DataFrame, turn: int) -> pl.DataFrame:
    """The reports that come when the recording begins again, of other vehicles."""
    return recorded.with_columns(
        pl.col("at") + pl.duration(seconds=turn * _END),
        pl.col("time") + turn * _END,
        pl.col("vid") + turn * reports.VEHICLES,
    )


def _project(scratch: Path, contexts: Mapping[str, bool]) -> Project:
    settings = Project.load(EXAMPLE).settings
    stream = settings.streams["report"].model_dump(exclude_unset=True)
    source = {"format": "parquet", "path": str(scratch / "reports"), "maxFilesPerTrigger": 1}
    return Project.parse(
        {
            "prefixes": settings.prefixes,
            "knowledge": {"modules": [str(EXAMPLE / "roads.ttl")]},
            "streams": {"report": stream | {"source": source}},
            "archive": {"enabled": False},
            "engine": {"state": str(scratch / "state"), "trigger": "0s", "contexts": dict(contexts)},
        }
    )


def _growth(state: Sequence[int]) -> float:
    """How many times as large state is in the last recording as in the second."""
    each = len(state) // _TURNS
    return statistics.mean(state[-each:]) / statistics.mean(state[each : 2 * each])


def main() -> None:
    """Rate, draw, compare with the bars."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--most", type=int, default=_RATED[-1])
    parser.add_argument("--step", type=int, default=2, help="seconds of the stream in a batch")
    arguments = parser.parse_args()
    machine = machine_with("pyspark", "pyarrow", "polars")
    spark = start_spark(EngineSettings())
    found = [one for plan in _PLANS for one in ratings(spark, plan, arguments.most, arguments.step)]
    spark.stop()
    best = max((one.expressways for one in found if one.plan == "optimised" and one.latency <= LATENCY), default=0)
    state = states()
    bars = [
        at_least("expressways within 5 s", best, 20),
        at_most("state over three hours, the last 45 minutes : the second", _growth(state), 1.05),
    ]
    print("bars:", *(bar.line for bar in bars), sep="\n")
    keep("contexts_expressways", {"machine": machine, "ratings": [asdict(one) for one in found], "state": state}, bars)
    for ending in ("svg", "png"):
        draw_latency(
            {plan: [(one.expressways, one.latency) for one in found if one.plan == plan] for plan in _PLANS},
            LATENCY,
            RESULTS / f"contexts_expressways.{ending}",
        )
    end(bars)


if __name__ == "__main__":
    main()
