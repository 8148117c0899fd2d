"""When which of recorded events is due: as far apart as their time stamps say, by a factor, or so many a second."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime

import typer

__all__ = ["ReplayPace", "parse_rate", "parse_speed"]

_SPEED = re.compile(r"(\d+(?:\.\d+)?|\.\d+)x?")
_RATE = re.compile(r"(\d+(?:\.\d+)?|\.\d+)(?:/s)?")
_TOGETHER_S = 0.05
"""What is due within so many seconds goes out together."""
_AT_ONCE = 1000
_LONGEST_S = 86_400.0
"""Systems sleep for no centuries, and events of the year 9999 stand for those that have no end."""


def parse_speed(text: str) -> float | None:
    """`60x` as a factor; `None` for `max`.

    Raises:
        typer.BadParameter: it is neither.
    """
    if text == "max":
        return None
    found = _SPEED.fullmatch(text)
    if found is None or not float(found[1]):
        raise typer.BadParameter(f"'{text}' is no speed; write 60x, 0.5x, or max", param_hint="--speed")
    return float(found[1])


def parse_rate(text: str) -> float:
    """`5000/s` as events a second.

    Raises:
        typer.BadParameter: it is none.
    """
    found = _RATE.fullmatch(text)
    if found is None or not float(found[1]):
        raise typer.BadParameter(f"'{text}' is no rate; write 5000/s or 0.5/s", param_hint="--rate")
    return float(found[1])


class ReplayPace:
    """Lets events wait until they are due.

    An event that is older than one before it is due at once, and the first one is, too. What whoever takes
    them has held up goes out together, so that the pace is kept.

    Args:
        speed: so much faster than they happened; `None`: as fast as they are taken.
        rate: so many a second instead, whatever their time stamps are.
        clock: seconds, from any moment.
        sleep: waits for so many.
    """

    def __init__(
        self,
        speed: float | None,
        rate: float | None = None,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._speed, self._rate, self._clock, self._sleep = speed, rate, clock, sleep
        self._first: datetime | None = None
        self._began: float | None = None
        self._passed = 0

    def groups(self, moments: Sequence[datetime | None]) -> Iterator[tuple[int, int]]:
        """First and end of events that go out together, each when it is due.

        Args:
            moments: their time stamps, in order; one without any goes with the one before it.
        """
        start = 0
        while start < len(moments):
            until = self._wait(self._due(start, moments[start])) + _TOGETHER_S
            end = start + 1
            while end < len(moments) and end - start < _AT_ONCE and self._due(end, moments[end]) <= until:
                end += 1
            yield start, end
            start = end
        self._passed += len(moments)

    def _due(self, place: int, moment: datetime | None) -> float:
        """Seconds since the first one."""
        if self._rate is not None:
            if self._began is None:
                self._began = self._clock()
            return (self._passed + place) / self._rate
        if self._speed is None or moment is None:
            return 0.0
        if self._first is None:
            self._first, self._began = moment, self._clock()
        return max(0.0, (moment - self._first).total_seconds() / self._speed)

    def _wait(self, due: float) -> float:
        """Seconds since the first one, when it is due."""
        now = 0.0 if self._began is None else self._clock() - self._began
        left = due - now
        while left > 0.0:
            self._sleep(min(left, _LONGEST_S))
            left -= _LONGEST_S
        return max(now, due)
