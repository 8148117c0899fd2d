"""A process stands still while a batch is at work, and yet goes on at least half of the time (docs/decisions/301)."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ...storage import ChildProcess

__all__ = ["FairPauses"]


class FairPauses:
    """Stops a process for as long as something else is at work, and for no longer than it had gone on before.

    Args:
        child: can be stopped.
        now: the seconds of a clock that only goes on.
    """

    def __init__(self, child: ChildProcess, now: Callable[[], float] = time.monotonic) -> None:
        self._child, self._now = child, now
        self._lock = threading.Lock()
        self._changed, self._allowed = now(), 0.0
        self._stopped = False

    @contextmanager
    def during(self) -> Iterator[None]:
        """Let it stand still meanwhile."""
        with self._lock:
            self._allowed = self._now() - self._changed
            self._turn(stopped=True)
        try:
            yield
        finally:
            self._go_on()

    def end_overdue(self) -> None:
        """Let it go on if it has stood still for as long as it may, from any thread."""
        if self._stopped and self._now() - self._changed >= self._allowed:
            self._go_on()

    def _go_on(self) -> None:
        with self._lock:
            if self._stopped:
                self._turn(stopped=False)

    def _turn(self, *, stopped: bool) -> None:
        (self._child.stop if stopped else self._child.go_on)()
        self._changed, self._stopped = self._now(), stopped
