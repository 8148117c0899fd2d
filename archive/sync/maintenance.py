"""Maintenance: compaction of the log, and retention of log and store, on a thread of its own."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial

from ...config import ArchiveSettings
from ...errors import ArchiveError
from ..log import EventLog, Position
from ..store import WritableStore
from .compaction import CompactionPolicy, compact
from .retention import RetentionPolicy, drop_graphs, drop_segments

_LOG = logging.getLogger("kaicep")
_PERIOD_S = 10.0
_SEGMENTS_AT_LEAST = 16


@dataclass(frozen=True, slots=True)
class MaintenancePolicy:
    """What is done: of log and store how much is kept, and when segments are put together."""

    log: RetentionPolicy
    store: RetentionPolicy
    compaction: CompactionPolicy | None

    @classmethod
    def of(cls, settings: ArchiveSettings) -> MaintenancePolicy:
        """As `[archive]` says; no segment grows so large that retention by whole segments becomes coarse."""
        size = float("inf") if settings.log_size is None else settings.log_size / _SEGMENTS_AT_LEAST
        never = settings.log_age == timedelta.max
        span = timedelta.max if never else settings.log_age / _SEGMENTS_AT_LEAST
        return cls(
            RetentionPolicy(settings.log_age, settings.log_size),
            RetentionPolicy(settings.store_age, settings.store_size),
            CompactionPolicy(size=size, span=span) if settings.compact else None,
        )


class Maintenance:
    """Compacts and drops in the background until `close`.

    Args:
        logs: of events, then of matches; the archive's locks are held.
        store: of the archive, if it has one.
        rules: what to do.
        settled: of each log, the last batch that nobody needs any more; `None`: all are needed.
        clock: the time now, aware.
    """

    def __init__(
        self,
        logs: Sequence[EventLog],
        store: WritableStore | None,
        rules: MaintenancePolicy,
        settled: Callable[[], Sequence[Position | None]],
        clock: Callable[[], datetime],
    ) -> None:
        self._logs, self._store, self._rules, self._settled, self._clock = logs, store, rules, settled, clock
        self._stop = threading.Event()
        self._said = ""
        self._thread = threading.Thread(target=self._run, name="kaicep-maintenance", daemon=True)
        self._thread.start()

    def once(self) -> None:
        """Do what is due now, each task also when another has failed.

        Raises:
            ArchiveError: a segment cannot be read, the store does not answer, or the file system refuses.
        """
        faults = []
        for task in self._tasks(self._clock()):
            try:
                task()
            except (ArchiveError, OSError) as error:
                faults.append(error)
        if faults:
            raise faults[0]

    def _tasks(self, now: datetime) -> Iterator[Callable[[], object]]:
        logs, store, rules = self._logs, self._store, self._rules
        yield lambda: drop_segments(list(zip(logs, self._settled(), strict=True)), rules.log, now)
        if store is not None:
            yield lambda: drop_graphs(store, rules.store, now, read=any(log.readers for log in logs))
        if rules.compaction is not None:
            for log in logs:
                yield partial(compact, log, rules.compaction, lambda: not self._stop.is_set())

    def close(self) -> None:
        """Stop after the segment at work."""
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._stop.wait(_PERIOD_S):
            try:
                self.once()
            except (ArchiveError, OSError) as error:
                self._say(f"the archive cannot be kept in order: {error}")

    def _say(self, message: str) -> None:
        """Warn, once for each thing that is wrong: events go on being archived."""
        if message != self._said:
            self._said = message
            _LOG.warning(message)
