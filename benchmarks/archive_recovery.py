"""A query that missed some time, brought through the archive: in a process of its own, which a time limit can end."""

from __future__ import annotations

import gc
import multiprocessing as mp
import re
import time
from dataclasses import dataclass, field
from datetime import timedelta
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from pathlib import Path

from kaicep.archive import Archive
from kaicep.errors import PlanError
from kaicep.pipeline.flow.backfill import Backfill
from kaicep.pipeline.flow.batch import live_batch
from kaicep.pipeline.flow.queries.registration import Registration
from kaicep.planner import Strategy

from .archive_workload import Campus, campus, end_of, readings
from .semantic_stages import CAMPUS, STREAM

PLANNER = "planner"
STRATEGIES = (*(strategy.value for strategy in Strategy), PLANNER)
_TIMES, _PATIENCE_S = 5, 6.0
"""A recovery is measured again that often at the most, and as long as all of its times were shorter than this."""
_GRACE_S = 1.0
_START_S = 120.0
_FIRST_CLAUSE = re.compile(r"^(PATH|WINDOW)|FILTER(?= \()", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Outage:
    """What is to be caught up.

    Attributes:
        rate: of the stream, events/s.
        archive: minutes that log and store hold.
        query: number of the paper's query.
        strategy: `planner` leaves the choice to it.
        down: minutes that were missed.
    """

    rate: int
    archive: int
    query: int
    strategy: str
    down: int


@dataclass(frozen=True, slots=True)
class Recovery:
    """What it took; seconds are those of the wall clock, the best of several times when it was quick enough for that.

    Attributes:
        outage: what was caught up.
        latency: until the first piece of the past was answered; `None`: not within the time limit.
        duration: until all of it was answered.
        rows: of the query.
        choice: the strategy and its reason.
        refused: why the strategy cannot answer the query.
    """

    outage: Outage
    latency: float | None = None
    duration: float | None = None
    rows: int = 0
    choice: str = ""
    refused: str = ""

    @property
    def throughput(self) -> float | None:
        """Archived events caught up per second."""
        return None if self.duration is None else self.outage.rate * 60 * self.outage.down / self.duration


@dataclass
class Recoverer:
    """Recovers from outages, one after the other, each within a time limit.

    Args:
        rate: of the stream.
        archive: minutes that it holds.
        folder: where it is.
        limit: seconds for each recovery.
    """

    rate: int
    archive: int
    folder: Path
    limit: float
    _process: SpawnProcess | None = field(default=None, init=False)
    _connection: Connection | None = field(default=None, init=False)

    def recover(self, outage: Outage) -> Recovery:
        """Measure one outage, several times if it is quick enough for that: a time alone may be hit by chance."""
        times = [self._once(outage)]
        while times[-1].duration is not None and len(times) < _TIMES and _spent(times) < _PATIENCE_S:
            times.append(self._once(outage))
        return min(times, key=lambda one: float("inf") if one.duration is None else one.duration)

    def _once(self, outage: Outage) -> Recovery:
        connection = self._connection or self._start()
        connection.send(outage)
        if not connection.poll(self.limit + _GRACE_S):
            self.close()
            return Recovery(outage)
        found: Recovery = connection.recv()
        return found if found.duration is None or found.duration <= self.limit else Recovery(outage)

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.kill()
            self._process.join()
        self._process = self._connection = None

    def _start(self) -> Connection:
        context = mp.get_context("spawn")
        ours, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs, self.rate, self.archive, self.folder), daemon=True)
        self._process.start()
        theirs.close()
        self._connection = ours
        if not ours.poll(_START_S):
            raise TimeoutError("the recovering process does not start")
        ours.recv()
        return ours


def _serve(connection: Connection, rate: int, minutes: int, folder: Path) -> None:
    of = campus(rate)
    with of.opened(folder) as archive:
        archive.flush()
        for query in (5, 6, 7):
            recover(of, archive, Outage(rate, minutes, query, Strategy.REPLAY, 1))
        connection.send(None)
        while True:
            outage = connection.recv()
            try:
                connection.send(recover(of, archive, outage))
            except PlanError as error:
                connection.send(Recovery(outage, refused=error.message))


def _spent(times: list[Recovery]) -> float:
    return sum(one.duration or 0 for one in times)


def recover(of: Campus, archive: Archive, outage: Outage) -> Recovery:
    """Register a query at the archive's end whose WITHIN begins with the outage, and answer its past."""
    text = (CAMPUS / "queries" / f"query{outage.query}.chi").read_text(encoding="utf-8")
    since = f"WITHIN (now - {outage.down}min, ) "
    query = of.project.compile(_FIRST_CLAUSE.sub(lambda clause: since + clause[0], text, count=1))[-1]
    live = of.project.dataflow()
    (last,) = readings(outage.rate, 1, outage.archive - 1)
    live.process(live_batch(live.annotators, {STREAM: last}))
    live.register(Registration(query, "q", end_of(outage.archive) - timedelta(milliseconds=1)))
    strategy = None if outage.strategy == PLANNER else Strategy(outage.strategy)
    gc.collect()
    began = time.perf_counter()
    backfill = Backfill(live, ["q"], archive, upto=archive.last, strategy=strategy)
    latency, rows = None, 0
    for batch in backfill.batches():
        matches = backfill.dataflow.process(batch).matches
        latency = latency or time.perf_counter() - began
        rows += matches["q"].num_rows if "q" in matches else 0
    duration = time.perf_counter() - began
    return Recovery(outage, latency or duration, duration, rows, str(backfill.choice))
