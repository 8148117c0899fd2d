"""NOT: which matches a forbidden candidate refutes, and when that is known (docs/semantics.md 3.6)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
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
    """

    variable: str
    before: frozenset[str]
    after: frozenset[str]
    duration: int | None
    strict: bool

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

    def first_refuting(self, negation: NegationConstraint, partial: BoundRows) -> Ints:
        """When the first forbidden candidate comes after what stands before a NOT between elements.

        Its JOINs speak of nothing that is still to come. `UNBOUNDED`: none came yet.
        """
        size = len(next(iter(partial.values())))
        own = self.probe.candidates[negation.variable]
        start = np.searchsorted(own.time, self.latest(partial, negation.before), "right")
        ranges = self.probe.ranges(partial, negation.variable, (start, np.full(size, len(own.time))))
        row = self.probe.first(partial, negation.variable, ranges, self.probe.tests(partial, negation.variable))
        when = np.full(size, UNBOUNDED)
        when[row != NONE] = own.time[row[row != NONE]]
        return when

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
        if negation.duration is not None:
            return last + 1, last + negation.duration
        if not negation.after:
            return self.latest(match, self._named(match)) + 1, self.earliest(match) + self.shortest
        return last + 1, self.earliest(match, [v for v in negation.after if v in match]) - 1
