"""Sees what an engine does, from any thread and without waiting for a batch."""

from __future__ import annotations

import logging
import os
import resource
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Literal, Protocol

from ...archive import Archive
from ...config import Settings
from ...storage import folder_size
from ..actions.delivery import CallDelivery
from ..durability import CheckpointedFlow, Progress
from ..monitoring import (
    ActionStatus,
    ArchiveStatus,
    BatchAtWork,
    ContextEvents,
    EngineStatus,
    ExecutorStatus,
    QueryStatus,
    RecentRates,
    ShedEvents,
    StageStatus,
    StatusWriter,
    StreamStatus,
    log_context,
)

__all__ = ["EngineObserver"]

_LOG = logging.getLogger("kaicep")
_SIZES_EVERY_S = 10.0
_MOST_OF_THE_TIME = 0.01
_PASSING = ("kaicep-past-", "kaicep-endpoint")
"""How the names of threads begin that end when they have done what there was to do."""
_OF_STREAMS = ("kaicep-heartbeat", "kaicep-object-watch", "kaicep-stream-watch", "kaicep-mqtt-")
"""How the names of threads begin that are there as long as the streams are read."""


class AnsweredQuery(Protocol):
    """What is told of a query of an engine."""

    name: str

    @property
    def state(self) -> str:
        """What has become of it."""

    @property
    def reason(self) -> str | None:
        """Why it is answered no more; `None`: it is."""


class ObservedEngine(Protocol):
    """What is seen of an engine."""

    @property
    def handles(self) -> Sequence[AnsweredQuery]:
        """The registered queries, in the order of their registration."""

    @property
    def refused(self) -> Mapping[str, str]:
        """Queries that were submitted to earlier engines and that this one refuses, with the reasons."""

    @property
    def running(self) -> bool:
        """Whether the streams are being read."""

    @property
    def failure(self) -> Exception | None:
        """What ended the streams; `None`: nothing did."""

    @property
    def waits_for(self) -> str | None:
        """What passes, and the streams wait for; `None`: for nothing."""

    @property
    def troubles(self) -> Mapping[str, str]:
        """By stream, why nothing comes from its broker."""

    @property
    def hosting(self) -> Literal["driver", "executors"]:
        """Who reads and answers batches."""

    @property
    def executors(self) -> Mapping[str, ExecutorStatus]:
        """What each executor has done."""


class EngineObserver:
    """Tells of an engine, as long as it is entered: `status` at any time, and a file each second.

    Args:
        engine: whose queries are told.
        flow: whose batches are.
        archive: `None`: it is switched off.
        settings: the project's.
        calls: of its rules; `None`: it has no actions.
    """

    def __init__(
        self,
        engine: ObservedEngine,
        flow: CheckpointedFlow,
        archive: Archive | None,
        settings: Settings,
        calls: CallDelivery | None = None,
    ) -> None:
        self._engine, self._flow, self._archive, self._calls = engine, flow, archive, calls
        self._state = settings.path(settings.engine.state)
        self._since, self._version = datetime.now(UTC), version("kaicep")  # which reads the package's notes
        self._begun: tuple[int, float] | None = None
        self._last_seconds = 0.0
        self._ended = self._reads = False
        self._rates, self._shares = RecentRates(), RecentRates()
        self._threads: set[str] = set()
        self._sizes = (0, 0)
        self._measure_again = 0.0
        wanted = settings.monitoring.metrics
        metrics = None if wanted is None else settings.path(wanted)
        self._writer = StatusWriter(self._state, metrics, self.status)

    @contextmanager
    def batch(self, number: int) -> Iterator[None]:
        """Note that a batch is done within, and log it."""
        began, before = time.monotonic(), self._flow.progress
        self._begun = (number, began)
        try:
            with log_context(batch=number):
                yield
                self._log(before, time.monotonic() - began)
        finally:
            self._begun = None

    def _log(self, before: Progress, seconds: float) -> None:
        self._last_seconds = seconds
        after = self._flow.progress
        records, matches = after.records - before.records, after.total_matches - before.total_matches
        counts = {"records": records, "matches": matches, "seconds": round(seconds, 6)}
        _LOG.log(logging.INFO if records or matches else logging.DEBUG, "batch done", extra=counts)

    @property
    def batch_at_work(self) -> BatchAtWork | None:
        """The batch that is being done; `None`: none is."""
        begun = self._begun
        if begun is None:
            return None
        return BatchAtWork(begun[0], time.monotonic() - begun[1], self._flow.clock.current)

    def close(self) -> None:
        """Write the last words."""
        self._ended = True
        self._writer.close()

    def status(self) -> EngineStatus:
        """What the engine is doing, and what it has done."""
        progress, failure = self._flow.progress, self._engine.failure
        self._reads = self._reads or self._engine.running
        now = datetime.now(UTC)
        # What an earlier engine has counted comes at once with the recovery, and is no rate.
        own = progress if progress.own is None else progress.own
        rates = self._rates.note({name: count.records for name, count in own.streams.items()})
        archive_size, state_size = self._measured()
        return EngineStatus(
            state="failed" if failure is not None else "stopped" if self._ended else "running",
            process=os.getpid(),
            version=self._version,
            since=self._since,
            at=now,
            reason=None if failure is None else str(failure),
            reads=self._reads,
            waits_for=self._engine.waits_for,
            troubles=dict(self._engine.troubles),
            batches=progress.batches,
            batch=self.batch_at_work,
            batch_seconds=self._last_seconds,
            records=progress.records,
            rate=sum(rates.values()),
            streams=self._streams(progress, rates, now),
            stages=self._stages(),
            queries=self._queries(progress),
            actions=self._acted(),
            archive=self._archived(archive_size),
            state_size=state_size,
            windows={
                name: contexts.history.open_windows
                for name, contexts in tuple(self._flow.dataflow.queries.contexts.items())
            },
            memory=_resident(),
            threads=self._alive(),
            hosting=self._engine.hosting,
            executors=dict(self._engine.executors),
        )

    def _streams(self, progress: Progress, rates: Mapping[str, float], now: datetime) -> dict[str, StreamStatus]:
        newest, watermarks = self._flow.dataflow.newest, self._flow.dataflow.watermarks
        found = {}
        for name, watermark in watermarks.items():
            count, latest = progress.streams.get(name), newest[name]
            counts = {} if count is None else {kind: getattr(count, kind) for kind in count.__slots__}
            lag = None if latest is None else (now - latest).total_seconds()
            rate = rates.get(name, 0.0)
            found[name] = StreamStatus(**counts, rate=rate, newest=latest, watermark=watermark, lag=lag)
        return found

    def _stages(self) -> dict[str, StageStatus]:
        seconds = self._flow.clock.seconds
        shares = self._shares.note(seconds)
        return {name: StageStatus(total, shares.get(name, 0.0)) for name, total in seconds.items()}

    def _queries(self, progress: Progress) -> dict[str, QueryStatus]:
        refused = {label: QueryStatus("parked", reason=why) for label, why in self._engine.refused.items()}
        return refused | {
            handle.name: QueryStatus(
                handle.state,
                progress.given(handle.name),
                handle.reason,
                self._contexts(handle.name),
                self._shed(handle.name),
            )
            for handle in self._engine.handles
        }

    def _contexts(self, label: str) -> ContextEvents | None:
        runtime = self._flow.dataflow.flows.get(label)
        given = None if runtime is None else runtime.given
        return None if given is None else ContextEvents(*given)

    def _shed(self, label: str) -> ShedEvents | None:
        runtime = self._flow.dataflow.flows.get(label)
        shed = None if runtime is None else runtime.intake.shed
        return None if shed is None else ShedEvents(shed.share, shed.passed, shed.read)

    def _acted(self) -> dict[str, ActionStatus]:
        counts = {} if self._calls is None else self._calls.counts()
        return {name: ActionStatus(one.waiting, one.failed, one.sent, one.reason) for name, one in counts.items()}

    def _archived(self, size: int) -> ArchiveStatus | None:
        if self._archive is None:
            return None
        lag, delta = self._archive.lag, self._archive.delta_lag
        told = () if delta is None else (delta.events, delta.matches, delta.reason)
        return ArchiveStatus(size, lag.events, lag.matches, self._archive.rebuilding, *told)

    def _measured(self) -> tuple[int, int]:
        """Bytes of the archive's folder and of the state's; the more files they have, the more seldom counted."""
        began = time.monotonic()
        if began >= self._measure_again or self._ended:
            self._sizes = (0 if self._archive is None else self._archive.size, folder_size(self._state))
            took = time.monotonic() - began
            self._measure_again = began + max(_SIZES_EVERY_S, took / _MOST_OF_THE_TIME)
        return self._sizes

    def _alive(self) -> dict[str, bool]:
        """The engine's lasting threads that were ever seen, and whether they are alive; none once it has ended."""
        own = {thread.name for thread in threading.enumerate() if thread.name.startswith("kaicep-")}
        alive = {name for name in own if not name.startswith(_PASSING)}
        self._threads |= alive
        lasting = {name for name in self._threads if not name.startswith(_OF_STREAMS)}
        wanted = self._threads if self._engine.running else lasting
        return {} if self._ended else {name: name in alive for name in sorted(wanted)}


def _resident() -> int:
    """Resident bytes of this process; where nothing says them, the most that it ever had."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
        return pages * resource.getpagesize()
    except OSError:
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return most if sys.platform == "darwin" else most * 1024
