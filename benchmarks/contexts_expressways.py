"""Linear Road's rating: the most expressways that one machine takes with every toll told within five seconds.

    python -m benchmarks.contexts_expressways [--most 80] [--step 2]

The recorded expressway stands beside itself, with other vehicles, and the queries of `examples/linear_road` are
answered through Spark, without an archive. Of its 45 minutes the busiest ones are measured, behind 15 that lead up to
them. A file has the reports of two seconds and is a batch. How long batches take is measured as fast as it goes; a
batch begins when its last report has come and the batch before is done, and a report's latency is the time from the
beginning of its two seconds to the end of its batch. The tolls are compared with the published ones, vehicle by
vehicle, and so are the alerts.

Writes `contexts_expressways.json` to `benchmarks/results/`, and ends with 1 when a bar is missed.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import polars as pl
import pyarrow as pa
from kaicep import Engine, Project
from kaicep.config import EngineSettings
from kaicep.examples.linear_road import reports
from kaicep.pipeline.flow.batch import live_batch
from kaicep.pipeline.hosting.spark_session import start_spark
from kaicep.pipeline.sinks.sink import Sink
from pyspark.sql import SparkSession

from .report import at_least, at_most, end, keep, machine_with

EXAMPLE = Path(reports.__file__).parent
LATENCY = 5.0
"""Seconds from a report to the toll that it makes due (Linear Road)."""
_BEGIN, _KNOWN, _MEASURED, _END = 1_500, 1_860, 2_400, 2_700
"""Seconds of the stream: where it is taken up, from when on what it must yield depends only on what came since, from
when on batches are short, and its end."""
_LAST = _END - 2  # the reports of the last second wait for later ones, which do not come
_LEAD = 60  # seconds of a batch before those that are measured
_QUERIES = "[1-5]_*.chi"
_RATED = (20, 40, 60, 80)


@dataclass(frozen=True, slots=True)
class Rating:
    """What so many expressways take.

    Attributes:
        expressways: how many.
        reports: in the batches that are measured.
        latency: of the report that waited longest, in seconds.
        longest: seconds of the longest batch.
        median: of all batches.
        tolls: that were told and are right.
    """

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
            f"  {self.expressways:>3} expressways, {self.reports:>9,} reports: latency {self.latency:6.2f} s, "
            f"a batch {self.median:.2f} s, at most {self.longest:.2f} s; {self.tolls:,} tolls"
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


def rate(spark: SparkSession, expressways: int, step: int) -> Rating:
    """Let an engine do all batches.

    Raises:
        SystemExit: a toll or an alert is not the published one.
    """
    scratch = Path(tempfile.mkdtemp(prefix="kaicep-bench-"))
    ends = cuts(step)
    measured = write_batches(scratch / "reports", expressways, ends)
    kept = _Kept("toll", "alert")
    done: list[float] = []
    project = _project(scratch)
    with Engine(project, spark=spark, sinks=[kept], on_batch=lambda _: done.append(time.perf_counter())) as engine:
        for path in sorted((EXAMPLE / "queries").glob(_QUERIES)):
            engine.submit(path.read_text(encoding="utf-8"), label=path.stem, collect=False)
        engine.run_available()
    shutil.rmtree(scratch)
    tolls = check(kept, expressways)
    first = sum(last <= _MEASURED for last in ends)
    taken = [after - before for before, after in zip(done[first - 1 :], done[first : len(ends)], strict=False)]
    latency = waited(taken, step)
    return Rating(expressways, measured, latency, max(taken), statistics.median(taken), tolls)


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


def states() -> list[float]:
    """Bytes of a snapshot for each report of the five minutes before, at the end of each minute; of one expressway."""
    of, every = Project.load(EXAMPLE), reports.load_reports()
    flow = of.dataflow()
    for path in sorted((EXAMPLE / "queries").glob(_QUERIES)):
        for registration in of.registrations(path.read_text(encoding="utf-8"), path.stem):
            flow.register(registration)
    found: list[float] = []
    for minute in range(_END // 60):
        own = every.filter(pl.col("time").is_between(60 * minute, 60 * minute + 59))
        flow.process(live_batch(flow.annotators, {"report": own.to_arrow()}))
        recent = every.filter(pl.col("time").is_between(60 * minute - 240, 60 * minute + 59)).height
        found.append(sum(map(len, flow.snapshot().values())) / recent)
    return found


def _project(scratch: Path) -> Project:
    settings = Project.load(EXAMPLE).settings
    stream = settings.streams["report"].model_dump(exclude_unset=True)
    source = {"format": "parquet", "path": str(scratch / "reports"), "maxFilesPerTrigger": 1}
    return Project.parse(
        {
            "prefixes": settings.prefixes,
            "knowledge": {"modules": [str(EXAMPLE / "roads.ttl")]},
            "streams": {"report": stream | {"source": source}},
            "archive": {"enabled": False},
            "engine": {"state": str(scratch / "state"), "trigger": "0s"},
        }
    )


def _growth(state: Sequence[float]) -> float:
    middle = len(state) // 2
    return statistics.mean(state[-10:]) / statistics.mean(state[middle - 5 : middle + 5])


def main() -> None:
    """Rate, from few expressways to more, until it takes too long."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--most", type=int, default=_RATED[-1])
    parser.add_argument("--step", type=int, default=2, help="seconds of the stream in a batch")
    arguments = parser.parse_args()
    machine = machine_with("pyspark", "pyarrow", "polars")
    spark = start_spark(EngineSettings())
    found: list[Rating] = []
    for expressways in (1, *(n for n in _RATED if n <= arguments.most)):
        found.append(rate(spark, expressways, arguments.step))
        print(found[-1].line, flush=True)
        if found[-1].latency > LATENCY:
            break
    spark.stop()
    best = max((one.expressways for one in found if one.latency <= LATENCY), default=0)
    state = states()
    bars = [
        at_least("expressways within 5 s", best, 20),
        at_most("state for each report, the last ten minutes : ten in the middle", _growth(state), 1.1),
    ]
    print("bars:", *(bar.line for bar in bars), sep="\n")
    keep("contexts_expressways", {"machine": machine, "ratings": [asdict(one) for one in found], "state": state}, bars)
    end(bars)


if __name__ == "__main__":
    main()
