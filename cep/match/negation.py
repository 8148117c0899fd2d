"""NOT: which matches a forbidden candidate refutes, and when that is known (docs/semantics.md 3.6)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ...expressions import Bools, Ints
from ..order import BEFORE, UNBOUNDED
from ..output import MatchTable
from ..partitions import NO_START
from .index_probe import NONE, BoundRows, IndexProbe

__all__ = ["NegationConstraint", "Refutation"]


@dataclass(frozen=True, slots=True)
class NegationConstraint:
    """`NOT ?n`.

    Attributes:
        variable: n.
        before: the variables that stand before it.
        after: the variables that stand after it.
        duration: of FOR, in microseconds.
        strict: `=> NOT ?n`: only the very next event is looked at.
        since: how long after what stands before it, in microseconds, its interval begins.
        timer: it is AFTER, of which there is no candidate, or EVERY … UNTIL.
        every: of EVERY and a NOT before one, in microseconds: what its duration grows by again and again.
    """

    variable: str
    before: frozenset[str]
    after: frozenset[str]
    duration: int | None
    strict: bool
    since: int = 0
    timer: bool = False
    every: int | None = None

    @property
    def ends_later(self) -> bool:
        """Whether its interval ends after the last event of the match, or may do."""
        return bool(self.before) and not self.after


@dataclass(frozen=True, slots=True)
class Refutation:
    """Looks for forbidden candidates.

    Attributes:
        probe: the candidates.
        shortest: the pattern's shortest WINDOW, in microseconds.
        named: the variables that SEQ names without NOT.
    """

    probe: IndexProbe
    shortest: int
    named: frozenset[str]

    def refuted(self, negation: NegationConstraint, match: BoundRows) -> Bools:
        """Which matches hold a forbidden candidate where none must be.

        Args:
            negation: the NOT; all that it looks at is there.
            match: rows of the bound variables; complete, or the last one just bound.
        """
        if negation.variable not in self.probe.candidates:  # AFTER
            return np.zeros(len(next(iter(match.values()))), dtype=bool)
        between, equal = self._place(negation, match)
        ranges = self.probe.ranges(match, negation.variable, between, equal)
        tests = self.probe.tests(match, negation.variable)
        found: Bools = self.probe.first(match, negation.variable, ranges, tests) != NONE
        return found

    def unrefuted(self, matches: MatchTable, negations: Mapping[int, tuple[NegationConstraint, ...]]) -> MatchTable:
        """Matches that none of these NOTs, by disjunct of the pattern, refutes."""
        refuted = np.zeros(len(matches.time), dtype=bool)
        for disjunct, of_disjunct in negations.items():
            places, rows = matches.of_disjunct(disjunct)
            if len(places):
                refuted[places] = np.any([self.refuted(negation, rows) for negation in of_disjunct], axis=0)
        return matches.at(~refuted) if refuted.any() else matches

    def end(self, negation: NegationConstraint, match: BoundRows) -> Ints:
        """Where the interval ends, in microseconds, inclusive, of a FOR or of a last NOT that is not strict."""
        if negation.duration is not None:
            return self.latest(match, negation.before) + negation.duration
        return self.earliest(match) + self.shortest

    def due(self, negations: Sequence[NegationConstraint], match: BoundRows, time: Ints) -> Ints:
        """When matches become true, in microseconds, as far as the NOTs at the end say that are not strict.

        Nothing of a match lies behind the moment of a timer at the end: where something does, `UNBOUNDED`.

        Args:
            negations: in the order of the pattern.
            match: complete.
            time: of the last events.
        """
        timer = negations[-1] if negations[-1].timer else None
        for negation in negations:
            if negation is not timer and negation.every is None and not negation.strict:
                time = np.maximum(time, self.end(negation, match) + (timer is not None))
        if timer is None:
            return time
        moment = self.end(timer, match)
        if timer.every is None:
            return np.where(time > moment, UNBOUNDED, moment)
        due: Ints = moment + np.maximum(-((moment - time) // timer.every), 0) * timer.every
        return due

    def first_refuting(self, negation: NegationConstraint, partial: BoundRows, old: Bools | None = None) -> Ints:
        """When the first forbidden candidate comes after what stands before a NOT between elements.

        Its JOINs speak of nothing that is still to come. `UNBOUNDED`: none came yet.

        Args:
            negation: the NOT.
            partial: rows of the bound variables.
            old: of which of them all candidates have been looked at but the new ones; by default of none.
        """
        size = len(next(iter(partial.values())))
        if negation.variable not in self.probe.candidates:  # AFTER
            return np.full(size, UNBOUNDED)
        own = self.probe.candidates[negation.variable]
        start = np.searchsorted(own.time, self.latest(partial, negation.before) + negation.since, "right")
        start = start if old is None else np.where(old, np.maximum(start, own.first_new), start)
        ranges = self.probe.ranges(partial, negation.variable, (start, np.full(size, len(own.time))))
        row = self.probe.first(partial, negation.variable, ranges, self.probe.tests(partial, negation.variable))
        when = np.full(size, UNBOUNDED)
        when[row != NONE] = own.time[row[row != NONE]]
        return when

    def last_moment(self, negation: NegationConstraint, match: BoundRows, old: Bools) -> Ints:
        """Up to which moment EVERY recurs, as far as a NOT at the end says.

        All that comes behind the match is looked at as it comes. `UNBOUNDED`: no forbidden candidate came yet.

        Args:
            negation: the NOT.
            match: rows of complete matches.
            old: which of them have looked at all but the new candidates.
        """
        first = self.first_refuting(negation, match, old)
        if negation.every is not None:  # a NOT in front of a timer ends just before its moment
            return np.where(first < UNBOUNDED, first - negation.timer, UNBOUNDED)
        refuted = first <= self.latest(match, negation.before) + (negation.duration or 0)
        return np.where(refuted, -UNBOUNDED, UNBOUNDED)

    def in_width(self, negation: NegationConstraint, match: BoundRows, width: int) -> Bools:
        """Whether the moment of a timer, of EVERY the first one, lies within the shortest WINDOW."""
        inside: Bools = self.end(negation, match) <= self.earliest(match) + width
        return inside

    def last_refuting(self, negation: NegationConstraint, match: BoundRows) -> Ints:
        """When the last forbidden candidate comes where none must be; `NO_START`: there is none."""
        between, equal = self._place(negation, match)
        ranges = self.probe.ranges(match, negation.variable, between, equal)
        row = self.probe.last(match, negation.variable, ranges, self.probe.tests(match, negation.variable))
        when = np.full(len(row), NO_START)
        when[row != NONE] = self.probe.candidates[negation.variable].time[row[row != NONE]]
        return when

    def latest(self, match: BoundRows, variables: Iterable[str]) -> Ints:
        """The time stamp of the last event of these variables."""
        latest: Ints = np.max([self.probe.candidates[v].time[match[v]] for v in variables], axis=0)
        return latest

    def earliest(self, match: BoundRows, variables: Iterable[str] | None = None) -> Ints:
        """The time stamp of the first event of these variables; by default of those that SEQ names."""
        of = self._named(match) if variables is None else variables
        earliest: Ints = np.min([self.probe.candidates[v].time[match[v]] for v in of], axis=0)
        return earliest

    def last_number(self, match: BoundRows, variables: Iterable[str]) -> Ints:
        """The number of the last event of these variables."""
        last: Ints = np.max([self.probe.candidates[v].number[match[v]] for v in variables], axis=0)
        return last

    def _named(self, match: BoundRows) -> list[str]:
        return [v for v in match if v in self.named]

    def _place(
        self, negation: NegationConstraint, match: BoundRows
    ) -> tuple[tuple[Ints, Ints], tuple[Ints, Ints] | None]:
        """The rows between which forbidden candidates lie, and perhaps the number of the event before them."""
        own = self.probe.candidates[negation.variable]
        if negation.strict:
            last = self.last_number(match, negation.before)
            everywhere = np.zeros_like(last), np.full_like(last, len(own.number))
            return everywhere, (own.frame[BEFORE].to_numpy(), last)
        first, final = self._interval(negation, match)
        return (np.searchsorted(own.time, first, "left"), np.searchsorted(own.time, final, "right")), None

    def _interval(self, negation: NegationConstraint, match: BoundRows) -> tuple[Ints, Ints]:
        """The first and the last moment at which a candidate is forbidden."""
        if not negation.before:
            first, last = self.earliest(match), self.latest(match, self._named(match))
            return (last - self.shortest if negation.duration is None else first - negation.duration), first - 1
        last = self.latest(match, negation.before)
        begin = last + negation.since + 1
        if negation.duration is not None:
            return begin, last + negation.duration
        if not negation.after:
            begin = np.maximum(begin, self.latest(match, self._named(match)) + 1)
            return begin, self.earliest(match) + self.shortest
        return begin, self.earliest(match, [v for v in negation.after if v in match]) - 1
