"""Two ways to find complete matches, within bounds: by constraints alone, or by a columnar automaton."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import polars as pl

from ...expressions import Bools, Ints
from ...language.nodes import Element, Query, walk_pattern
from ..limits import Ceilings
from ..match import (
    BoundRows,
    CandidateBuffer,
    EventCounts,
    FreeVariableJoin,
    NegationConstraint,
    NewEvents,
    Refutation,
)
from ..order import BEFORE, UNBOUNDED
from ..partitions import WINDOW_COLUMN, Bounds, loosened
from .columnar_nfa import ColumnarNfa, PartialMatchTable
from .columnar_nfa_plan import compile_states, decidable
from .pattern_plan import DisjunctPlan, PatternPlan, plan_pattern
from .range_join import find_matches

__all__ = ["BoundedSearch", "MatchFinder", "build_finder", "named_variables"]

Rows = Mapping[str, Ints]


def named_variables(query: Query) -> frozenset[str]:
    """The variables that SEQ names without NOT; without SEQ all of them."""
    if query.pattern is None:
        return frozenset(source.variable for source in query.sources)
    return frozenset(part.variable for part in walk_pattern(query.pattern) if isinstance(part, Element))


class MatchFinder(Protocol):
    """Finds the matches that a batch completes.

    Attributes:
        remembers_nothing: it has no state, and finds them in the candidates alone.
    """

    remembers_nothing: bool

    @property
    def undecided(self) -> Mapping[int, tuple[NegationConstraint, ...]]:
        """By disjunct, the NOTs that are decided with the last event and are not looked at here."""

    def find(
        self,
        refutation: Refutation,
        buffer: CandidateBuffer,
        events: pl.DataFrame | None,
        watermark: int,
        new: NewEvents,
    ) -> Iterator[tuple[int, BoundRows]]:
        """The disjuncts and matches whose last event is new, piece by piece.

        Raises:
            CeilingError: more is under way, or would be compared, than the query's ceilings allow.
        """

    def drop(self, buffer: CandidateBuffer, forbidden: Mapping[str, Bools]) -> None:
        """Drop what is growing with a forbidden candidate."""

    def retire(self, buffer: CandidateBuffer, gone: Mapping[str, Bools]) -> None:
        """Drop what is growing with a candidate whose context window has ended."""

    def forget(self, buffer: CandidateBuffer, watermark: int, used: Sequence[Rows]) -> None:
        """Let the buffer forget what neither an event at the watermark or later nor `used` (fixed rows) can reach."""

    def mark(self) -> Callable[[], None]:
        """What brings back the state of now, once."""

    def tables(self) -> dict[str, pl.DataFrame]:
        """The state."""

    def load(self, tables: Mapping[str, pl.DataFrame]) -> None:
        """Go on from what `tables` gave."""


def build_finder(plan: PatternPlan, named: frozenset[str], ceilings: Ceilings) -> MatchFinder:
    """The way to find the matches of a query.

    Raises:
        CeilingError: its pattern has too many states.
    """
    between = any(a.after and a.duration is None for disjunct in plan.disjuncts for a in disjunct.order.negations)
    everything = all(named >= set(disjunct.variables) for disjunct in plan.disjuncts)
    return (
        _ConstraintSearch(plan) if plan.logical and not (between and everything) else _NfaSearch(plan, named, ceilings)
    )


@dataclass(frozen=True, slots=True)
class BoundedSearch:
    """How the matches of a query are looked for within bounds.

    Attributes:
        bounds: that let them in.
        plan: of the query with these.
        finder: works from it.
    """

    bounds: Bounds
    plan: PatternPlan
    finder: MatchFinder

    def within(self, bounds: Bounds, query: Query, named: frozenset[str], ceilings: Ceilings) -> BoundedSearch:
        """How they are looked for within other bounds; nothing is under way yet.

        Args:
            bounds: those; within its own the plan is the same, which counts conditions.
            query: the query, settled.
            named: see `named_variables`.
            ceilings: of the query.
        """
        plan = self.plan if bounds == self.bounds else plan_pattern(loosened(query, bounds))
        return BoundedSearch(bounds, plan, build_finder(plan, named, ceilings))


class _ConstraintSearch:
    """Skip till any match: whatever satisfies the constraints is a match."""

    remembers_nothing = True

    def __init__(self, plan: PatternPlan) -> None:
        self._plan = plan
        self._waits = any(n.ends_later for disjunct in plan.disjuncts for n in disjunct.order.negations)
        decided = [tuple(n for n in d.order.negations if not n.ends_later) for d in plan.disjuncts]
        self.undecided = {i: negations for i, negations in enumerate(decided) if negations}

    def find(
        self,
        refutation: Refutation,
        buffer: CandidateBuffer,  # noqa: ARG002 - the protocol's
        events: pl.DataFrame | None,  # noqa: ARG002 - the protocol's
        watermark: int,  # noqa: ARG002 - the protocol's
        new: NewEvents,
    ) -> Iterator[tuple[int, BoundRows]]:
        """See `MatchFinder.find`."""
        pairs = new.pairs()
        for i, disjunct in enumerate(self._plan.disjuncts):
            for found in find_matches(disjunct, refutation.probe.candidates, pairs):
                yield i, found

    def drop(self, buffer: CandidateBuffer, forbidden: Mapping[str, Bools]) -> None:
        """See `MatchFinder.drop`: candidates go, unless they are counted, or matches that wait name their rows."""
        for v, mask in forbidden.items():
            if not self._waits and v not in self._plan.disjuncts[0].counts:
                buffer.frames[v] = buffer.frames[v].filter(pl.Series(~mask))

    def retire(self, buffer: CandidateBuffer, gone: Mapping[str, Bools]) -> None:
        """See `MatchFinder.retire`: nothing grows."""

    def forget(self, buffer: CandidateBuffer, watermark: int, used: Sequence[Rows]) -> None:
        """See `MatchFinder.forget`."""
        for v in _bound(self._plan, buffer):
            frame, reach = buffer.frames[v], _reach(self._plan, v)
            counts = self._plan.disjuncts[0].counts
            counted = _uncounted(frame, counts[v]) if v in counts else 0
            out_of_reach = 0 if reach >= UNBOUNDED else buffer.before(watermark - reach, v)
            buffer.forget(v, min(max(out_of_reach, counted), buffer.unused(v, used)))
        _forget_absent(self._plan, buffer, watermark, used)

    def mark(self) -> Callable[[], None]:
        """See `MatchFinder.mark`."""
        return lambda: None

    def tables(self) -> dict[str, pl.DataFrame]:
        """Candidates are all that is remembered."""
        return {}

    def load(self, tables: Mapping[str, pl.DataFrame]) -> None:
        """Nothing to take."""


class _NfaSearch:
    """Partial matches take one event after the other; free variables are joined to complete matches of SEQ."""

    remembers_nothing = False

    def __init__(self, plan: PatternPlan, named: frozenset[str], ceilings: Ceilings) -> None:
        self._plan, self._named = plan, named
        self._states = compile_states(plan, named, ceilings)
        free = [v for v in plan.disjuncts[0].variables if v not in named]
        self._free = FreeVariableJoin(free, [d.reach for d in plan.disjuncts])
        self._waiting: dict[int, PartialMatchTable] = {}
        left = [tuple(n for n in d.order.negations if self._is_open(d, n)) for d in plan.disjuncts]
        self.undecided = {i: negations for i, negations in enumerate(left) if negations}
        doubted = any(n.ends_later or not n.before for d in plan.disjuncts for n in d.order.negations)
        self._final = not (free or doubted or self.undecided)

    def _is_open(self, disjunct: DisjunctPlan, negation: NegationConstraint) -> bool:
        """Whether no step decides a NOT that is decided with the last event."""
        if negation.ends_later:
            return False
        complete = self._named & set(disjunct.variables)
        return len(self._plan.disjuncts) > 1 or not decidable(self._plan, self._plan.disjuncts, negation, complete)

    def find(
        self,
        refutation: Refutation,
        buffer: CandidateBuffer,
        events: pl.DataFrame | None,
        watermark: int,
        new: NewEvents,
    ) -> Iterator[tuple[int, BoundRows]]:
        """See `MatchFinder.find`."""
        followed = np.empty(0, dtype=np.int64) if events is None else events[BEFORE].to_numpy()
        candidates = refutation.probe.candidates
        nfa = ColumnarNfa(self._states, candidates, refutation, watermark, followed, self._counts(new))
        waiting = {place: runs.with_rows(buffer.current(runs.rows)) for place, runs in self._waiting.items()}
        complete = nfa.go(waiting)
        yield from self._free.join(refutation.probe, buffer, complete, watermark) if self._free else complete
        for runs in nfa.waiting.values():
            new.check_waiting(self._plan.keys, candidates, runs.rows)
        for rows in self._free.rows():
            new.check_waiting(self._plan.keys, candidates, buffer.current(rows))
        self._waiting = {place: runs.with_rows(buffer.fixed(runs.rows)) for place, runs in nfa.waiting.items()}

    def _counts(self, new: NewEvents) -> list[EventCounts]:
        """By state, what counts those that come to it: as matches where they are nothing but that."""
        matches, runs = new.matches(), new.runs()
        return [matches if self._final and not state.steps else runs for state in self._states]

    def drop(self, buffer: CandidateBuffer, forbidden: Mapping[str, Bools]) -> None:
        """See `MatchFinder.drop`."""
        for place, runs in self._waiting.items():
            rows = buffer.current(runs.rows)
            growing = np.any([forbidden[v][of_variable] for v, of_variable in rows.items()], axis=0)
            if growing.any():
                self._waiting[place] = runs.at(np.flatnonzero(~growing))

    def retire(self, buffer: CandidateBuffer, gone: Mapping[str, Bools]) -> None:
        """See `MatchFinder.retire`."""
        self.drop(buffer, gone)
        self._free.drop(buffer, gone)

    def forget(self, buffer: CandidateBuffer, watermark: int, used: Sequence[Rows]) -> None:
        """See `MatchFinder.forget`."""
        everywhere = [*used, *(runs.rows for runs in self._waiting.values()), *self._free.rows()]
        for v in _bound(self._plan, buffer):
            reach = -UNBOUNDED if v in self._named else _reach(self._plan, v)
            reachable = 0 if reach >= UNBOUNDED else buffer.before(watermark - reach, v)
            buffer.forget(v, min(reachable, buffer.unused(v, everywhere)))
        _forget_absent(self._plan, buffer, watermark, used)

    def mark(self) -> Callable[[], None]:
        """See `MatchFinder.mark`."""
        waiting, free = self._waiting, self._free.mark()

        def rewind() -> None:
            self._waiting = waiting
            free()

        return rewind

    def tables(self) -> dict[str, pl.DataFrame]:
        """The waiting partial matches, by state."""
        waiting = {f"runs.{place}": runs.table() for place, runs in self._waiting.items()}
        return waiting | self._free.tables()

    def load(self, tables: Mapping[str, pl.DataFrame]) -> None:
        """See `MatchFinder.load`."""
        names = {place: f"runs.{place}" for place in range(len(self._states))}
        self._waiting = {
            place: PartialMatchTable.of_table(tables[name]) for place, name in names.items() if name in tables
        }
        self._free.load(tables)


def _uncounted(frame: pl.DataFrame, count: int) -> int:
    """How many of the first candidates are not among the last so many, of their context window if they are in one."""
    if WINDOW_COLUMN not in frame:
        return frame.height - count
    last = frame.select(pl.int_range(pl.len()).reverse().over(WINDOW_COLUMN) < count).to_series().to_numpy()
    return int(np.append(last, True).argmax())


def _bound(plan: PatternPlan, buffer: CandidateBuffer) -> list[str]:
    """The variables without those under NOT."""
    return [v for v in buffer.frames if any(v in disjunct.variables for disjunct in plan.disjuncts)]


def _reach(plan: PatternPlan, variable: str) -> int:
    """How long before the last event of a match the variable's event may lie, when it is not the last, at the most."""
    spans = [
        bounds[last, variable]
        for disjunct in plan.disjuncts
        if variable in disjunct.variables
        for last, bounds in disjunct.bounds.items()
        if last != variable
    ]
    return max(spans, default=-1)


def _forget_absent(plan: PatternPlan, buffer: CandidateBuffer, watermark: int, used: Sequence[Rows]) -> None:
    """Forget the candidates of NOTs that no match can be refuted by any more."""
    every = [a for disjunct in plan.disjuncts for a in disjunct.order.negations]
    absent = {a.variable: _lookback(disjunct, plan.shortest) for disjunct in plan.disjuncts
              for a in disjunct.order.negations if a.variable in buffer.frames}  # fmt: skip
    if not absent or not buffer.frames:
        return
    extent = max(_reach(plan, v) for disjunct in plan.disjuncts for v in disjunct.variables)
    recurs = any(a.every is not None for a in every)  # what was found has looked at all that came
    moments = [] if recurs else [buffer.earliest(rows) for rows in used]
    for variable, back in absent.items():
        since = min([watermark - max(extent, 0), *moments]) - back
        buffer.forget(variable, buffer.before(since, variable) if extent < UNBOUNDED else 0)


def _lookback(disjunct: DisjunctPlan, shortest: int) -> int:
    """How long before the first event of a match, or the last for a first NOT, its NOTs look back."""
    spans = [a.duration or shortest for a in disjunct.order.negations if not a.before]
    return max(spans, default=0)
