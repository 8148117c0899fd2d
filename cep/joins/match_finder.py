"""All matches that end with a newly released event.

For each variable that can bind the last event of a match, its new candidates are the first partial matches; the
other variables are joined one by one, the one with the fewest pairs next. The candidates of a variable are sorted
by join key and place in time, so that the partners of a partial match are a range: two binary searches find it, and
`np.repeat` enumerates the pairs, so many at a time. Conditions are tested as soon as their variables are bound.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import polars as pl

from ...expressions import Bools, Ints, column_of, mask_of, plain_name, timestamps
from ..order import UNBOUNDED, Bounds, combine, joint_codes, stable_order
from .pattern_plan import Condition, Key, PatternPlan, match_name

__all__ = [
    "PAIRS_AT_ONCE",
    "Candidates",
    "Partial",
    "Ranges",
    "combined_codes",
    "encode_keys",
    "expand",
    "find_matches",
    "holding",
    "ranges_by_key",
]

PAIRS_AT_ONCE = 4_000_000
_MOST = 2**62

Partial = Mapping[str, Ints]
"""Per bound variable, the row of its candidate; all arrays are of one length."""


@dataclass(slots=True)
class Candidates:
    """One variable's candidates that can take part, in total order.

    Attributes:
        frame: their columns.
        number: each row's event number (`number_events`).
        first_new: rows from here on were released last.
        codes: by the key's position in the plan, codes that are comparable between variables.
    """

    frame: pl.DataFrame
    number: Ints
    first_new: int
    time: Ints = field(init=False)
    codes: dict[int, Ints] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self.time = timestamps(self.frame["_time"])


@dataclass(frozen=True, slots=True)
class Ranges:
    """For each partial match the candidates `order[start:end]` (`order` absent: rows themselves)."""

    start: Ints
    count: Ints
    order: Ints | None


@dataclass(frozen=True, slots=True)
class _Span:
    """For each partial match, first and last moment in microseconds; `UNBOUNDED` where there is none."""

    earliest: Ints
    latest: Ints


def find_matches(plan: PatternPlan, candidates: Mapping[str, Candidates]) -> dict[str, Ints]:
    """Rows of the candidates of every match whose last event is new, in no particular order."""
    found = [match for last in plan.bounds for match in _Search(plan, candidates, last).matches()]
    empty = np.empty(0, dtype=np.int64)
    return {v: np.concatenate([match[v] for match in found]) if found else empty for v in plan.variables}


def encode_keys(keys: Sequence[Key], candidates: Mapping[str, Candidates]) -> None:
    """Give candidates their codes of all keys."""
    for i, key in enumerate(keys):
        columns = [column_of(candidates[v].frame, e).alias("key") for v, e in key.expressions.items()]
        codes = joint_codes(columns, nulls_match=key.nulls_match)
        for variable, of_variable in zip(key.expressions, codes, strict=True):
            candidates[variable].codes[i] = of_variable


@dataclass(slots=True)
class _Search:
    """The search for matches whose last event is bound by `last`."""

    plan: PatternPlan
    candidates: Mapping[str, Candidates]
    last: str

    @property
    def bounds(self) -> Bounds:
        return self.plan.bounds[self.last]

    def matches(self) -> Iterator[Partial]:
        own = self.candidates[self.last]
        rows = np.arange(own.first_new, len(own.number))
        if self.last in self.plan.counts:
            rows = rows[rows >= self._first_counted(self.last, own.number[rows])]
        start = {self.last: rows}
        yield from self._extend(self._tested(start, self.last))

    def _extend(self, partial: Partial) -> Iterator[Partial]:
        if not len(partial[self.last]):
            return
        remaining = [v for v in self.plan.variables if v not in partial]
        if not remaining:
            yield partial
            return
        ranges = {v: self._ranges(partial, v) for v in remaining}
        variable = min(remaining, key=lambda v: int(ranges[v].count.sum()))
        for grown in expand(partial, variable, ranges[variable]):
            yield from self._extend(self._tested(grown, variable))

    def _ranges(self, partial: Partial, variable: str) -> Ranges:
        span = self._times(partial, variable)
        codes = combined_codes(self.plan.keys, self.candidates, partial, variable)
        if codes is None:
            start, end = self._rows(partial, variable, span)
            return Ranges(start, np.maximum(end - start, 0), None)
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

    def _times(self, partial: Partial, variable: str) -> _Span:
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

    def _rows(self, partial: Partial, variable: str, span: _Span) -> tuple[Ints, Ints]:
        """For each partial match, the rows of `variable` in its span that its window of events still counts."""
        own = self.candidates[variable]
        start, end = np.searchsorted(own.time, span.earliest, "left"), np.searchsorted(own.time, span.latest, "right")
        if variable in self.plan.counts:
            last = self.candidates[self.last].number[partial[self.last]]
            start = np.maximum(start, self._first_counted(variable, last))
        return start, end

    def _first_counted(self, variable: str, last: Ints) -> Ints:
        """The first row that is among the last candidates of `variable` when the event numbered `last` comes."""
        return np.searchsorted(self.candidates[variable].number, last, "right") - self.plan.counts[variable]

    def _tested(self, partial: Partial, variable: str) -> Partial:
        """Those partial matches that satisfy what can be tested now that `variable` is bound."""
        keep = self._distinct_and_before_last(partial, variable)
        if keep is not None:
            partial = {v: rows[keep] for v, rows in partial.items()}
        due = [c for c in self.plan.conditions if variable in c.variables and c.variables <= partial.keys()]
        if not due:
            return partial
        left = np.flatnonzero(holding(due, self.candidates, partial))
        return {v: rows[left] for v, rows in partial.items()}

    def _distinct_and_before_last(self, partial: Partial, variable: str) -> Bools | None:
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


def combined_codes(
    keys: Sequence[Key], candidates: Mapping[str, Candidates], partial: Partial, variable: str
) -> tuple[Ints, Ints] | None:
    """The combined key of all candidates of `variable`, and that which each partial match asks for; `None`: none."""
    combined: list[Ints] = []
    for i, key in enumerate(keys):
        if variable not in key.expressions:
            continue
        own = candidates[variable].codes[i]
        for other in key.expressions:
            if other in partial:
                pair = [own, candidates[other].codes[i][partial[other]]]
                combined = combine(combined, pair) if combined else pair
                break
    return (combined[0], combined[1]) if combined else None


def holding(conditions: Sequence[Condition], candidates: Mapping[str, Candidates], partial: Partial) -> Bools:
    """Of which partial matches all conditions are true."""
    frame = {"": pl.Series(next(iter(partial.values())))}
    for node in (node for c in conditions for node in c.columns):
        frame[match_name(node)] = candidates[node.variable].frame[plain_name(node)][partial[node.variable]]
    return mask_of(pl.DataFrame(frame), [c.test for c in conditions])


def ranges_by_key(own: Ints, wanted: Ints, place: Ints, between: tuple[Ints, Ints], width: int) -> Ranges:
    """Candidates sorted by key and place: those of one key between two places are a range.

    Args:
        own: the key of each candidate; −1: none.
        wanted: the key that each partial match asks for; −1: none.
        place: each candidate's row or time, ascending, below `width`.
        between: for each partial match the first place and that behind the last, from 0 to `width` − 1.
        width: more than every place; keys times `width` are below 2**62.
    """
    valid = np.flatnonzero(own >= 0)
    order = valid[stable_order(own[valid])]
    places = own[order] * width + place[order]
    visit = stable_order(wanted)  # neighbours in the search are neighbours in memory
    base = wanted[visit] * width
    first = np.searchsorted(places, base + between[0][visit])
    behind = np.searchsorted(places, base + between[1][visit])
    count = np.where(base < 0, 0, np.maximum(behind - first, 0))
    starts, counts = np.empty_like(first), np.empty_like(count)
    starts[visit], counts[visit] = first, count
    return Ranges(starts, counts, order)


def expand(partial: Partial, variable: str, ranges: Ranges) -> Iterator[Partial]:
    """Every pair of a partial match and a candidate in its range, so many at a time."""
    behind = np.cumsum(ranges.count)
    total = int(behind[-1]) if len(behind) else 0
    for low in range(0, total, PAIRS_AT_ONCE):
        high = min(low + PAIRS_AT_ONCE, total)
        first = int(np.searchsorted(behind, low, "right"))
        stop = int(np.searchsorted(behind, high, "left")) + 1
        before = behind[first:stop] - ranges.count[first:stop]
        skipped = np.clip(low - before, 0, None)
        count = np.minimum(behind[first:stop], high) - before - skipped
        match = np.repeat(np.arange(first, stop), count)
        shift = ranges.start[first:stop] + skipped - (np.cumsum(count) - count)
        place = np.arange(high - low) + np.repeat(shift, count)
        rows = place if ranges.order is None else ranges.order[place]
        yield {**{v: bound[match] for v, bound in partial.items()}, variable: rows}
