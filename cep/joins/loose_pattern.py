"""Patterns outside of contexts that are searched for once with the loosest bounds of several queries (H2O §IV).

What a tighter query finds, a looser one finds as well: queries that are equal but for bounds, are given the same and
have been since they began, hold one set of candidates, and each looks through what was found with bounds of its own
(docs/decisions/302). Of candidates alone follows all that is found, so one that goes on by itself only goes on.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np
import polars as pl

from ...errors import CeilingError
from ...language.nodes import Query
from ..limits import Ceilings, Limits
from ..match import (
    BEGINNING,
    CommonSteps,
    IndexProbe,
    NewEvents,
    OwnBounds,
    Refutation,
    encode_keys,
)
from ..order import Candidates, Interval
from ..output import MatchFrame, MatchTable
from ..partitions import Bounds, loose_form
from ..snapshot_codec import OperatorState
from .match_finder import BoundedSearch
from .pattern_operator import PatternKernel

__all__ = ["LoosePatternKernel"]


@dataclass(frozen=True, slots=True)
class _FoundTogether:
    """What one search has found.

    Attributes:
        by: whose it was.
        bounds: that let it in.
        candidates: that matches are rows of.
        matches: all of them.
        frames: by variable, the candidates that are kept behind it.
        forgotten: see `CandidateBuffer`.
        next_number: of the event that comes next.
    """

    by: object
    bounds: Bounds
    candidates: Mapping[str, Candidates]
    matches: MatchTable
    frames: Mapping[str, pl.DataFrame]
    forgotten: Mapping[str, int]
    next_number: int


class LoosePatternKernel(PatternKernel):
    """The kernel of a query for which `is_loose` is true.

    Args:
        query: without contexts.
        within: the moments of WITHIN.
        limits: how much the query may take.
    """

    def __init__(self, query: Query, within: Interval | None = None, limits: Limits | None = None) -> None:
        super().__init__(query, within, limits)
        self._bounds, self._own_bounds = loose_form(query).bounds, OwnBounds(query, self._bound)
        self._search = self._own_search = BoundedSearch(self._bounds, self._plan, self._finder)
        self._position: Hashable = BEGINNING
        self._steps: CommonSteps | None = None

    def take_part(self, steps: CommonSteps | None) -> None:
        """Take the steps to come together with others; `None`: by itself."""
        self._steps = steps

    def stand(self, position: Hashable) -> None:
        """Know that its state, and what waits before it, are those of a position."""
        self._position = position

    def load(self, state: OperatorState) -> None:
        """See `PatternKernel.load`."""
        super().load(state)
        self._position = object()

    def keep(self, frames: Mapping[str, pl.DataFrame], passed: int, found: int) -> None:
        """See `JointKernel.keep`."""
        super().keep(frames, passed, found)
        self._position = object()

    def mark(self) -> Callable[[], None]:
        """See `PatternKernel.mark`."""
        behind, position = super().mark(), self._position

        def rewind() -> None:
            self._position = position
            behind()

        return rewind

    def _pass(self, watermark: int) -> None:
        """See `PatternKernel`; those that are in one state forget the same."""
        steps = self._steps
        if steps is None:
            self._position = object()
            super()._pass(watermark)
            return
        self._searched(steps.loosest or self._bounds).finder.forget(self._buffer, watermark, ())
        self._position = steps.behind(self._position, watermark)

    def _looked_through(
        self, released: Mapping[str, pl.DataFrame], watermark: int, *, at_once: bool
    ) -> MatchFrame | None:
        """The matches: found together with those that are given the same."""
        if self._steps is None:
            self._position = object()
            return super()._looked_through(released, watermark, at_once=at_once)
        ceilings = self._at_once if at_once else self._ceilings
        step = self._step_taken(self._steps, released, watermark, ceilings, at_once=at_once)
        found = self._own(step)
        counted = NewEvents.among(step.candidates.values(), ceilings).matches()
        counted.add(len(found.time), partial(found.last_numbers, step.candidates))
        matches = self._reporter.standing(found, step.candidates)
        return self._reporter.report(matches, step.candidates)

    def _step_taken(
        self,
        steps: CommonSteps,
        released: Mapping[str, pl.DataFrame],
        watermark: int,
        ceilings: Ceilings,
        *,
        at_once: bool,
    ) -> _FoundTogether:
        """What is found from where it is, by itself or by another one.

        What is too much with bounds that are looser than its own is looked for with these.
        """
        position, bounds = self._position, steps.loosest or self._bounds
        rewind = self.mark()
        try:
            step = steps.take(
                position, watermark, at_once=at_once, search=lambda: self._step(released, watermark, ceilings, bounds)
            )
        except CeilingError:
            if bounds == self._bounds or at_once:
                raise
            rewind()
            step = self._step(released, watermark, ceilings, self._bounds)
            self._position = object()
            return step
        if step.by is not self:
            self._buffer.frames, self._buffer.forgotten = dict(step.frames), dict(step.forgotten)
            self._next_number = step.next_number
        self._position = steps.behind(position, watermark)
        return step

    def _step(
        self, released: Mapping[str, pl.DataFrame], watermark: int, ceilings: Ceilings, bounds: Bounds
    ) -> _FoundTogether:
        """Search for matches within bounds."""
        search = self._searched(bounds)
        plan, finder = search.plan, search.finder
        candidates = self._buffer.take_in(self._prepared(released))
        encode_keys(plan.keys, candidates)
        refutation = Refutation(IndexProbe(plan.keys, plan.conditions, candidates), plan.shortest, self._named)
        new = NewEvents.among(candidates.values(), ceilings)
        found = []
        for disjunct, rows in finder.find(refutation, self._buffer, None, watermark, new):
            time = refutation.latest(rows, rows)
            found.append(MatchTable(np.full(len(time), disjunct), dict(rows), time))
        finder.forget(self._buffer, watermark, ())
        self._plan.take_counts(plan)
        matches, buffer = MatchTable.joined(found, self._bound), self._buffer
        kept = dict(buffer.frames), dict(buffer.forgotten)
        return _FoundTogether(self, bounds, candidates, matches, *kept, self._next_number)

    def _searched(self, bounds: Bounds) -> BoundedSearch:
        """How matches are looked for within bounds, from now on."""
        if self._search.bounds != bounds:
            self._search = self._own_search.within(bounds, self._query, self._named, self._ceilings)
        return self._search

    def _own(self, step: _FoundTogether) -> MatchTable:
        """What its own bounds let in of what was found."""
        if step.bounds == self._bounds or not len(step.matches.time):
            return step.matches
        return step.matches.at(self._own_bounds.let_in(step.matches, step.candidates))
