"""An automaton whose partial matches of one state take their next events together, as columns.

A partial match is a row of arrays: which candidate each variable has taken. Partial matches wait in their state; when
candidates are released, they look for their next events among these alone, since all earlier ones did not fit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import polars as pl

from ...expressions import Bools, Ints
from ...language.nodes import Link
from ..match import NONE, BoundRows, CandidateRanges, EventCounts, Refutation, Test
from ..order import BEFORE, UNBOUNDED, Candidates
from .columnar_nfa_plan import START, ColumnarState, ColumnarTransition

__all__ = ["ColumnarNfa", "PartialMatchTable"]

_LAST, _PASSED, _STREAK = "#last", "#passed", "#streak"
_Pick = Callable[..., Ints]
_NEVER = 2**62
"""The number of no event, above all others."""


@dataclass(frozen=True, slots=True)
class PartialMatchTable:
    """Partial matches of one state.

    Attributes:
        rows: by bound variable, the candidate.
        last: the number of the last event.
        passed: the number of the last event that could have extended the match and was passed over; −1: none was.
        streak: the number of the first of those events up to the last between which nothing was passed over.
    """

    rows: Mapping[str, Ints]
    last: Ints
    passed: Ints
    streak: Ints

    def at(self, places: Ints) -> PartialMatchTable:
        """Some of them."""
        rows = {v: of_variable[places] for v, of_variable in self.rows.items()}
        return PartialMatchTable(rows, self.last[places], self.passed[places], self.streak[places])

    def with_rows(self, rows: Mapping[str, Ints]) -> PartialMatchTable:
        """The same matches, their candidates' rows counted otherwise."""
        return replace(self, rows=rows)

    def table(self) -> pl.DataFrame:
        """The matches as columns."""
        return pl.DataFrame({**self.rows, _LAST: self.last, _PASSED: self.passed, _STREAK: self.streak})

    @staticmethod
    def of_table(table: pl.DataFrame) -> PartialMatchTable:
        """The matches that `table` gave."""
        columns = {name: table[name].to_numpy() for name in table.columns}
        last, passed, streak = (columns.pop(name) for name in (_LAST, _PASSED, _STREAK))
        return PartialMatchTable(columns, last, passed, streak)


def joined(several: Sequence[PartialMatchTable]) -> PartialMatchTable:
    """All partial matches of a state."""
    if len(several) == 1:
        return several[0]
    rows = {v: np.concatenate([part.rows[v] for part in several]) for v in several[0].rows}
    last, passed, streak = (
        np.concatenate(c) for c in zip(*((r.last, r.passed, r.streak) for r in several), strict=True)
    )
    return PartialMatchTable(rows, last, passed, streak)


@dataclass(slots=True)
class ColumnarNfa:
    """One round: what was released is offered to all partial matches.

    Attributes:
        states: see `compile_states`.
        candidates: rows of partial matches are rows of these.
        refutation: for the NOTs between elements.
        watermark: partial matches whose windows have closed by then are dropped.
        followed: numbers of events of which the very next one was released now.
        counts: by state, of the partial matches that come to it.
        found: by state, the partial matches that came to it now.
        waiting: by state, the partial matches that wait in it.
    """

    states: tuple[ColumnarState, ...]
    candidates: Mapping[str, Candidates]
    refutation: Refutation
    watermark: int
    followed: Ints
    counts: Sequence[EventCounts]
    found: list[list[PartialMatchTable]] = field(init=False)
    waiting: dict[int, PartialMatchTable] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self.found = [[] for _ in self.states]

    def go(self, waiting: Mapping[int, PartialMatchTable]) -> Iterator[tuple[int, BoundRows]]:
        """Offer the new candidates to what waits, and begin new partial matches.

        Yields:
            The place of a disjunct, and matches.
        """
        self._begin()
        for place, state in enumerate(self.states[START + 1 :], START + 1):
            if self.found[place]:
                new = joined(self.found[place])
                yield from ((disjunct, new.rows) for disjunct in state.complete)
            waiting_and_new = [*([waiting[place]] if place in waiting else []), *self.found[place]]
            self.found[place] = []
            if waiting_and_new and state.steps:
                left = self._offer(state, joined(waiting_and_new))
                if len(left.last):
                    self.waiting[place] = left

    def _begin(self) -> None:
        """Every new candidate of an element that may come first begins a partial match."""
        steps = self.states[START].steps
        begun = [self._beginning(step) for step in steps]
        numbers = [self.candidates[step.variable].number[rows] for step, rows in zip(steps, begun, strict=True)]
        for place, step in enumerate(steps):
            rivals = [numbers[i] for i, other in enumerate(steps) if other.through & step.rivals]
            alone = ~np.isin(numbers[place], np.concatenate(rivals)) if rivals else slice(None)
            rows, number = begun[place][alone], numbers[place][alone]
            self.found[step.target].append(
                PartialMatchTable({step.variable: rows}, number, np.full(len(rows), -1), number)
            )

    def _beginning(self, step: ColumnarTransition) -> Ints:
        """The new candidates that an element may begin with."""
        own = self.candidates[step.variable]
        rows = np.arange(own.first_new, len(own.number))
        for test in self.tests(step, {}):
            rows = rows[test({step.variable: rows})]
        return rows

    def _offer(self, state: ColumnarState, partial: PartialMatchTable) -> PartialMatchTable:
        """Let partial matches take their next events; gives those that go on waiting."""
        looks = [_Look(self, step, partial) for step in state.steps]
        if state.loose:
            for look in looks:
                look.take_all()
            left = np.ones(len(partial.last), dtype=bool)
        else:
            partial, left = self._take_first(partial, looks)
        left = left & np.any([look.open(partial) for look in looks], axis=0)
        return partial if left.all() else partial.at(np.flatnonzero(left))

    def _take_first(self, partial: PartialMatchTable, looks: list[_Look]) -> tuple[PartialMatchTable, Bools]:
        """The first event that satisfies an element is taken; only `->>` goes on without it, to other events."""
        numbers = np.stack([look.first() for look in looks])
        first = numbers.min(axis=0)
        satisfied = (numbers == first) & (first < _NEVER)
        goes_on = np.zeros(len(first), dtype=bool)
        for place, look in enumerate(looks):
            rivals = [i for i, other in enumerate(looks) if other.step.through & look.step.rivals]
            takes = satisfied[place] & ~satisfied[rivals].any(axis=0)
            look.take(np.flatnonzero(takes), first)
            if look.step.link is Link.ANY:
                goes_on |= takes
        passed = np.where(goes_on, first, partial.passed)
        for look in looks:
            if look.step.link is Link.ANY:
                look.take_all_after(np.flatnonzero(goes_on), first)
        return PartialMatchTable(partial.rows, partial.last, passed, partial.streak), (first == _NEVER) | goes_on

    def tests(self, step: ColumnarTransition, partial: BoundRows) -> list[Test]:
        """What else has to be true of an event of `step`, given a partial match with its row."""

        def unrefuted(grown: BoundRows) -> Bools:
            refuted: Bools = np.any([self.refutation.refuted(a, grown) for a in step.negations], axis=0)
            return ~refuted

        tests = self.refutation.probe.tests(partial, step.variable)
        return [*tests, unrefuted] if step.negations else tests


class _Look:
    """Partial matches of one state looking for the event of one element among what was released."""

    def __init__(self, nfa: ColumnarNfa, step: ColumnarTransition, partial: PartialMatchTable) -> None:
        self.step = step
        self._nfa, self._partial = nfa, partial
        self._candidates = nfa.candidates
        self._own = own = nfa.candidates[step.variable]
        self._latest, self._closing = self._deadlines()
        self._tests = nfa.tests(step, partial.rows)
        earliest = self._bound([u for u in step.gaps if u in partial.rows], step.gaps, np.max, -UNBOUNDED)
        start = np.searchsorted(own.time, earliest, "left")
        start = np.maximum(start, np.searchsorted(own.number, partial.last, "right"))
        end = np.searchsorted(own.time, self._latest, "right")
        self._between = (np.maximum(start, own.first_new), np.where(self._enabled(partial), end, 0))
        strict = step.link is Link.STRICT and step.since
        equal = (own.frame[BEFORE].to_numpy(), partial.last) if strict else None
        self._ranges = nfa.refutation.probe.ranges(partial.rows, step.variable, self._between, equal)

    def _bound(self, variables: Sequence[str], distance: Mapping[str, int], pick: _Pick, otherwise: int) -> Ints:
        times = [self._candidates[u].time[self._partial.rows[u]] + distance[u] for u in variables]
        return pick(times, axis=0) if times else np.full(len(self._partial.last), otherwise)

    def _deadlines(self) -> tuple[Ints, Ints]:
        """The last moment at which an event satisfies the element, and after which none makes a match."""
        latest = self._bound(list(self.step.widths), self.step.widths, np.min, UNBOUNDED)
        closing = self._bound(list(self.step.reach), self.step.reach, np.min, UNBOUNDED)
        for negation in self.step.refuting:
            refuted = self._nfa.refutation.first_refuting(negation, self._partial.rows)
            latest, closing = np.minimum(latest, refuted), np.minimum(closing, refuted)
        return latest, closing

    def _enabled(self, partial: PartialMatchTable) -> Bools:
        """Whether the link still admits the element: nothing was passed over that it does not pass over."""
        if self.step.link is Link.ANY or not self.step.since:
            return np.ones(len(partial.last), dtype=bool)
        since: Ints = np.max([self._candidates[u].number[partial.rows[u]] for u in self.step.since], axis=0)
        enabled: Bools = partial.passed <= since
        return enabled if self.step.link is Link.NEXT else enabled & (partial.streak <= since)

    def open(self, partial: PartialMatchTable) -> Bools:
        """Whether a later event may satisfy the element."""
        may = (self._closing >= self._nfa.watermark) & self._enabled(partial)
        if self.step.link is Link.STRICT and self.step.since:
            may &= ~np.isin(partial.last, self._nfa.followed)
        return may

    def first(self) -> Ints:
        """The number of the first event that satisfies the element."""
        row = self._nfa.refutation.probe.first(self._partial.rows, self.step.variable, self._ranges, self._tests)
        self._first = row
        number = np.full(len(row), _NEVER)
        number[row != NONE] = self._own.number[row[row != NONE]]
        return number

    def take(self, places: Ints, number: Ints) -> None:
        """Let these partial matches take the event with that number: each candidate that it stands for makes one."""
        own = self._own.number
        if (own[self._own.first_new + 1 :] > own[self._own.first_new : -1]).all():
            self._add(self._partial.at(places), self._first[places])
            return
        start = np.searchsorted(own, number[places], "left")
        end = np.searchsorted(own, number[places], "right")
        self._take(self._partial.at(places), (start, end))

    def take_all(self) -> None:
        """Let each take every event that satisfies the element, as partial matches of their own."""
        self._grow(self._partial, self._ranges)

    def take_all_after(self, places: Ints, number: Ints) -> None:
        """Let these pass over the event with that number and take each that satisfies the element after it."""
        partial = self._partial.at(places)
        passing = PartialMatchTable(partial.rows, partial.last, number[places], partial.streak)
        start = np.searchsorted(self._own.number, number[places], "right")
        self._take(passing, (np.maximum(start, self._between[0][places]), self._between[1][places]))

    def _take(self, partial: PartialMatchTable, between: tuple[Ints, Ints]) -> None:
        if len(partial.last):
            self._grow(partial, self._nfa.refutation.probe.ranges(partial.rows, self.step.variable, between))

    def _grow(self, partial: PartialMatchTable, ranges: CandidateRanges) -> None:
        probe = self._nfa.refutation.probe
        for match, rows in probe.pairs(partial.rows, self.step.variable, ranges, self._tests):
            self._add(partial.at(match), rows)

    def _add(self, partial: PartialMatchTable, rows: Ints) -> None:
        """Each of these with one event more."""
        number, streak = self._own.number[rows], partial.streak
        self._nfa.counts[self.step.target].add(len(rows), lambda: number)
        if BEFORE in self._own.frame.columns:
            unbroken = self._own.frame[BEFORE].to_numpy()[rows] == partial.last
            streak = np.where(unbroken, streak, number)
        new = PartialMatchTable({**partial.rows, self.step.variable: rows}, number, partial.passed, streak)
        self._nfa.found[self.step.target].append(new)
