"""Patterns that repeat nothing: matches over several events, as joins of columns (docs/semantics.md 3.4)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from math import prod
from typing import cast

import numpy as np
import polars as pl

from ...expressions import Bools, Ints, Names, micros
from ...language.nodes import Query
from ..limits import Ceilings, Limits
from ..match import (
    AwaitedMatches,
    CandidateBuffer,
    EventCounts,
    IndexProbe,
    MatchReporter,
    NegationConstraint,
    NewEvents,
    Recurrence,
    Refutation,
    encode_keys,
)
from ..order import EVENTS, NUMBER, PLACE, UNBOUNDED, Candidates, Interval, SharedEvents, numbered_events
from ..output import UNBOUND, ConditionCount, MatchFrame, MatchTable
from ..partitions import WINDOW_COLUMN, PartitionWindows, is_windowed, queries_of
from ..query_state import HeldRows
from ..snapshot_codec import OperatorState
from .match_finder import MatchFinder, build_finder, named_variables
from .mode_search import ModeSearch
from .pattern_plan import plan_pattern

__all__ = ["PatternKernel"]

_MATCHES = 2**18
"""So many matches are held at once, unless one moment has more."""


class PatternKernel:
    """Joins what is released with what can still take part, and forgets what no later event can reach.

    Args:
        query: a query that repeats nothing.
        within: the moments of WITHIN.
        limits: how much the query may take.
        windows: of a query in contexts, what is known of their windows.
        watched: whether its state is asked for; its POLICY is a mode.
    """

    def __init__(
        self,
        query: Query,
        within: Interval | None = None,
        limits: Limits | None = None,
        windows: PartitionWindows | None = None,
        *,
        watched: bool = False,
    ) -> None:
        self._windows = windows if is_windowed(query) else None
        self._query = query
        self._ceilings = ceilings = Ceilings(query, limits or Limits())
        self._plan = plan = plan_pattern(query)
        disjuncts = plan.disjuncts
        self._bound = [s.variable for s in query.sources if any(s.variable in d.variables for d in disjuncts)]
        self._named = named_variables(query)
        last = {i: tuple(n for n in d.order.negations if n.ends_later) for i, d in enumerate(disjuncts)}
        ending: dict[int, tuple[NegationConstraint, ...]] = {i: n for i, n in last.items() if n}
        self._within = within or Interval()
        self._width = min(plan.shortest, UNBOUNDED if query.retention is None else micros(query.retention))
        self._ambiguous = len({d.variables for d in disjuncts}) < len(disjuncts)
        self._awaited = AwaitedMatches(
            ending, self._bound, self._ambiguous, self._within.last, self._width, ceilings, self._windows
        )
        self._looks_behind = any(negation.strict for of_disjunct in last.values() for negation in of_disjunct)
        self._buffer = CandidateBuffer(plan.own)
        chained = query.after_match.is_mode and (watched or len(query.sources) > 2)
        self._finder: MatchFinder = ModeSearch(query) if chained else build_finder(plan, self._named, self._ceilings)
        self._undecided = self._finder.undecided
        rows = ceilings.limits.rows_per_batch
        at_once = replace(ceilings.limits, rows_per_batch=min(rows, _MATCHES) if self.divisible else rows)
        self._at_once = replace(ceilings, limits=at_once)
        self._next_number = 0
        self.tally = np.empty(0, dtype=np.int64)
        self.passed = 0
        unbound = len(disjuncts) > 1 or bool(ending)
        self._reporter = MatchReporter(
            query, plan.verdicts, windows, partial=unbound, ambiguous=self._ambiguous, chained=chained
        )

    @property
    def names(self) -> Names:
        """See `MatchReporter`."""
        return self._reporter.names

    @property
    def considered(self) -> int:
        """Matches that were found."""
        return self._reporter.considered

    @property
    def conditions(self) -> tuple[ConditionCount, ...]:
        """See `PatternPlan.counts`."""
        return self._plan.counts

    @property
    def counted(self) -> tuple[ConditionCount, ...]:
        """See `PatternPlan.counted`."""
        return self._plan.counted

    @property
    def recurrence(self) -> Recurrence:
        """Of EVERY."""
        return self._awaited.recurrence

    @property
    def due(self) -> int | None:
        """When the first NOT has ended that a match waits for."""
        return self._awaited.pending.due

    @property
    def oldest(self) -> int | None:
        """See `Kernel.oldest`."""
        return self._buffer.oldest

    @property
    def awaited(self) -> Ints:
        """See `PendingNegation.awaited`."""
        return self._awaited.pending.awaited

    @property
    def held_since(self) -> None:
        """A match that waits becomes true at the watermark or later."""
        return None

    @property
    def divisible(self) -> bool:
        """Whether no part of a batch has more under way than the whole: then its events may be taken part by part."""
        return self._finder.remembers_nothing and not self._awaited.negations

    def may_exceed(self, released: Mapping[str, pl.DataFrame]) -> bool:
        """Whether there may be more matches than are found at once, or than one event may end.

        As far as numbers of candidates say: one of those that were released is in each match.
        """
        kept = self._buffer.frames
        heights = {v: max(released[v].height + (kept[v].height if v in kept else 0), 1) for v in self._bound}
        limits = self._ceilings.limits
        most = min(limits.matches_per_event, limits.partial_matches_per_partition, limits.pairs_per_event)
        everything = prod(heights.values()) * len(self._plan.disjuncts)
        new = sum(everything // height * released[v].height for v, height in heights.items())
        whole = min(self._at_once.limits.rows_per_batch, limits.bytes_per_batch / self._ceilings.row_bytes)
        return new > most * min(heights.values()) or new > whole

    def mark(self) -> Callable[[], None]:
        """What brings back the state of now, once, when `advance` has failed."""
        buffer = replace(self._buffer, frames=dict(self._buffer.frames), forgotten=dict(self._buffer.forgotten))
        pending, number, finder = self._awaited.pending.copy(), self._next_number, self._finder.mark()
        counts = self._plan.mark_counts()

        def rewind() -> None:
            self._buffer, self._awaited.pending, self._next_number = buffer, pending, number
            finder()
            counts()

        return rewind

    def advance(
        self, released: Mapping[str, pl.DataFrame], watermark: int, *, at_once: bool = False
    ) -> MatchFrame | None:
        """The matches that became true.

        Args:
            released: see `Kernel.advance`.
            watermark: see `Kernel.advance`.
            at_once: no more of them than are to be held together.

        Raises:
            CeilingError: there are more.
        """
        if not len(self._awaited) and not any(frame.height for frame in released.values()):
            self._pass(watermark)
            return None
        return self._looked_through(released, watermark, at_once=at_once)

    def _pass(self, watermark: int) -> None:
        """Forget what nothing later can reach; nothing has come."""
        self._retire(watermark)
        self._forget(watermark)

    def _looked_through(
        self, released: Mapping[str, pl.DataFrame], watermark: int, *, at_once: bool
    ) -> MatchFrame | None:
        """What `advance` gives where there is something to look through."""
        candidates = self._buffer.take_in(self._prepared(released))
        if self._looks_behind:
            self._awaited.pending.next_events.note(released[EVENTS])
        encode_keys(self._plan.keys, candidates)
        probe = IndexProbe(self._plan.keys, self._plan.conditions, candidates)
        refutation = Refutation(probe, self._plan.shortest, self._named)
        new = NewEvents.among(candidates.values(), self._at_once if at_once else self._ceilings)
        complete = self._complete(refutation, released, watermark, new)
        found = self._awaited.settle(refutation, complete, watermark, new, self._buffer)
        self._tally(found, candidates)
        matches = self._reporter.standing(found, candidates)
        reported = self._reporter.report(matches, candidates)
        self._drop(found)
        self._retire(watermark)
        self._forget(watermark)
        return reported

    def _prepared(self, released: Mapping[str, pl.DataFrame]) -> dict[str, pl.DataFrame]:
        """What was released, numbered."""
        frames = dict(released)
        if EVENTS not in released and any(frame.height for frame in released.values()):
            numbers, places = numbered_events(released, self._next_number)
            self._next_number = 1 + max(int(n[-1]) for n in numbers.values() if len(n))
            added = {NUMBER: numbers} if self._windows is None else {NUMBER: numbers, PLACE: places}
            frames = {
                v: frame.hstack([pl.Series(name, of[v]) for name, of in added.items()]) for v, frame in released.items()
            }
        elif EVENTS not in released:
            names = (NUMBER,) if self._windows is None else (NUMBER, PLACE)
            frames = {v: f.hstack([pl.Series(name, [], pl.Int64) for name in names]) for v, f in released.items()}
        return frames

    def _complete(
        self, refutation: Refutation, released: Mapping[str, pl.DataFrame], watermark: int, new: NewEvents
    ) -> MatchTable:
        """The matches whose last event was released, and that no NOT refutes that is decided by then."""
        parts = []
        counts: dict[int, EventCounts] = {}
        for disjunct, rows in self._finder.find(refutation, self._buffer, released.get(EVENTS), watermark, new):
            time = refutation.latest(rows, rows)
            inside = np.ones(len(time), dtype=bool)
            for negation in self._plan.disjuncts[disjunct].order.negations:
                if not negation.before and negation.duration is not None:
                    inside &= refutation.earliest(rows) - negation.duration >= self._within.first
                if negation.timer:
                    inside &= refutation.in_width(negation, rows, self._width)
            every = {v: rows.get(v, np.full(len(time), UNBOUND)) for v in self._bound}
            matches = MatchTable(np.full(len(time), disjunct), every, time)
            matches = matches if inside.all() else matches.at(inside)
            matches = refutation.unrefuted(matches, self._undecided)
            counter = new.runs() if self._awaited.negations else new.matches()
            of = counts.setdefault(disjunct if self._ambiguous else 0, counter)
            of.add(len(matches.time), partial(matches.last_numbers, refutation.probe.candidates))
            parts.append(matches)
        return MatchTable.joined(parts, self._bound)

    def _tally(self, found: MatchTable, candidates: Mapping[str, Candidates]) -> None:
        one = self._bound[0]
        of = queries_of(candidates[one].frame)
        if of is not None:
            self.tally = np.bincount(of[found.rows[one]])

    @property
    def kept(self) -> Mapping[str, pl.DataFrame]:
        """See `JointKernel.kept`."""
        return self._buffer.frames

    def keep(self, frames: Mapping[str, pl.DataFrame], passed: int, found: int) -> None:
        """See `JointKernel.keep`."""
        self._buffer.frames, self._buffer.forgotten, self.passed = dict(frames), {}, passed
        self._reporter.considered += found
        numbers = [int(frame[NUMBER][-1]) for frame in frames.values() if frame.height]
        self._next_number = 1 + max(numbers, default=-1)

    def _drop(self, found: MatchTable) -> None:
        """Drop what will never be reported: these matches of other disjuncts, and what AFTER MATCH forbids."""
        self._awaited.drop_again(found, self._buffer)
        if self._reporter.mode is not None and self._finder.remembers_nothing:
            self._finder.drop(self._buffer, self._reporter.mode.forbidden)
        if self._reporter.skip.grown:
            self._reporter.skip.grown = False
            forbidden = {v: self._forbidden(v) for v in self._bound}
            self._finder.drop(self._buffer, forbidden)
            if self.recurrence.period is not None:
                self._awaited.drop_with(forbidden, self._buffer)

    def _forbidden(self, variable: str) -> Bools:
        """Which of a variable's candidates serve in no later match."""
        kept = self._buffer.frames[variable]
        partition = [kept[dict(columns)[variable]] for columns in self._query.partition_by]
        return self._reporter.skip.forbidden(partition, kept[NUMBER].to_numpy())

    def _retire(self, watermark: int) -> None:
        """Drop what belongs to context windows that have ended, and forget their candidates."""
        ended = () if self._windows is None else self._windows.ended(watermark)
        if not len(ended):
            return
        gone = {v: np.isin(f[WINDOW_COLUMN].to_numpy(), ended) for v, f in self._buffer.frames.items()}
        if not any(mask.any() for mask in gone.values()):
            return
        self._awaited.drop_with(gone, self._buffer)
        self._finder.retire(self._buffer, gone)
        for v, mask in gone.items():
            if self._finder.remembers_nothing and not len(self._awaited):
                self._buffer.frames[v] = self._buffer.frames[v][np.flatnonzero(~mask)]
            else:
                self._buffer.forget(v, int(np.append(mask, False).argmin()))

    def _forget(self, watermark: int) -> None:
        self._finder.forget(self._buffer, watermark, [self._awaited.rows])
        firsts = [int(frame[NUMBER][0]) for frame in self._buffer.frames.values() if frame.height]
        self._awaited.pending.next_events.forget(min(firsts, default=UNBOUNDED))
        self._reporter.skip.forget(min(firsts, default=UNBOUNDED))

    def waiting(self, moment: int) -> HeldRows:
        """What waits in a mode behind a moment, in microseconds; it is watched."""
        return cast("ModeSearch", self._finder).waiting(self._buffer, moment)

    def share(self, events: SharedEvents) -> None:
        """See `Kernel.share`."""
        self._buffer.events = events

    def state(self) -> OperatorState:
        """The candidates that can still take part, partial matches, and matches that wait."""
        tables = {f"kept.{v}": frame for v, frame in self._buffer.frames.items()}
        numbers: dict[str, int | None] = {f"forgotten.{v}": n for v, n in self._buffer.forgotten.items()}
        tables |= {**self._awaited.pending.tables(), **self._finder.tables(), **self._reporter.skip.tables()}
        return OperatorState(tables, {**numbers, "next": self._next_number})

    def load(self, state: OperatorState) -> None:
        """Take the candidates back."""
        variables = [source.variable for source in self._query.sources]
        self._buffer.frames = {v: state.tables[f"kept.{v}"] for v in variables if f"kept.{v}" in state.tables}
        self._buffer.forgotten = {v: state.numbers.get(f"forgotten.{v}") or 0 for v in variables}
        self._awaited.pending.load(state.tables)
        self._finder.load(state.tables)
        self._reporter.skip.load(state.tables)
        self._next_number = state.numbers["next"] or 0
