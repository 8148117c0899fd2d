"""Patterns that are looked for once for all windows that overlap, and for all queries that are alike but for them.

What is found is placed by each query in windows of its own (CAESAR §5.3; docs/decisions/244, 254). Queries may differ
in their bounds, too: what is found with the loosest, each looks through with its own (docs/decisions/255).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
import polars as pl

from ...errors import CeilingError
from ...expressions import Ints
from ...language.nodes import Query
from ..limits import Ceilings, Limits
from ..match import (
    BEGINNING,
    CommonSteps,
    EventCounts,
    GroupedWindows,
    IndexProbe,
    NewEvents,
    OwnBounds,
    Refutation,
    encode_keys,
)
from ..order import Candidates, Interval
from ..output import UNBOUND, MatchFrame, MatchTable
from ..partitions import NO_START, Bounds, PartitionWindows, key_columns, loose_form, loosest
from ..snapshot_codec import OperatorState
from .match_finder import BoundedSearch
from .pattern_operator import PatternKernel

__all__ = ["SharedPatternKernel"]

_NOWHERE = -(2**63)
"""The number of no partition."""


@dataclass(frozen=True, slots=True)
class _Placeable:
    """Matches of a shared query, to be placed in windows.

    Attributes:
        matches: of one disjunct.
        partition: of each.
        first: the moment of its first event.
        barrier: when the last event came that forbids it in windows that hold it.
    """

    matches: MatchTable
    partition: Ints
    first: Ints
    barrier: Ints


class _Held(NamedTuple):
    """What a search of a shared query goes on from; nothing of it waits, and none of its matches skips events.

    Attributes:
        frames: by variable, its candidates.
        forgotten: see `CandidateBuffer`.
        partial: see `MatchFinder.tables`.
        next_number: of the event that comes next.
        bounds: the loosest that let anything in so far; `None`: unknown.
    """

    frames: Mapping[str, pl.DataFrame]
    forgotten: Mapping[str, int]
    partial: Mapping[str, pl.DataFrame]
    next_number: int
    bounds: Bounds | None


@dataclass(frozen=True, slots=True)
class _Step:
    """What a search of a shared query has found.

    Attributes:
        by: whose it was.
        candidates: that matches are rows of.
        found: piece by piece.
        held: behind it.
    """

    by: object
    candidates: Mapping[str, Candidates]
    found: Sequence[_Placeable]
    held: _Held


class SharedPatternKernel(PatternKernel):
    """The kernel of a query for which `is_shared` is true.

    Args:
        query: partitioned by its windows.
        within: the moments of WITHIN.
        limits: how much the query may take.
        windows: what is known of its windows.
    """

    def __init__(self, query: Query, within: Interval | None, limits: Limits | None, windows: PartitionWindows) -> None:
        super().__init__(query, within, limits, windows)
        self._overlapping = windows
        self._bounds, self._own_bounds = loose_form(query).bounds, OwnBounds(query, self._bound)
        self._search = self._own_search = BoundedSearch(self._bounds, self._plan, self._finder)
        self._let_in: Bounds | None = self._bounds
        self._position: Hashable | None = BEGINNING
        self._steps: CommonSteps | None = None

    def mark(self) -> Callable[[], None]:
        """See `PatternKernel.mark`."""
        behind, search = super().mark(), self._search
        position, let_in, counts = self._position, self._let_in, search.plan.mark_counts()

        def rewind() -> None:
            self._search, self._finder = search, search.finder
            self._position, self._let_in = position, let_in
            behind()
            counts()

        return rewind

    def load(self, state: OperatorState) -> None:
        """See `PatternKernel.load`."""
        super().load(state)
        self._position, self._let_in = object(), None

    def offer(self) -> tuple[Hashable, object] | None:
        """See `Operator.offer`."""
        return None if self._position in (None, BEGINNING) else (self._position, self._held())

    def rest(self) -> None:
        """Need nothing of what it was given: its windows are to come."""
        self._position = None

    def take_part(self, steps: CommonSteps | None) -> None:
        """Take the steps to come together with others; one that needs nothing of its own goes on where they are."""
        self._steps = steps
        if self._position is None and steps is not None:
            self._position, held = steps.offer_of(self._held)
            self._take(held)

    def stand(self, position: Hashable) -> None:
        """Know that its state is the one of a position."""
        self._position = position

    def _pass(self, watermark: int) -> None:
        """See `PatternKernel`; those that are in one state forget the same."""
        steps = self._steps or CommonSteps()
        self._searched(steps.loosest or self._bounds)
        super()._pass(watermark)
        if self._position not in (None, BEGINNING):
            self._position = steps.behind(self._position, watermark)

    def _looked_through(
        self, released: Mapping[str, pl.DataFrame], watermark: int, *, at_once: bool
    ) -> MatchFrame | None:
        """The matches: found together with those that are given the same, and placed by itself."""
        ceilings = self._at_once if at_once else self._ceilings
        step = self._step_taken(released, watermark, ceilings, at_once=at_once)
        grouped, new = GroupedWindows(self._overlapping), NewEvents.among(step.candidates.values(), ceilings)
        counts: dict[int, EventCounts] = {}
        parts = []
        for found in step.found:
            one = self._own(found, step)
            matches = grouped.placed(one.matches, one.partition, one.first, one.barrier)
            disjunct = int(one.matches.disjunct[0]) if self._ambiguous and len(one.matches.time) else 0
            of = counts.setdefault(disjunct, new.matches())
            of.add(len(matches.time), partial(matches.last_numbers, step.candidates))
            parts.append(matches)
        matches = self._reporter.standing(MatchTable.joined(parts, self._bound), step.candidates)
        return self._reporter.report(matches, step.candidates)

    def _step_taken(
        self, released: Mapping[str, pl.DataFrame], watermark: int, ceilings: Ceilings, *, at_once: bool
    ) -> _Step:
        """A step from where it is, by itself or by another one.

        What is too much with bounds that are looser than its own is looked for with these.
        """
        steps = self._steps or CommonSteps()
        position = object() if self._position is None else self._position
        bounds = steps.loosest or self._bounds
        rewind = None if bounds == self._bounds else self.mark()
        try:
            step = steps.take(
                position, watermark, at_once=at_once, search=lambda: self._step(released, watermark, ceilings, bounds)
            )
        except CeilingError:
            if rewind is None or at_once:
                raise
            rewind()
            self._position = object()
            return self._step(released, watermark, ceilings, self._bounds)
        if step.by is not self:
            self._take(step.held)
        self._position = steps.behind(position, watermark)
        return step

    def _step(self, released: Mapping[str, pl.DataFrame], watermark: int, ceilings: Ceilings, bounds: Bounds) -> _Step:
        """Search for matches within bounds, in whatever windows they lie."""
        plan = self._searched(bounds).plan
        candidates = self._buffer.take_in(self._prepared(released))
        encode_keys(plan.keys, candidates)
        refutation = Refutation(IndexProbe(plan.keys, plan.conditions, candidates), plan.shortest, self._named)
        new, found = NewEvents.among(candidates.values(), ceilings), []
        for disjunct, rows in self._finder.find(refutation, self._buffer, None, watermark, new):
            time = refutation.latest(rows, rows)
            every = {v: rows.get(v, np.full(len(time), UNBOUND)) for v in self._bound}
            undecided = {i: tuple(n for n in of if n.before) for i, of in self._finder.undecided.items()}
            matches = MatchTable(np.full(len(time), disjunct), every, time)
            matches = refutation.unrefuted(matches, {i: of for i, of in undecided.items() if of})
            found.append(self._placeable(refutation, disjunct, matches))
        self._forget(watermark)
        if not self._finder.remembers_nothing and self._let_in is not None:
            bounds = loosest((bounds, self._let_in))
        self._let_in = None if self._let_in is None and not self._finder.remembers_nothing else bounds
        self._plan.take_counts(plan)
        return _Step(self, candidates, found, self._held())

    def _searched(self, bounds: Bounds) -> BoundedSearch:
        """How matches are looked for within bounds, from now on; what is under way goes on."""
        if self._search.bounds != bounds:
            search = self._own_search.within(bounds, self._query, self._named, self._ceilings)
            search.finder.load(self._finder.tables())
            self._search, self._finder = search, search.finder
        return self._search

    def _placeable(self, refutation: Refutation, disjunct: int, matches: MatchTable) -> _Placeable:
        candidates, rows = refutation.probe.candidates, matches.rows
        first, barrier = refutation.earliest(rows, rows), np.full(len(matches.time), NO_START)
        for negation in self._plan.disjuncts[disjunct].order.negations if len(matches.time) else ():
            if not negation.before:  # what a first NOT forbids, not every window sees
                barrier = np.maximum(barrier, refutation.last_refuting(negation, rows))
        (key,), variable = key_columns(self._query), self._bound[0]
        keys = candidates[variable].frame[key]
        partition = (keys.fill_null(_NOWHERE) if keys.null_count() else keys).to_numpy()[rows[variable]]
        return _Placeable(matches, partition, first, barrier)

    def _own(self, found: _Placeable, step: _Step) -> _Placeable:
        """What its own bounds let in of what was found."""
        if step.held.bounds == self._bounds or not len(found.matches.time):
            return found
        rows, candidates = found.matches.rows, step.candidates
        inside = self._own_bounds.let_in(found.matches, candidates)
        last = np.max([candidates[v].time[rows[v]] for v in rows if v in self._named], axis=0)
        barrier = np.where(found.barrier < last - self._plan.shortest, NO_START, found.barrier)
        return _Placeable(found.matches.at(inside), found.partition[inside], found.first[inside], barrier[inside])

    def _held(self) -> _Held:
        buffer = self._buffer
        return _Held(
            dict(buffer.frames), dict(buffer.forgotten), self._finder.tables(), self._next_number, self._let_in
        )

    def _take(self, held: _Held) -> None:
        """Go on from where another search of the same has come to."""
        self._buffer.frames, self._buffer.forgotten = dict(held.frames), dict(held.forgotten)
        self._finder.load(held.partial)
        self._next_number, self._let_in = held.next_number, held.bounds
