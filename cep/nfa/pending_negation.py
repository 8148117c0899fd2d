"""Runs that have come to an end, until all that their NOTs look at has come."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from heapq import heappop, heappush
from itertools import count

import polars as pl

from ..order import BEFORE
from .after_match_runs import Left
from .compiler import RegisterValues, State
from .runtime import AcceptedMatch

__all__ = ["Waiting"]


class Waiting:
    """Reports completed runs when it is known that they are matches.

    Args:
        report: takes matches, and when they became true.
    """

    def __init__(self, report: Callable[[int, AcceptedMatch], None]) -> None:
        self._report = report
        self._timers: list[tuple[int, int, AcceptedMatch]] = []
        self._sequence = count()
        self._waiting: Counter[int] = Counter()
        self._reported: set[int] = set()
        self.following: dict[int, int] = {}
        self.awaiting: list[tuple[int, AcceptedMatch]] = []

    @property
    def next_end(self) -> int | None:
        """When the first interval of a NOT ends."""
        return self._timers[0][0] if self._timers else None

    @property
    def timers(self) -> list[tuple[int, AcceptedMatch]]:
        """When the intervals of NOTs end, and the runs that wait for that, in order; none that was reported."""
        return [(due, c) for due, _, c in sorted(self._timers) if id(c.node) not in self._reported]

    def runs(self) -> Iterator[AcceptedMatch]:
        """What waits."""
        yield from (completed for _, _, completed in self._timers)
        yield from (completed for _, completed in self.awaiting)

    def settle(self, completed: AcceptedMatch) -> None:
        """Report a run, or let it wait."""
        final = completed.final
        if final.awaits is not None:
            self._await(final.awaits(completed.registers), completed)
        elif final.due is not None:
            self.wait(final.due(completed.registers, completed.time), completed)
        elif completed.holds:
            self._report(completed.time, completed)

    def wait(self, due: int, completed: AcceptedMatch) -> None:
        """Have a run wait for the end of an interval."""
        self._waiting[id(completed.node)] += 1
        heappush(self._timers, (due, next(self._sequence), completed))

    def let_pass(self, watermark: int) -> None:
        """Report what the watermark makes certain."""
        while self._timers and self._timers[0][0] < watermark:
            due, completed, again = self._waited()
            if completed.holds and not again:
                if id(completed.node) in self._waiting:
                    self._reported.add(id(completed.node))
                self._report(due, completed)

    def _waited(self) -> tuple[int, AcceptedMatch, bool]:
        """What has waited longest, until when, and whether its events were reported: one of two NOTs ended earlier."""
        due, _, completed = heappop(self._timers)
        node = id(completed.node)
        again = node in self._reported
        self._waiting[node] -= 1
        if not self._waiting[node]:
            del self._waiting[node]
            self._reported.discard(node)
        return due, completed, again

    def drop(self, left: Left) -> None:
        """Drop the runs that no match may hold any more because of matches that stand."""
        timers, self._timers = self._timers, []
        self._waiting.clear()
        for due, _, completed in sorted(timers):
            if self._is_left(left, completed):
                self.wait(due, completed)
        self._reported &= self._waiting.keys()
        self.awaiting = [(number, c) for number, c in self.awaiting if self._is_left(left, c)]

    @staticmethod
    def _is_left(left: Left, completed: AcceptedMatch) -> bool:
        return left.of(completed.buffers.key[:-1], completed.registers[1], completed.node) is not None

    # The very next event.

    def look_behind(self, events: pl.DataFrame, held: Iterator[tuple[State, RegisterValues, object]]) -> None:
        """Find the very next event behind those that NOTs at the end speak of, and settle what waits for it.

        Args:
            events: what was released of all streams.
            held: runs that may come to such an end once they can be prolonged no more.
        """
        numbers = {number for number, _ in self.awaiting}
        numbers |= {
            f.awaits(registers)
            for state, registers, _ in held
            for f in state.finals
            if f.awaits is not None and f.leaves
        }
        known = {number: time for number, time in self.following.items() if number in numbers}
        missing = pl.Series(sorted(numbers - known.keys()), dtype=pl.Int64)
        found = events.filter(pl.col(BEFORE).is_in(missing.implode()))
        self.following = known | dict(zip(found[BEFORE], found["_time"].to_physical(), strict=True))
        waiting, self.awaiting = self.awaiting, []
        for number, completed in waiting:
            self._await(number, completed)

    def _await(self, number: int, completed: AcceptedMatch) -> None:
        time = self.following.get(number)
        if time is None:
            self.awaiting.append((number, completed))
            return
        due = completed.final.due
        end = completed.time if due is None else due(completed.registers, completed.time)
        self.wait(max(end, time), completed)
