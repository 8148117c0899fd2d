"""All matches that end with a newly released event.

For each variable that can bind the last event of a match, its new candidates are the first partial matches; the
other variables are joined one by one, the one with the fewest pairs next. The candidates of a variable are sorted
by join key and place in time, so that the partners of a partial match are a range: two binary searches find it, and
`np.repeat` enumerates the pairs, so many at a time. Conditions are tested as soon as their variables are bound.
Pairs are counted before they are enumerated, and what they become is handed over in pieces, so that whoever counts
matches can stop the search in time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ...expressions import Bools, Ints
from ..match import BoundRows, CandidateRanges, EventCounts, combined_codes, expand, holding, ranges_by_key
from ..order import UNBOUNDED, Bounds, Candidates
from ..partitions import WINDOW_COLUMN
from .pattern_plan import DisjunctPlan
from .sum_bounds import SumBounds

__all__ = ["find_matches"]

_MOST = 2**62
_PIECE = 2**18
"""So many matches are handed over together, unless there are fewer."""


@dataclass(frozen=True, slots=True)
class _Span:
    """For each partial match, first and last moment in microseconds; `UNBOUNDED` where there is none."""

    earliest: Ints
    latest: Ints


def find_matches(
    plan: DisjunctPlan, candidates: Mapping[str, Candidates], pairs: EventCounts
) -> Iterator[dict[str, Ints]]:
    """Rows of the candidates of every match whose last event is new, in no particular order, piece by piece.

    Args:
        plan: of a disjunct.
        candidates: by variable.
        pairs: by last event, the pairs that were compared.

    Raises:
        CeilingError: more pairs would be compared than the ceiling allows.
    """
    found: list[BoundRows] = []
    size = 0
    sums = [SumBounds(condition, candidates) for condition in plan.sums]
    for last in plan.bounds:
        for match in _Search(plan, candidates, last, pairs, sums).matches():
            found.append(match)
            size += len(match[last])
            if size >= _PIECE:
                yield _together(found, plan.variables)
                found, size = [], 0
    if found:
        yield _together(found, plan.variables)


def _together(found: Sequence[BoundRows], variables: Sequence[str]) -> dict[str, Ints]:
    if len(found) == 1:
        return {v: found[0][v] for v in variables}
    return {v: np.concatenate([match[v] for match in found]) for v in variables}


@dataclass(slots=True)
class _Search:
    """The search for matches whose last event is bound by `last`."""

    plan: DisjunctPlan
    candidates: Mapping[str, Candidates]
    last: str
    pairs: EventCounts
    sums: Sequence[SumBounds]

    @property
    def bounds(self) -> Bounds:
        return self.plan.bounds[self.last]

    def matches(self) -> Iterator[BoundRows]:
        own = self.candidates[self.last]
        rows = np.arange(own.first_new, len(own.number))
        if self.last in self.plan.counts:
            rows = rows[rows >= self._first_counted(self.last, rows)]
        start = {self.last: rows}
        yield from self._extend(self._tested(start, self.last))

    def _extend(self, partial: BoundRows) -> Iterator[BoundRows]:
        if not len(partial[self.last]):
            return
        remaining = [v for v in self.plan.variables if v not in partial]
        if not remaining:
            yield partial
            return
        ranges = {v: self._ranges(partial, v) for v in remaining}
        sizes = {v: int(ranges[v].count.sum()) for v in remaining}
        variable = min(remaining, key=lambda v: sizes[v])
        number, ends = self.candidates[self.last].number, partial[self.last]
        self.pairs.add(sizes[variable], lambda: number[ends], ranges[variable].count)
        for grown in expand(partial, variable, ranges[variable]):
            yield from self._extend(self._tested(grown, variable))

    def _ranges(self, partial: BoundRows, variable: str) -> CandidateRanges:
        span = self._times(partial, variable)
        codes = combined_codes(self.plan.keys, self.candidates, partial, variable)
        if codes is None:
            start, end = self._rows(partial, variable, span)
            return CandidateRanges(start, np.maximum(end - start, 0), None)
        own, wanted = codes
        time = self.candidates[variable].time
        width = int(time[-1] - time[0]) + 2 if len(time) else 2
        greatest = max(int(own.max(initial=0)), int(wanted.max(initial=0)))
        if variable in self.plan.counts or (greatest + 1) * width >= _MOST:
            start, end = self._rows(partial, variable, span)
            return ranges_by_key(own, wanted, np.arange(len(own)), (np.clip(start, 0, None), end), len(own) + 1)
        begin = int(time[0]) if len(time) else 0
        places = tuple(np.clip(t - begin, 0, width - 1) for t in (span.earliest, span.latest + 1))
        return ranges_by_key(own, wanted, time - begin, (places[0], places[1]), width)

    def _times(self, partial: BoundRows, variable: str) -> _Span:
        """For each partial match, when an event of `variable` can lie by all bounds to the bound variables."""
        earliest = np.full(len(partial[self.last]), -UNBOUNDED)
        latest = np.full(len(partial[self.last]), UNBOUNDED)
        for other, rows in partial.items():
            back, ahead = self.bounds[other, variable], self.bounds[variable, other]
            time = self.candidates[other].time[rows]
            if back < UNBOUNDED:
                np.maximum(earliest, time - back, out=earliest)
            if ahead < UNBOUNDED:
                np.minimum(latest, time + ahead, out=latest)
        return _Span(earliest, latest)

    def _rows(self, partial: BoundRows, variable: str, span: _Span) -> tuple[Ints, Ints]:
        """For each partial match, the rows of `variable` in its span that its window of events still counts."""
        own = self.candidates[variable]
        start, end = np.searchsorted(own.time, span.earliest, "left"), np.searchsorted(own.time, span.latest, "right")
        if variable in self.plan.counts:
            start = np.maximum(start, self._first_counted(variable, partial[self.last]))
        return start, end

    def _first_counted(self, variable: str, rows: Ints) -> Ints:
        """The first row among the last candidates of `variable` when the event of each of these rows of `last` comes.

        Candidates in context windows are counted by window.
        """
        own, other, count = self.candidates[variable], self.candidates[self.last], self.plan.counts[variable]
        last = other.number[rows]
        if WINDOW_COLUMN not in own.frame:
            return np.searchsorted(own.number, last, "right") - count
        known, codes = np.unique(own.frame[WINDOW_COLUMN].to_numpy(), return_inverse=True)
        windows = other.frame[WINDOW_COLUMN].to_numpy()[rows]
        code = np.searchsorted(known, windows)
        least, width = int(own.number.min(initial=0)), int(own.number.max(initial=0) - own.number.min(initial=0)) + 2
        order = np.argsort(codes, kind="stable")
        places = codes[order] * width + own.number[order] - least
        behind = np.searchsorted(places, code * width + np.clip(last - least, -1, width - 1), "right")
        begin = np.searchsorted(places, code * width)
        first = np.append(order, len(order))[np.maximum(behind - count, begin)]
        return np.where(behind > begin, first, len(order))

    def _tested(self, partial: BoundRows, variable: str) -> BoundRows:
        """Those partial matches that satisfy what can be tested now that `variable` is bound."""
        partial = _kept(partial, self._distinct_and_before_last(partial, variable))
        for bounds in self.sums:
            partial = _kept(partial, bounds.possible(partial))
        due = [c for c in self.plan.conditions if variable in c.variables and c.variables <= partial.keys()]
        return _kept(partial, holding(due, self.candidates, partial)) if due else partial

    def _distinct_and_before_last(self, partial: BoundRows, variable: str) -> Bools | None:
        keep = None
        own = self.candidates[variable].number[partial[variable]]
        for other, rows in partial.items():
            ordered = self.bounds[variable, other] < 0 or self.bounds[other, variable] < 0
            if other == variable or ordered:
                continue
            number = self.candidates[other].number[rows]
            fits = own < number if other == self.last else own != number
            keep = fits if keep is None else keep & fits
        return keep


def _kept(partial: BoundRows, keep: Bools | None) -> BoundRows:
    """The partial matches of which something is true; `None`: it is true of all."""
    if keep is None or keep.all():
        return partial
    left = np.flatnonzero(keep)
    return {v: rows[left] for v, rows in partial.items()}
