"""NOT: which matches a forbidden candidate refutes, and when that is known (docs/semantics.md 3.6)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from ...expressions import Bools, Ints
from ..order import BEFORE, UNBOUNDED
from .index_probe import NONE, Probe
from .match_finder import Partial
from .pattern_dnf import Absence
from .pattern_plan import PatternPlan

__all__ = ["Refutation", "ends_later", "lookback"]


def ends_later(absence: Absence) -> bool:
    """Whether the interval of a NOT ends after the last event of the match, or may do."""
    return bool(absence.before) and not absence.after


def lookback(way: PatternPlan, shortest: int) -> int:
    """How long before the first event of a match, or the last for a first NOT, its NOTs look back."""
    spans = [a.duration or shortest for a in way.alternative.absences if not a.before]
    return max(spans, default=0)


@dataclass(frozen=True, slots=True)
class Refutation:
    """Looks for forbidden candidates.

    Attributes:
        probe: the candidates.
        shortest: the pattern's shortest WINDOW, in microseconds.
    """

    probe: Probe
    shortest: int

    def refuted(self, absence: Absence, match: Partial, inside: Iterable[str]) -> Bools:
        """Which matches hold a forbidden candidate where none must be.

        Args:
            absence: the NOT; all that it looks at is there.
            match: rows of the bound variables; complete, or the last one just bound.
            inside: those of them that the pattern names.
        """
        between, equal = self._place(absence, match, [v for v in match if v in inside])
        ranges = self.probe.ranges(match, absence.variable, between, equal)
        tests = self.probe.tests(match, absence.variable)
        found: Bools = self.probe.first(match, absence.variable, ranges, tests) != NONE
        return found

    def end(self, absence: Absence, match: Partial, inside: Iterable[str]) -> Ints:
        """Where the interval ends, in microseconds, inclusive, of a FOR or of a last NOT that is not strict."""
        if absence.duration is not None:
            return self.latest(match, absence.before) + absence.duration
        return self.earliest(match, [v for v in match if v in inside]) + self.shortest

    def first_refuting(self, absence: Absence, partial: Partial) -> Ints:
        """When the first forbidden candidate comes after what stands before a NOT between elements.

        Its JOINs speak of nothing that is still to come. `UNBOUNDED`: none came yet.
        """
        size = len(next(iter(partial.values())))
        own = self.probe.candidates[absence.variable]
        start = np.searchsorted(own.time, self.latest(partial, absence.before), "right")
        ranges = self.probe.ranges(partial, absence.variable, (start, np.full(size, len(own.time))))
        row = self.probe.first(partial, absence.variable, ranges, self.probe.tests(partial, absence.variable))
        when = np.full(size, UNBOUNDED)
        when[row != NONE] = own.time[row[row != NONE]]
        return when

    def latest(self, match: Partial, variables: Iterable[str]) -> Ints:
        """The time stamp of the last event of these variables."""
        latest: Ints = np.max([self.probe.candidates[v].time[match[v]] for v in variables], axis=0)
        return latest

    def earliest(self, match: Partial, variables: Iterable[str]) -> Ints:
        """The time stamp of the first event of these variables."""
        earliest: Ints = np.min([self.probe.candidates[v].time[match[v]] for v in variables], axis=0)
        return earliest

    def _place(
        self, absence: Absence, match: Partial, inside: list[str]
    ) -> tuple[tuple[Ints, Ints], tuple[Ints, Ints] | None]:
        """The rows between which forbidden candidates lie, and perhaps the number of the event before them."""
        own = self.probe.candidates[absence.variable]
        if absence.strict:
            numbers = [self.probe.candidates[v].number[match[v]] for v in absence.before]
            last = np.max(numbers, axis=0)
            everywhere = np.zeros_like(last), np.full_like(last, len(own.number))
            return everywhere, (own.frame[BEFORE].to_numpy(), last)
        first, final = self._interval(absence, match, inside)
        return (np.searchsorted(own.time, first, "left"), np.searchsorted(own.time, final, "right")), None

    def _interval(self, absence: Absence, match: Partial, inside: list[str]) -> tuple[Ints, Ints]:
        """The first and the last moment at which a candidate is forbidden."""
        if not absence.before:
            first = self.earliest(match, inside)
            since = self.latest(match, inside) - self.shortest if absence.duration is None else first - absence.duration
            return since, first - 1
        last = self.latest(match, absence.before)
        if absence.duration is not None:
            return last + 1, last + absence.duration
        if not absence.after:
            return self.latest(match, inside) + 1, self.earliest(match, inside) + self.shortest
        return last + 1, self.earliest(match, [v for v in absence.after if v in match]) - 1
