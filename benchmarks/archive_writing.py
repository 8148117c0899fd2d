"""What archiving costs: the store against bare `bulk_load`, the log against an empty Spark job, bursts, replays."""

from __future__ import annotations

import multiprocessing as mp
import resource
import shutil
import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from multiprocessing.connection import Connection
from pathlib import Path

import pyarrow as pa
from kaicep import Engine, Project
from kaicep.archive.store.event_quads import encoder
from kaicep.archive.store.oxigraph_store import OxigraphStore
from kaicep.config import Settings
from kaicep.pipeline.hosting.spark_session import start_spark
from kaicep.planner import Strategy

from .archive_recovery import Outage, recover
from .archive_workload import BUCKET, Campus, campus
from .path import ROOT, empty_job, project, workload
from .semantic_stages import STREAM

_LOAD = 10_000
_AT_ONCE = 10
DAY = 24 * 60


def store_ratio(of: Campus, minutes: int, rounds: int) -> float:
    """Events/s into the archive's store, log included, relative to `bulk_load` of the same quads made beforehand."""
    tables = list(of.events(minutes))
    whole = pa.concat_tables(tables)
    encode = encoder(of.shapes, BUCKET)
    quads = [encode(STREAM, whole.slice(start, _LOAD)) for start in range(0, whole.num_rows, _LOAD)]
    ratios = []
    for _ in range(rounds):
        with _scratch() as folder:
            began = time.perf_counter()
            store = OxigraphStore(folder / "bare", BUCKET)
            for text in quads:
                store.add(text)
            store.close()
            bare = time.perf_counter() - began
            with of.opened(folder / "archive") as archive:
                archive.flush()
                began = time.perf_counter()
                for batch, table in enumerate(tables):
                    archive.append(batch, {STREAM: table})
                archive.flush()
            ratios.append(bare / (time.perf_counter() - began))
    return statistics.median(ratios)


def log_ratio(events: int, rounds: int) -> float:
    """Events/s of a Spark job that archives into the log, relative to one that does nothing; the best of each."""
    data = workload(events)
    spark = start_spark(Settings.load(ROOT / "examples" / "campus").engine)
    empty, logged = [], []
    for number in range(rounds + 1):
        with _scratch() as folder:
            bare = empty_job(spark, data, folder / "empty")
            settings = project(data, folder).settings
            archive = settings.archive.model_copy(
                update={"enabled": True, "store": False, "path": str(folder / "archive")}
            )
            with Engine(Project.of(settings.model_copy(update={"archive": archive})), spark=spark) as engine:
                began = time.perf_counter()
                engine.run_available()
                seconds = time.perf_counter() - began
        if number:
            empty.append(bare)
            logged.append(seconds)
    spark.stop()
    return min(empty) / min(logged)


def burst(of: Campus) -> tuple[float, float]:
    """A minute at ten times the rate, without a pause: the longest append of a second, and until the store has all.

    Returns:
        Seconds.
    """
    (table,) = campus(10 * of.rate).events(1)
    size = 10 * of.rate
    with _scratch() as folder, of.opened(folder / "archive") as archive:
        archive.flush()
        longest = 0.0
        began = time.perf_counter()
        for second in range(60):
            before = time.perf_counter()
            archive.append(second, {STREAM: table.slice(second * size, size)})
            longest = max(longest, time.perf_counter() - before)
        archive.flush()
        return longest, time.perf_counter() - began


def day_of_replay(rate: int) -> tuple[int, float]:
    """Replay of a day by Query 5: its events, and its peak of memory relative to that of the last two hours."""
    of = campus(rate)
    with _scratch() as folder:
        with of.opened(folder / "day", store=False) as archive:
            minutes = of.events(DAY)
            for batch in range(DAY // _AT_ONCE):
                archive.append(batch, {STREAM: pa.concat_tables(islice(minutes, _AT_ONCE))})
        peaks = []
        for down in (120, DAY):
            context = mp.get_context("spawn")
            ours, theirs = context.Pipe(duplex=False)
            process = context.Process(target=_replay, args=(theirs, rate, folder / "day", down))
            process.start()
            theirs.close()
            peaks.append(ours.recv())
            process.join()
    return rate * 60 * DAY, peaks[1] / peaks[0]


def _replay(connection: Connection, rate: int, path: Path, down: int) -> None:
    of = campus(rate)
    with of.opened(path, store=False) as archive:
        recovery = recover(of, archive, Outage(rate, DAY, 5, Strategy.REPLAY, down))
    if not recovery.rows:
        raise ValueError("Query 5 has rows")
    connection.send(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)


@contextmanager
def _scratch() -> Iterator[Path]:
    """A folder on the disk of the benchmarks, gone afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="archive-", dir=ROOT / ".cache"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder)
