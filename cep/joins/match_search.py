"""Two ways to find complete matches: by constraints alone, or by runs that take one event after the other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

import numpy as np
import polars as pl

from ...expressions import Ints
from ...language.nodes import Element, Query, walk_pattern
from ..order import BEFORE, UNBOUNDED
from .candidate_buffer import Memory
from .columnar_nfa import Runs, Stepping
from .columnar_nfa_plan import decidable, plan_steps
from .free_variables_columnar import Outside
from .match_finder import Partial, find_matches
from .negation_columnar import Refutation, ends_later, lookback
from .pattern_dnf import Absence
from .pattern_plan import PatternPlan, QueryPlan

__all__ = ["Finder", "build_finder", "named_variables"]

Rows = Mapping[str, Ints]


def named_variables(query: Query) -> frozenset[str]:
    """The variables that SEQ names without NOT; without SEQ all of them."""
    if query.pattern is None:
        return frozenset(source.variable for source in query.sources)
    return frozenset(part.variable for part in walk_pattern(query.pattern) if isinstance(part, Element))


class Finder(Protocol):
    """Finds the matches that a batch completes."""

    @property
    def keeps_rows(self) -> bool:
        """Whether rows of candidates are remembered, so that no candidate may be removed from among them."""

    @property
    def undecided(self) -> Mapping[int, tuple[Absence, ...]]:
        """By way, the NOTs that are decided with the last event and are not looked at here."""

    def find(
        self, refutation: Refutation, memory: Memory, events: pl.DataFrame | None, watermark: int
    ) -> Iterator[tuple[int, Partial]]:
        """The ways and matches whose last event is new."""

    def drop(self, memory: Memory, forbidden: Mapping[str, pl.Series]) -> None:
        """Drop what is growing with a forbidden candidate."""

    def forget(self, memory: Memory, watermark: int, used: Sequence[Rows]) -> None:
        """Let the memory forget what neither an event at the watermark or later nor `used` (fixed rows) can reach."""

    def tables(self) -> dict[str, pl.DataFrame]:
        """The state."""

    def load(self, tables: Mapping[str, pl.DataFrame]) -> None:
        """Go on from what `tables` gave."""


def build_finder(plan: QueryPlan, inside: frozenset[str]) -> Finder:
    """The way to find the matches of a query."""
    between = any(a.after and a.duration is None for way in plan.ways for a in way.alternative.absences)
    everything = all(inside >= set(way.variables) for way in plan.ways)
    return _ByConstraints(plan) if plan.logical and not (between and everything) else _ByRuns(plan, inside)


class _ByConstraints:
    """Skip till any match: whatever satisfies the constraints is a match."""

    keeps_rows = False

    def __init__(self, plan: QueryPlan) -> None:
        self._plan = plan
        self.undecided = {
            i: tuple(a for a in way.alternative.absences if not ends_later(a)) for i, way in enumerate(plan.ways)
        }
        if not any(self.undecided.values()):
            self.undecided = {}

    def find(
        self,
        refutation: Refutation,
        memory: Memory,  # noqa: ARG002 - the protocol's
        events: pl.DataFrame | None,  # noqa: ARG002 - the protocol's
        watermark: int,  # noqa: ARG002 - the protocol's
    ) -> Iterator[tuple[int, Partial]]:
        """See `Finder.find`."""
        for i, way in enumerate(self._plan.ways):
            yield i, find_matches(way, refutation.probe.candidates)

    def drop(self, memory: Memory, forbidden: Mapping[str, pl.Series]) -> None:
        """Nothing is growing."""

    def forget(self, memory: Memory, watermark: int, used: Sequence[Rows]) -> None:
        """See `Finder.forget`."""
        for v in _bound(self._plan, memory):
            frame, reach = memory.frames[v], _reach(self._plan, v)
            counted = frame.height - self._plan.ways[0].counts.get(v, frame.height)
            out_of_reach = 0 if reach >= UNBOUNDED else memory.before(watermark - reach, v)
            memory.forget(v, min(max(out_of_reach, counted), memory.unused(v, used)))
        _forget_absent(self._plan, memory, watermark, used)

    def tables(self) -> dict[str, pl.DataFrame]:
        """Candidates are all that is remembered."""
        return {}

    def load(self, tables: Mapping[str, pl.DataFrame]) -> None:
        """Nothing to take."""


class _ByRuns:
    """Runs that take one event after the other; what SEQ does not name is joined to complete runs."""

    keeps_rows = True

    def __init__(self, plan: QueryPlan, inside: frozenset[str]) -> None:
        self._plan, self._inside = plan, inside
        self._states = plan_steps(plan, inside)
        self._outside = Outside(plan, inside)
        self._waiting: dict[int, Runs] = {}
        found = {
            i: tuple(a for a in way.alternative.absences if self._is_open(way, a)) for i, way in enumerate(plan.ways)
        }
        self.undecided = {i: absences for i, absences in found.items() if absences}

    def _is_open(self, way: PatternPlan, absence: Absence) -> bool:
        """Whether no step decides a NOT that is decided with the last event."""
        if ends_later(absence):
            return False
        complete = self._inside & set(way.variables)
        return len(self._plan.ways) > 1 or not decidable(self._plan, self._plan.ways, absence, complete)

    def find(
        self, refutation: Refutation, memory: Memory, events: pl.DataFrame | None, watermark: int
    ) -> Iterator[tuple[int, Partial]]:
        """See `Finder.find`."""
        followed = np.empty(0, dtype=np.int64) if events is None else events[BEFORE].to_numpy()
        stepping = Stepping(self._states, refutation.probe.candidates, refutation, watermark, followed)
        waiting = {place: runs.with_rows(memory.current(runs.rows)) for place, runs in self._waiting.items()}
        complete = stepping.go(waiting)
        yield from self._outside.join(refutation.probe, memory, complete, watermark) if self._outside else complete
        self._waiting = {place: runs.with_rows(memory.fixed(runs.rows)) for place, runs in stepping.waiting.items()}

    def drop(self, memory: Memory, forbidden: Mapping[str, pl.Series]) -> None:
        """See `Finder.drop`."""
        masks = {v: column.to_numpy() for v, column in forbidden.items()}
        for place, runs in self._waiting.items():
            rows = memory.current(runs.rows)
            growing = np.any([masks[v][of_variable] for v, of_variable in rows.items()], axis=0)
            if growing.any():
                self._waiting[place] = runs.at(np.flatnonzero(~growing))

    def forget(self, memory: Memory, watermark: int, used: Sequence[Rows]) -> None:
        """See `Finder.forget`."""
        everywhere = [*used, *(runs.rows for runs in self._waiting.values()), *self._outside.rows()]
        for v in _bound(self._plan, memory):
            reach = -UNBOUNDED if v in self._inside else _reach(self._plan, v)
            reachable = 0 if reach >= UNBOUNDED else memory.before(watermark - reach, v)
            memory.forget(v, min(reachable, memory.unused(v, everywhere)))
        _forget_absent(self._plan, memory, watermark, used)

    def tables(self) -> dict[str, pl.DataFrame]:
        """The waiting runs, by state."""
        waiting = {f"runs.{place}": runs.table() for place, runs in self._waiting.items()}
        return waiting | self._outside.tables()

    def load(self, tables: Mapping[str, pl.DataFrame]) -> None:
        """See `Finder.load`."""
        names = {place: f"runs.{place}" for place in range(len(self._states))}
        self._waiting = {place: Runs.of_table(tables[name]) for place, name in names.items() if name in tables}
        self._outside.load(tables)


def _bound(plan: QueryPlan, memory: Memory) -> list[str]:
    """The variables without those under NOT."""
    return [v for v in memory.frames if any(v in way.variables for way in plan.ways)]


def _reach(plan: QueryPlan, variable: str) -> int:
    """How long before the last event of a match the variable's event may lie, when it is not the last, at the most."""
    spans = [
        bounds[last, variable]
        for way in plan.ways
        if variable in way.variables
        for last, bounds in way.bounds.items()
        if last != variable
    ]
    return max(spans, default=-1)


def _forget_absent(plan: QueryPlan, memory: Memory, watermark: int, used: Sequence[Rows]) -> None:
    """Forget the candidates of NOTs that no match can be refuted by any more."""
    absent = {a.variable: lookback(way, plan.shortest) for way in plan.ways for a in way.alternative.absences}
    if not absent or not memory.frames:
        return
    extent = max(_reach(plan, v) for way in plan.ways for v in way.variables)
    moments = [memory.earliest(rows) for rows in used]
    for variable, back in absent.items():
        since = min([watermark - max(extent, 0), *moments]) - back
        memory.forget(variable, memory.before(since, variable) if extent < UNBOUNDED else 0)
