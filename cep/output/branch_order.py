"""Which side of each OR matches take: what orders matches of the same events (docs/semantics.md 3.5, 3.16)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from ...expressions import Ints
from ...language.nodes import Alternative, Element, Group, Pattern, subpatterns, walk_pattern
from ..order import Candidates
from .match_table import MatchTable, list_column

__all__ = ["BranchOrder", "branch_orders"]


@dataclass(frozen=True, slots=True)
class BranchOrder:
    """The sides of one OR.

    Attributes:
        side_of: of each variable that is matched on a side, which side that is.
        count: how many sides there are.
        iterated: whether it stands in something that may be repeated, so that each event may take another side.
    """

    side_of: Mapping[str, int]
    count: int
    iterated: bool

    def sides(self, matches: MatchTable, candidates: Mapping[str, Candidates]) -> pl.Series:
        """By match the side that it takes, of an OR that is iterated event by event; `count`: none."""
        if self.iterated:
            return self._of_events(matches, candidates)
        taken = np.full(len(matches.time), self.count)
        for v, side in self.side_of.items():
            bound = np.diff(matches.offsets[v]) > 0 if v in matches.offsets else matches.rows[v] >= 0
            taken[bound] = side
        return pl.Series(taken)

    def _of_events(self, matches: MatchTable, candidates: Mapping[str, Candidates]) -> pl.Series:
        """Lists, in total order of a match's events."""
        numbers, sides, places = [], [], []
        for v in matches.rows:
            rows, offsets = matches.ranges(v)
            numbers.append(candidates[v].number[rows])
            sides.append(np.full(len(rows), self.side_of.get(v, self.count)))
            places.append(np.repeat(np.arange(len(matches.time)), np.diff(offsets)))
        order = np.lexsort((np.concatenate(numbers), np.concatenate(places)))
        ends: Ints = np.cumsum(matches.lengths())
        return list_column(pl.Series(np.concatenate(sides)[order]), np.concatenate([[0], ends]))


def branch_orders(pattern: Pattern | None) -> Sequence[BranchOrder]:
    """The ORs of a pattern in the order of the text, those around others first."""
    return () if pattern is None else tuple(_orders(pattern, iterated=False))


def _orders(part: Pattern, *, iterated: bool) -> Iterator[BranchOrder]:
    if isinstance(part, Alternative):
        sides = {
            inner.variable: side
            for side, branch in enumerate(part.branches)
            for inner in walk_pattern(branch)
            if isinstance(inner, Element)
        }
        yield BranchOrder(sides, len(part.branches), iterated)
    inside = iterated or (isinstance(part, Group) and part.quantifier.maximum != 1)
    for inner in subpatterns(part):
        yield from _orders(inner, iterated=inside)
