"""Idle streams: how far wall clock may move their watermarks (docs/semantics.md 1.5)."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

__all__ = ["IdleStreams", "Silence"]

_FIRST, _LAST = (moment.replace(tzinfo=UTC) for moment in (datetime.min, datetime.max))  # noqa: DTZ901 - has one here


@dataclass(frozen=True, slots=True)
class Silence:
    """How long a stream has brought nothing.

    Attributes:
        seconds: while somebody listened.
        since: the watermark from which it goes on by itself; `None`: it does not yet.
    """

    seconds: float
    since: datetime | None = None


class IdleStreams:
    """Follows how long each stream has been silent while the engine listens.

    After `timeout` of silence a stream's watermark goes on at the pace of the clock, from where it was: it stays so
    long behind the time that passes as the timeout says, so an event that was that long on its way is not late. A
    stream that has delivered nothing yet has no time of its own: it follows the slowest of the others at the same
    distance.

    Args:
        timeouts: by stream; `timedelta.max`: never.
        clock: seconds that pass, as `time.monotonic`; time that the engine does not run is no silence.
    """

    def __init__(self, timeouts: Mapping[str, timedelta], clock: Callable[[], float] = time.monotonic) -> None:
        self._timeouts = timeouts
        self._clock = clock
        began = self._asked = clock()
        self._upto: float | None = None
        self._since = dict.fromkeys(timeouts, began)
        self._from: dict[str, datetime] = {}

    @property
    def patience(self) -> timedelta:
        """The shortest of the timeouts."""
        return min(self._timeouts.values(), default=timedelta.max)

    def ask(self) -> None:
        """Note that the sources are asked from now on what has come, for the next batch."""
        self._asked = self._clock()

    @property
    def now(self) -> float:
        """The clock, as far as it is known what has come."""
        return self._clock() if self._upto is None else self._upto

    @property
    def silences(self) -> dict[str, Silence]:
        """By stream, its silence."""
        return {name: Silence(max(0.0, self.now - since), self._from.get(name)) for name, since in self._since.items()}

    def resume(self, silences: Mapping[str, Silence]) -> None:
        """Go on with silences that were heard before this clock began; the time in between is none."""
        for name, silence in silences.items():
            if name in self._since:
                self._since[name] -= silence.seconds
                if silence.since is not None:
                    self._from.setdefault(name, silence.since)

    @contextmanager
    def delivery(self) -> Iterator[None]:
        """A batch is at work: it has what came until its sources were asked, and of later it says nothing.

        However long it takes, a stream is silent only as far as the batch can tell; what came meanwhile is in the next.
        """
        self._upto = self._asked
        try:
            yield
        finally:
            self._upto = None
            self.ask()

    def heard(self, streams: Iterable[str]) -> None:
        """Note that these streams have just brought events."""
        for name in streams:
            self._since[name] = self._clock()
            self._from.pop(name, None)

    def advances(
        self, due: Mapping[str, datetime], watermarks: Mapping[str, datetime | None], begun: Iterable[str]
    ) -> dict[str, datetime]:
        """Return which streams' watermarks are to be moved now, and where to.

        Args:
            due: the streams that somebody waits for, and the watermark that is waited for.
            watermarks: of every stream; `None`: it has none yet.
            begun: the streams that have delivered events.
        """
        started = set(begun)
        silent = {name: more for name in self._since if (more := self._beyond_timeout(name)) is not None}
        moved = {name: self._on_its_own(name, watermarks[name], silent[name]) for name in silent if name in started}
        # Where nobody waits for the slowest of the others it has gone on as well: else its followers would stand still.
        others = [w for name in started if (w := moved.get(name) or watermarks[name]) is not None]
        if others:
            slowest = min(others)
            moved |= {name: _shifted(slowest, -self._timeouts[name]) for name in silent if name not in started}
        reached = {name: moved[name] for name in due if name in moved}
        return {n: to for n, to in reached.items() if to is not None and _useful(to, due[n], watermarks[n])}

    def _beyond_timeout(self, name: str) -> timedelta | None:
        """How much longer the stream has been silent than its timeout; `None`: it is not idle."""
        silence = timedelta(seconds=self.now - self._since[name])
        return silence - self._timeouts[name] if silence > self._timeouts[name] else None

    def _on_its_own(self, name: str, watermark: datetime | None, more: timedelta) -> datetime | None:
        return None if watermark is None else _shifted(self._from.setdefault(name, watermark), more)


def _shifted(moment: datetime, by: timedelta) -> datetime:
    """`moment + by`; beyond the calendar its last or first day (a sensor without a clock may send the year 9999)."""
    try:
        return moment + by
    except OverflowError:
        return _LAST if by > timedelta(0) else _FIRST


def _useful(to: datetime, due: datetime, watermark: datetime | None) -> bool:
    return to >= due and (watermark is None or to > watermark)
