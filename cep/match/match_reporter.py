"""From complete matches to what a query reports: judged as a whole, in output order, once each, behind AFTER MATCH."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy

from ...expressions import Names
from ...language.nodes import Expression, Query
from ..order import Candidates
from ..output import MatchFrame, MatchProjection, MatchTable, match_name
from ..partitions import PartitionWindows
from .after_match_skip import AfterMatchSkip
from .consumption_mode import ConsumptionMode
from .match_contexts import MatchContexts

__all__ = ["MatchReporter"]


class MatchReporter:
    """What is asked of complete matches, whoever found them.

    Args:
        query: the query.
        conditions: HAVING, and the comparisons of items.
        windows: of a query in contexts, what is known of their windows.
        partial: whether a match may leave variables unbound, or become true after its last event.
        ambiguous: whether the same events may be found as a match in several ways.
        chained: whether matches are found in the consumption mode already.

    Attributes:
        considered: how many matches it was given so far.
        skip: AFTER MATCH.
        mode: of two variables, the consumption mode; of more, matches are found in it.
    """

    def __init__(
        self,
        query: Query,
        conditions: Sequence[Expression],
        windows: PartitionWindows | None = None,
        *,
        partial: bool,
        ambiguous: bool,
        chained: bool = False,
    ) -> None:
        self._contexts = None if windows is None else MatchContexts(query, windows)
        self._projection = MatchProjection(query, partial=partial, conditions=conditions)
        self._ambiguous = ambiguous
        self.considered = 0
        self.skip = AfterMatchSkip(query)
        paired = query.after_match.is_mode and len(query.sources) == 2
        self.mode = ConsumptionMode(query) if paired else None
        self._chained = chained
        self._skips = not query.after_match.is_mode

    @property
    def names(self) -> Names:
        """Columns are named by variable and column, aggregates by what they say."""
        return match_name

    def standing(self, found: MatchTable, candidates: Mapping[str, Candidates]) -> MatchTable:
        """The matches that are reported, in output order; none that is found later comes before one of them."""
        self.considered += len(found.time)
        if self.mode is not None:
            found = (self.mode.together if self._chained else self.mode.standing)(found, candidates)
        found = self._projection.holding(found, candidates)
        if not len(found.time):
            return found
        found = self._projection.sorted(found, candidates, once=self._ambiguous)
        if self._contexts is not None and found.windows is None:
            found = self._contexts.placed(found, candidates)
        return self.skip.standing(found, candidates) if self._skips else found

    def trial(self) -> MatchReporter:
        """One that says what would stand; what it is given does not count, and forbids nothing to this one."""
        trial = copy(self)
        trial.skip = self.skip.copied()
        return trial

    def report(self, standing: MatchTable, candidates: Mapping[str, Candidates]) -> MatchFrame | None:
        """The columns that rows are made from; `None`: there are no matches."""
        return self._projection.project(standing, candidates) if len(standing.time) else None
