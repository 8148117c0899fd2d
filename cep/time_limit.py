"""How long a query may take for the events of one batch: asked where ceilings are, so it ends by itself."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

__all__ = ["exceeded_limit", "limit_time"]


@dataclass(frozen=True, slots=True)
class _Limit:
    """Seconds that have to pass both by the clock and by the processor.

    The clock alone would count the minutes for which the process was stopped, or the machine was busy; the processor
    alone what other queries do meanwhile.
    """

    seconds: float
    began: float
    began_cpu: float

    @property
    def exceeded(self) -> bool:
        if time.monotonic() - self.began <= self.seconds:
            return False
        return time.process_time() - self.began_cpu > self.seconds


_LIMIT: ContextVar[_Limit | None] = ContextVar("kaicep-time-limit", default=None)


@contextmanager
def limit_time(seconds: float | None, spent: tuple[float, float] = (0.0, 0.0)) -> Iterator[None]:
    """Let what is done within, on this thread, take so long.

    Args:
        seconds: how long; `None`: as long as it takes.
        spent: the seconds of the clock and of the processor that were taken before.
    """
    began = time.monotonic() - spent[0], time.process_time() - spent[1]
    token = _LIMIT.set(None if seconds is None else _Limit(seconds, *began))
    try:
        yield
    finally:
        _LIMIT.reset(token)


def exceeded_limit() -> float | None:
    """The seconds that were allowed, if more have passed."""
    limit = _LIMIT.get()
    return limit.seconds if limit is not None and limit.exceeded else None
