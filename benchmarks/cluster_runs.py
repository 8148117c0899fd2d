"""Engines that answer the seven queries on a cluster, measured batch by batch."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from itertools import groupby, pairwise
from pathlib import Path
from statistics import median
from typing import Literal

from kaicep import Engine, ParquetSink, Project
from kaicep.config import EngineSettings, Settings
from kaicep.examples.cluster import cluster, prepare
from kaicep.pipeline.durability.progress import Progress
from kaicep.pipeline.hosting.spark_session import start_spark, stop_spark
from kaicep.pipeline.query_documents import query_files
from kaicep.pipeline.sharding.part_file import PartFile
from kaicep.storage import LocalFolder
from pyspark.sql import SparkSession

from .cluster_processes import DRIVER, ROLES, Processor

UNTIMED = 2
"""Batches of each run that are not timed: its queries are compiled in them."""

WARM_ROWS = 2_000
KINDS = ("split", "identity", "shard", "rows")
_KEPT = frozenset({"state", "seen"})
"""Parts of files that are the state of queries, and identities."""


@dataclass(frozen=True, slots=True)
class Run:
    """What is measured with one engine.

    Attributes:
        rows: of a batch.
        batches: that are timed.
        quiet: thresholds are out of reach, so that no query gives rows.
        parts: files of a batch, tasks of a job, shards of a query.
    """

    rows: int
    batches: int
    quiet: bool = False
    parts: int = 2


@dataclass(frozen=True, slots=True)
class Session:
    """Runs in one Java process.

    Attributes:
        name: of the figures.
        workers: of the cluster, one core each; 0: the driver hosts, on two cores of this machine.
        runs: one after the other.
        java: options of the driver's Java.
        warm: batches before them.
    """

    name: str
    workers: int
    runs: tuple[Run, ...]
    warm: int
    java: str = ""


@dataclass(frozen=True, slots=True)
class Measured:
    """Of the timed batches of a run.

    Attributes:
        session: its name.
        run: what was measured.
        seconds: median from one batch to the next, by wall clock.
        cpu: by role, mean CPU milliseconds of a batch.
        between: by kind of task, bytes in files that the last batch has left for the tasks behind it.
        state: bytes of the states of queries after it, and of the identities.
        matches: rows of all batches, by query.
    """

    session: str
    run: Run
    seconds: float
    cpu: dict[str, float]
    between: dict[str, int]
    state: int
    matches: dict[str, int]

    @property
    def driver(self) -> float:
        """CPU milliseconds of the driver a batch."""
        return sum(self.cpu[role] for role in DRIVER)

    @property
    def total(self) -> float:
        """CPU milliseconds of everybody a batch."""
        return sum(self.cpu.values())

    @property
    def line(self) -> str:
        """For people."""
        run = self.run
        cpu = " / ".join(f"{self.cpu[role]:,.0f}" for role in ROLES)
        quiet = ", no rows" if run.quiet else ""
        return (
            f"{self.session}: {run.rows:,} rows, {run.parts} parts{quiet}: {run.rows / self.seconds:,.0f} events/s; "
            f"CPU ms a batch {cpu}, the driver {self.driver / self.total:.0%}; "
            f"{sum(self.between.values()):,} bytes between, {self.state:,} of state"
        )


@dataclass(slots=True)
class _Watch:
    """Takes the time of batches: an engine calls it after each."""

    hosting: Path
    times: list[float] = field(default_factory=list)
    spent: list[dict[str, float]] = field(default_factory=list)
    processor: Processor = field(default_factory=Processor)

    def __call__(self, _: Progress) -> None:
        self.times.append(time.perf_counter())
        self.spent.append(self.processor.seconds())

    def cpu(self) -> dict[str, float]:
        """Mean milliseconds of the timed batches, by role."""
        first, last = self.spent[UNTIMED - 1], self.spent[-1]
        count = len(self.spent) - UNTIMED
        return {role: 1_000 * (last[role] - first[role]) / count for role in ROLES}

    def seconds(self) -> float:
        """Median of the timed batches."""
        timed = self.times[UNTIMED - 1 :]
        return median(after - before for before, after in pairwise(timed))


def measured(session: Session) -> list[Measured]:
    """All runs of a session; called in a process of its own, which starts nothing else."""
    os.environ["SPARK_SUBMIT_OPTS"] = session.java
    folder = Path(tempfile.mkdtemp(prefix="kaicep-cluster-"))
    try:
        with cluster(folder, session.workers) if session.workers else nullcontext("local[2]") as master:
            found: list[Measured] = []
            runs = (Run(WARM_ROWS, session.warm), *session.runs)
            for parts, some in groupby(runs, lambda run: run.parts):
                with _spark(session, master, parts) as spark:
                    for run in some:
                        found.append(_run(session, run, folder / f"run-{len(found)}", master, spark))
                        print(found[-1].line, flush=True)
        return found[1:]
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _spark(session: Session, master: str, parts: int) -> Iterator[SparkSession]:
    of_spark = {
        "spark.executor.memory": "768m",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.default.parallelism": str(parts),
        "spark.executorEnv.POLARS_MAX_THREADS": "1",
        "spark.executor.processTreeMetrics.enabled": "false",
    }
    hosting: Literal["driver", "executors"] = "executors" if session.workers else "driver"
    spark = start_spark(EngineSettings(master=master, hosting=hosting, spark=of_spark))
    try:
        yield spark
    finally:
        stop_spark(spark)


def _run(session: Session, run: Run, folder: Path, master: str, spark: SparkSession) -> Measured:
    batches = run.batches + UNTIMED
    file = prepare(folder, run.parts * batches, master, run.rows * batches)
    text = file.read_text(encoding="utf-8").replace("maxFilesPerTrigger = 2", f"maxFilesPerTrigger = {run.parts}")
    if not session.workers:
        text = text.replace('hosting = "executors"', 'hosting = "driver"')
    file.write_text(text, encoding="utf-8")
    project = Project.of(Settings.load(file))
    watch = _Watch(folder / "var" / "state" / "hosting")
    with Engine(project, spark=spark, sinks=[ParquetSink(folder / "matches")], on_batch=watch) as engine:
        for path in query_files(project.settings):
            engine.submit(_text(path, quiet=run.quiet), label=path.stem, collect=False)
        engine.run_available()
        if len(watch.spent) != batches:
            raise SystemExit(f"{len(watch.spent)} batches instead of {batches}")
        between, state = _left(watch.hosting, batches)
        found = Measured(session.name, run, watch.seconds(), watch.cpu(), between, state, dict(engine.progress.matches))
    shutil.rmtree(folder)
    return found


def _text(path: Path, *, quiet: bool) -> str:
    text = path.read_text(encoding="utf-8")
    return text.replace("> 500", "> 5000").replace("?rate > ?gaf", "?rate > 5000") if quiet else text


def _left(folder: Path, batch: int) -> tuple[dict[str, int], int]:
    """Bytes that a batch has left for others, by kind of task, without the states; and those of the states."""
    between, state = dict.fromkeys(KINDS, 0), 0
    for path in folder.glob(f"{batch:09}-*.parts"):
        kind = path.name.split("-")[1]
        with PartFile(LocalFolder(folder), path.name) as file:
            kept = sum(len(file.content(name) or b"") for name in file if name[0] in _KEPT)
        state += kept
        between[kind] += path.stat().st_size - kept
    return between, state


def of(found: Sequence[Measured], session: str, rows: int, *, quiet: bool = False, parts: int = 2) -> Measured:
    """What was measured of a run, the last one of its kind."""
    wanted = (rows, quiet, parts)
    own = [m for m in found if m.session == session and (m.run.rows, m.run.quiet, m.run.parts) == wanted]
    return own[-1]
