"""Looking for the candidates of one variable that go with partial matches: all of them, or the first of each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ...expressions import Bools, Ints
from ..order import combine
from .match_finder import PAIRS_AT_ONCE, Candidates, Partial, Ranges, combined_codes, expand, holding, ranges_by_key
from .pattern_plan import Condition, Key

__all__ = ["NONE", "Probe"]

NONE = -1
"""The row of no candidate."""

_GROWTH = 4
_FAR = 2**62
Test = Callable[[Partial], Bools]


@dataclass(frozen=True, slots=True)
class Probe:
    """Joins partial matches with candidates by keys, rows and conditions; all on arrays of rows."""

    keys: Sequence[Key]
    conditions: Sequence[Condition]
    candidates: Mapping[str, Candidates]

    def ranges(
        self, partial: Partial, variable: str, between: tuple[Ints, Ints], equal: tuple[Ints, Ints] | None = None
    ) -> Ranges:
        """For each partial match the candidates with its keys, of the rows from `between[0]` to below `between[1]`.

        Args:
            partial: at least one variable is bound.
            variable: the variable that is looked for.
            between: for each partial match, rows.
            equal: one more key: of each candidate, and that which each partial match asks for; −1: none.
        """
        own = self.candidates[variable]
        start, end = np.clip(between[0], 0, None), np.minimum(between[1], len(own.number))
        codes = combined_codes(self.keys, self.candidates, partial, variable)
        if equal is not None:
            codes = _dense(equal) if codes is None else _pair(combine(codes, _dense(equal)))
        if codes is None:
            return Ranges(start, np.maximum(end - start, 0), None)
        # Rows that no partial match looks at are not sorted.
        low, high = int(start.min(initial=len(own.number))), int(end.max(initial=0))
        if low >= high:
            return Ranges(start, np.zeros_like(start), None)
        places = (np.minimum(start, high) - low, np.maximum(end - low, 0))
        found = ranges_by_key(codes[0][low:high], codes[1], np.arange(high - low), places, high - low + 1)
        return Ranges(found.start, found.count, None if found.order is None else found.order + low)

    def tests(self, partial: Partial, variable: str) -> list[Test]:
        """The conditions that can be asked when `variable` is bound, too."""
        due = [c for c in self.conditions if variable in c.variables and c.variables <= partial.keys() | {variable}]
        return [lambda grown: holding(due, self.candidates, grown)] if due else []

    def first(self, partial: Partial, variable: str, ranges: Ranges, tests: Sequence[Test]) -> Ints:
        """For each partial match the row of the first candidate of its range that passes, or `NONE`.

        The ranges are looked at in pieces of growing size, so that about as many pairs are tested as if each partial
        match looked at one candidate after the other, but many at a time.
        """
        found = np.full(len(ranges.count), NONE)
        left = np.flatnonzero(ranges.count > 0)
        if not tests:
            found[left] = ranges.start[left] if ranges.order is None else ranges.order[ranges.start[left]]
            return found
        tested, size = np.zeros_like(ranges.count), 1
        while len(left):
            take = np.minimum(ranges.count[left] - tested[left], size)
            piece = Ranges(ranges.start[left] + tested[left], take, ranges.order)
            for match, rows in self.pairs({v: r[left] for v, r in partial.items()}, variable, piece, tests):
                places = left[match]
                new = found[places] == NONE
                # The first pair of each match is its earliest candidate; writing backwards, it is written last.
                found[places[new][::-1]] = rows[new][::-1]
            tested[left] += take
            left = left[(found[left] == NONE) & (tested[left] < ranges.count[left])]
            size = min(size * _GROWTH, PAIRS_AT_ONCE)
        return found

    def pairs(
        self, partial: Partial, variable: str, ranges: Ranges, tests: Sequence[Test]
    ) -> Iterator[tuple[Ints, Ints]]:
        """Partial matches, by their places, and rows of the candidates in their ranges that pass, in order."""
        places = np.arange(len(ranges.count))
        for pairs in expand({**partial, "": places}, variable, ranges):
            grown = dict(pairs)
            match, rows = grown.pop(""), grown[variable]
            for test in tests:
                keep = np.flatnonzero(test(grown))
                grown = {v: of_variable[keep] for v, of_variable in grown.items()}
                match, rows = match[keep], rows[keep]
            yield match, rows


def _dense(codes: tuple[Ints, Ints]) -> tuple[Ints, Ints]:
    """The same equalities with small codes: numbers of events that are remembered lie close together."""
    least = min(int(of[of >= 0].min(initial=_FAR)) for of in codes)
    own, wanted = (np.where(of < 0, NONE, of - least) for of in codes)
    return own, wanted


def _pair(codes: Sequence[Ints]) -> tuple[Ints, Ints]:
    return codes[0], codes[1]
