"""What a query keeps of matches that were found with looser bounds than its own (H2O §IV; docs/decisions/255)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...expressions import Bools, column_expression, micros, of_single_events
from ...language.nodes import CorrelationWindow, Query, columns_of, variables_of
from ..order import Candidates
from ..output import MatchTable, match_name
from ..partitions import bounded_joins
from .index_probe import JoinPredicate, holding

__all__ = ["OwnBounds"]


@dataclass(frozen=True)
class OwnBounds:
    """The bounds of a query, asked of complete matches.

    Attributes:
        query: settled.
        bound: the variables that matches bind.
    """

    query: Query
    bound: Collection[str]

    def let_in(self, matches: MatchTable, candidates: Mapping[str, Candidates]) -> Bools:
        """Which of the matches lie within them.

        Args:
            matches: of this query with bounds that are as loose or looser.
            candidates: that they are rows of.
        """
        inside = np.ones(len(matches.time), dtype=bool)
        for members, width in self._widths:
            times = [candidates[v].time[matches.rows[v]] for v in members]
            inside &= np.max(times, axis=0) - np.min(times, axis=0) <= width
        if self._tests and inside.any():
            places = np.flatnonzero(inside)
            inside[places] = holding(self._tests, candidates, {v: rows[places] for v, rows in matches.rows.items()})
        return inside

    @cached_property
    def _tests(self) -> Sequence[JoinPredicate]:
        """The comparisons that have bounds."""
        asked = [of_single_events(e) for e in bounded_joins(self.query)]
        return [JoinPredicate(variables_of(e), columns_of(e), column_expression(e, match_name)) for e in asked]

    @cached_property
    def _widths(self) -> Sequence[tuple[Sequence[str], int]]:
        """The variables of windows that several events are matched with, and how far apart these may lie."""
        windows = [w for w in self.query.windows if isinstance(w, CorrelationWindow)]
        members = [([v for v in w.variables if v in self.bound], micros(w.width)) for w in windows]
        return [(of, width) for of, width in members if len(of) > 1]
