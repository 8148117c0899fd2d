"""The partial matches of a pattern at a moment, as joins of columns (LANGUAGE-2 §9)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

from ...expressions import Ints, Names
from ...language.nodes import Query
from ..limits import Ceilings, Limits
from ..match import CandidateBuffer, NewEvents, encode_keys, passing
from ..order import NUMBER, UNBOUNDED, Candidates, SharedEvents, numbered_events
from ..output import match_name
from ..query_state import HeldState, held_together
from ..snapshot_codec import OperatorState
from .pattern_part import PatternPart
from .range_join import find_matches

__all__ = ["PartialMatchJoin"]

_ALWAYS = 2**62


class PartialMatchJoin:
    """Keeps the candidates of a watched query, and joins them when its state is asked for; it reports no match.

    Args:
        query: the query.
        parts: what its partial matches may have bound.
        limits: how much the query may take.
    """

    recurrence = None
    held_since = None
    due = None
    names: Names = staticmethod(match_name)
    considered = 0

    def __init__(self, query: Query, parts: Sequence[PatternPart], limits: Limits) -> None:
        self._ceilings, self._parts = Ceilings(query, limits), parts
        self._variables = [source.variable for source in query.sources]
        self._buffer = CandidateBuffer(dict.fromkeys(self._variables, ()))
        self._waits = {v: max((p.wait(v) for p in parts if v in p.variables), default=0) for v in self._variables}
        self._next_number = 0

    @property
    def oldest(self) -> int | None:
        """See `Kernel.oldest`."""
        return self._buffer.oldest

    @property
    def awaited(self) -> Ints:
        """Nothing waits for a very next event."""
        return np.empty(0, dtype=np.int64)

    def advance(self, released: Mapping[str, pl.DataFrame], watermark: int) -> None:
        """Take in what was released, and forget what is in no partial match any more."""
        numbers, _ = numbered_events(released, self._next_number)
        last = [int(of[-1]) for of in numbers.values() if len(of)]
        self._next_number = 1 + max(last, default=self._next_number - 1)
        for variable, frame in released.items():
            self._buffer.add(variable, frame.with_columns(pl.Series(NUMBER, numbers[variable])))
            if self._waits[variable] < UNBOUNDED:
                gone = self._buffer.before(watermark - self._waits[variable], variable)
                self._buffer.forget(variable, gone)

    def held(self, moment: int) -> HeldState:
        """The partial matches at a moment, in microseconds; all is known up to it, and nothing behind it."""
        if not self._buffer.frames:  # nothing has come
            return HeldState()
        found = [of for part in self._parts for of in self._held(part, moment)]
        return held_together({v: self._buffer.frames[v].drop(NUMBER) for v in self._variables}, found)

    def _held(self, part: PatternPart, moment: int) -> Sequence[tuple[Mapping[str, Ints], Ints]]:
        """The partial matches that have bound just these variables, and until when each may go on."""
        rows = {v: self._rows(part, v, moment) for v in part.variables}
        frames = {v: self._buffer.frames[v][of] for v, of in rows.items()}
        candidates = {v: Candidates(frame, frame[NUMBER].to_numpy(), 0) for v, frame in frames.items()}
        encode_keys(part.plan.keys, candidates)
        new = NewEvents.among(candidates.values(), self._ceilings)
        runs, found = new.runs(), []
        for matches in find_matches(part.plan.disjuncts[0], candidates, new.pairs()):
            until = self._until(part, candidates, matches)
            left = np.flatnonzero(until > moment)
            kept = {v: of[left] for v, of in matches.items()}
            one = part.variables[0]
            runs.add(len(left), lambda one=one, kept=kept: candidates[one].number[kept[one]])  # type: ignore[misc]
            found.append(({v: rows[v][of] for v, of in kept.items()}, until[left]))
        return found

    def _rows(self, part: PatternPart, variable: str, moment: int) -> Ints:
        """Which candidates of a variable pass what is asked of them alone, and may wait."""
        frame = self._buffer.frames[variable]
        wait = part.wait(variable)
        first = 0 if wait >= UNBOUNDED else self._buffer.before(moment + 1 - wait, variable)
        own = part.plan.own[variable]
        left = frame[first:]
        return first + (np.flatnonzero(passing(left, own)) if own else np.arange(left.height))

    @staticmethod
    def _until(part: PatternPart, candidates: Mapping[str, Candidates], matches: Mapping[str, Ints]) -> Ints:
        """The last moment at which events of all other variables may come."""
        ends = [candidates[v].time[matches[v]] + width for v, width in part.waits.items()]
        count = len(next(iter(matches.values())))
        latest: Ints = np.min(ends, axis=0) if ends else np.full(count, _ALWAYS)
        return latest

    def share(self, events: SharedEvents) -> None:
        """See `Kernel.share`."""
        self._buffer.events = events

    def state(self) -> OperatorState:
        """The candidates."""
        return OperatorState({f"kept.{v}": of for v, of in self._buffer.frames.items()}, {"next": self._next_number})

    def load(self, state: OperatorState) -> None:
        """Take the candidates back."""
        self._buffer.frames = {v: state.tables[f"kept.{v}"] for v in self._variables if f"kept.{v}" in state.tables}
        self._next_number = state.numbers["next"] or 0
