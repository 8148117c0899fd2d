"""How long each stage of the data path has taken, by wall clock."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

__all__ = ["StageClock"]

T = TypeVar("T")


class StageClock:
    """Adds up the seconds of stages that follow each other on one thread.

    A stage within another one is counted as itself alone, so the sum of all stages is the time that was spent.

    Args:
        now: the seconds of a clock that only goes on.
    """

    def __init__(self, now: Callable[[], float] = time.perf_counter) -> None:
        self._now = now
        self._seconds: dict[str, float] = {}
        self._open: list[str] = []
        self._since = 0.0

    @property
    def seconds(self) -> dict[str, float]:
        """Seconds by stage, in the order in which the stages were first met; safe to ask from any thread."""
        return dict(self._seconds)

    @property
    def current(self) -> str | None:
        """The innermost stage that is at work, asked from any thread; `None`: none is."""
        return next(iter(self._open[-1:]), None)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Count what is done within as this stage."""
        self._charge()
        self._seconds.setdefault(name, 0.0)
        self._open.append(name)
        try:
            yield
        finally:
            self._charge()
            self._open.pop()

    def over(self, name: str, values: Iterator[T]) -> Iterator[T]:
        """The same values; what it takes to come by them is counted as this stage."""
        while True:
            with self.stage(name):
                try:
                    value = next(values)
                except StopIteration:
                    return
            yield value

    def _charge(self) -> None:
        """Count the time since the last change of stages as the innermost one."""
        now = self._now()
        if self._open:
            self._seconds[self._open[-1]] += now - self._since
        self._since = now
