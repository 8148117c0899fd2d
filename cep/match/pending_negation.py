"""Complete matches whose last NOT has not ended: they wait for the watermark, or first for the very next event."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from ...expressions import Bools, Ints, in_calendar
from ..order import BEFORE, UNBOUNDED
from .recurrence import Recurrence

__all__ = ["NOTHING_AWAITED", "NextEvents", "PendingNegation"]

NOTHING_AWAITED = -1
"""Instead of an event's number: the end does not depend on the event that comes next."""

_TIME, _AWAITED, _UNTIL = "#time", "#awaited", "#until"
_NO_INTS = np.empty(0, dtype=np.int64)


@dataclass(slots=True)
class NextEvents:
    """When the very next event came: by the number of the event before it, ascending."""

    numbers: Ints = field(default_factory=lambda: _NO_INTS)
    times: Ints = field(default_factory=lambda: _NO_INTS)

    def __len__(self) -> int:
        return len(self.numbers)

    def note(self, events: pl.DataFrame) -> None:
        """Take in what `Contiguity` says of events that were released."""
        following = events.filter(pl.col(BEFORE) >= 0)
        if following.height:
            numbers = np.concatenate([self.numbers, following[BEFORE].to_numpy()])
            times = np.concatenate([self.times, following["_time"].to_physical().to_numpy()])
            order = np.argsort(numbers, kind="stable")
            self.numbers, self.times = numbers[order], times[order]

    def after(self, numbers: Ints) -> Ints:
        """The time stamp of the event right after each; `UNBOUNDED`: it has not come."""
        places = np.minimum(np.searchsorted(self.numbers, numbers), len(self.numbers) - 1)
        known = self.numbers[places] == numbers if len(self.numbers) else np.zeros(len(numbers), dtype=bool)
        found = np.full(len(numbers), UNBOUNDED)
        found[known] = self.times[places[known]]
        return found

    def forget(self, before: int) -> None:
        """Forget what came after events with lower numbers."""
        kept = int(np.searchsorted(self.numbers, before))
        self.numbers, self.times = self.numbers[kept:], self.times[kept:]


@dataclass(slots=True)
class PendingNegation:
    """What is complete and waits.

    Attributes:
        last: WITHIN's last moment, in microseconds: no event comes after it.
        columns: what is known of each match.
        time: when each becomes true, in microseconds, as far as that is known.
        awaited: the number of the event whose next one has to come before; `NOTHING_AWAITED`: it came, or none has to.
        next_events: what came so far.
        recurrence: of EVERY.
        until: after which moment each recurs no more.
    """

    last: int
    columns: dict[str, npt.NDArray[Any]]
    time: Ints = field(default_factory=lambda: _NO_INTS)
    awaited: Ints = field(default_factory=lambda: _NO_INTS)
    next_events: NextEvents = field(default_factory=NextEvents)
    recurrence: Recurrence = field(default_factory=Recurrence)
    until: Ints = field(default_factory=lambda: _NO_INTS)

    def __len__(self) -> int:
        return len(self.time)

    @property
    def due(self) -> int | None:
        """The watermark that makes the first match true, as far as that is known: intervals include their ends."""
        return int(np.where(self.awaited < 0, self.time, UNBOUNDED).min()) + 1 if len(self) else None

    def add(
        self, columns: Mapping[str, npt.NDArray[Any]], time: Ints, awaited: Ints, until: Ints | None = None
    ) -> None:
        """Have matches wait; see the attributes."""
        if len(time):
            ends = np.full(len(time), UNBOUNDED) if until is None else until
            self.until = np.concatenate([self.until, ends])
            self.columns = {name: np.concatenate([known, columns[name]]) for name, known in self.columns.items()}
            self.time, self.awaited = np.concatenate([self.time, time]), np.concatenate([self.awaited, awaited])

    def release(self, watermark: int) -> tuple[dict[str, npt.NDArray[Any]], Ints]:
        """The matches whose intervals the watermark has passed, and when each became true, in this order.

        An interval that would end beyond the calendar ends with it.
        """
        waits = np.flatnonzero(self.awaited >= 0)
        if len(waits):
            after = self.next_events.after(self.awaited[waits])
            self.time[waits] = np.where(after < UNBOUNDED, np.maximum(self.time[waits], after), self.time[waits])
            self.awaited[waits[after < UNBOUNDED]] = NOTHING_AWAITED
        ready = np.flatnonzero((self.awaited < 0) & (self.time < watermark))
        if self.recurrence.period is not None:
            return self._recurring(self.recurrence.period, ready, watermark)
        ready = ready[np.argsort(self.time[ready], kind="stable")]
        released = {name: column[ready] for name, column in self.columns.items()}, in_calendar(self.time[ready])
        rest = np.ones(len(self), dtype=bool)
        rest[ready] = False
        self.keep(rest & ((self.awaited < 0) | (watermark <= self.last)))
        return released

    def _recurring(self, period: int, ready: Ints, watermark: int) -> tuple[dict[str, npt.NDArray[Any]], Ints]:
        """The same of EVERY: each once for each moment; it goes on waiting for the next one."""
        counts = self.due_counts(ready, watermark)
        places = np.repeat(ready, counts)
        nth = np.arange(len(places)) - np.repeat(np.cumsum(counts) - counts, counts)
        time = self.time[places] + nth * period
        order = np.argsort(time, kind="stable")
        released = {name: column[places[order]] for name, column in self.columns.items()}, in_calendar(time[order])
        self.time[ready] += counts * period
        ended = watermark >= UNBOUNDED
        self.keep(np.zeros(len(self), dtype=bool) if ended else self.time <= self.until)
        return released

    def due_counts(self, places: Ints, watermark: int) -> Ints:
        """How many matches each becomes below a watermark."""
        return self.recurrence.counts(self.time[places], self.until[places], watermark)

    def copy(self) -> PendingNegation:
        """The same, apart from what becomes of this one."""
        following = replace(self.next_events)
        columns, time, awaited = dict(self.columns), self.time.copy(), self.awaited.copy()
        return PendingNegation(self.last, columns, time, awaited, following, self.recurrence, self.until.copy())

    def keep(self, mask: Bools) -> None:
        """Drop all others."""
        if not mask.all():
            self.columns = {name: column[mask] for name, column in self.columns.items()}
            self.time, self.awaited, self.until = self.time[mask], self.awaited[mask], self.until[mask]

    def tables(self) -> dict[str, pl.DataFrame]:
        """The state, where the columns are numbers."""
        until = {} if self.recurrence.period is None else {_UNTIL: self.until.copy()}
        waiting = pl.DataFrame({_TIME: self.time.copy(), _AWAITED: self.awaited.copy(), **until, **self.columns})
        following = pl.DataFrame({BEFORE: self.next_events.numbers, _TIME: self.next_events.times})
        return {"negation.waiting": waiting, "negation.next": following}

    def load(self, tables: Mapping[str, pl.DataFrame]) -> None:
        """Go on from what `tables` gave."""
        columns = {column.name: column.to_numpy().copy() for column in tables["negation.waiting"]}
        self.time, self.awaited = columns.pop(_TIME), columns.pop(_AWAITED)
        self.until = columns.pop(_UNTIL, np.full(len(self.time), UNBOUNDED))
        self.columns = columns
        following = tables["negation.next"]
        self.next_events = NextEvents(following[BEFORE].to_numpy(), following[_TIME].to_numpy())
