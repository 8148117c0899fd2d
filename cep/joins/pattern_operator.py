"""Patterns that repeat nothing: matches over several events, as joins of columns (docs/semantics.md 3.4)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import polars as pl

from ...expressions import Bools, Names
from ...language.nodes import AfterMatchKind, Query
from ..match import Standing, standing_matches
from ..order import EVENTS, NUMBER, UNBOUNDED, Interval, number_events
from ..output import Matches
from ..snapshot_codec import State
from .candidate_buffer import Memory
from .index_probe import Probe
from .match_finder import Candidates, encode_keys
from .match_projection import Reporting
from .match_search import Finder, build_finder, named_variables
from .match_table import UNBOUND, Found, gathered
from .negation_columnar import Refutation
from .pattern_plan import match_name, plan_pattern
from .pending_negation_columnar import NEXT, Verdict, later_absences, note_following

__all__ = ["PatternKernel"]

_FORBIDDEN = "#forbidden"


class PatternKernel:
    """Joins what is released with what can still take part, and forgets what no later event can reach.

    Args:
        query: a query that repeats nothing.
        within: the moments of WITHIN.
    """

    def __init__(self, query: Query, within: Interval | None = None) -> None:
        self._query = query
        self._plan = plan = plan_pattern(query)
        self._bound = [s.variable for s in query.sources if any(s.variable in way.variables for way in plan.ways)]
        self._inside = named_variables(query)
        self._later = later_absences(plan)
        self._strict = {v for of_way in self._later.values() for a in of_way if a.strict for v in a.before}
        self._within = within or Interval()
        self._memory = Memory(plan.own)
        self._finder: Finder = build_finder(plan, self._inside)
        self._awaiting = Found.joined([], self._bound)
        self._next_number = 0
        self._keeps_all = query.after_match.kind is AfterMatchKind.KEEP_ALL
        # Where rows are remembered, or counted, forbidden candidates are marked and not removed.
        keeps_rows = self._finder.keeps_rows or bool(self._later)
        self._marked = set() if self._keeps_all else {v for v in self._bound if keeps_rows or v in plan.ways[0].counts}
        optional = len(plan.ways) > 1 or bool(self._later)
        self._reporting = Reporting(query, optional=optional)
        self._alike = len({way.variables for way in plan.ways}) < len(plan.ways)

    @property
    def names(self) -> Names:
        """Columns are named by variable and column."""
        return match_name

    @property
    def due(self) -> int | None:
        """When the first NOT has ended that a match waits for: its interval includes its end."""
        return int(self._awaiting.due.min()) + 1 if len(self._awaiting.due) else None

    @property
    def held_since(self) -> None:
        """A match that waits becomes true at the watermark or later."""
        return None

    def advance(self, released: Mapping[str, pl.DataFrame], watermark: int) -> Matches | None:
        """The matches that became true."""
        if not len(self._awaiting.due) and not any(frame.height for frame in released.values()):
            self._finder.forget(self._memory, watermark, [])
            return None
        candidates = self._memory.take_in(self._prepared(released))
        if self._strict:
            candidates = self._following(candidates, released[EVENTS])
        encode_keys(self._plan.keys, candidates)
        probe = Probe(self._plan.keys, self._plan.conditions, candidates)
        verdict = Verdict(self._plan, self._later, self._inside, self._within, Refutation(probe, self._plan.shortest))
        found = self._true_now(verdict, self._complete(verdict, released, watermark), watermark)
        return self._report(self._judged(candidates, found), candidates, watermark)

    def _prepared(self, released: Mapping[str, pl.DataFrame]) -> dict[str, pl.DataFrame]:
        """What was released, numbered, with the columns that the kernel notes things in."""
        frames = dict(released)
        if EVENTS not in released and any(frame.height for frame in released.values()):
            numbers = number_events(released, self._next_number)
            self._next_number = 1 + max(int(n[-1]) for n in numbers.values() if len(n))
            frames = {v: frame.hstack([pl.Series(NUMBER, numbers[v])]) for v, frame in released.items()}
        elif EVENTS not in released:
            frames = {v: frame.hstack([pl.Series(NUMBER, [], pl.Int64)]) for v, frame in released.items()}
        for v in self._marked:
            frames[v] = frames[v].with_columns(pl.lit(False).alias(_FORBIDDEN))  # noqa: FBT003 - a value
        for v in self._strict:
            frames[v] = frames[v].with_columns(pl.lit(None, pl.Datetime("us", "UTC")).alias(NEXT))
        return frames

    def _following(self, candidates: dict[str, Candidates], events: pl.DataFrame) -> dict[str, Candidates]:
        for v in self._strict:
            frame = note_following(candidates[v].frame, events)
            self._memory.frames[v] = frame
            candidates[v] = Candidates(frame, candidates[v].number, candidates[v].first_new)
        return candidates

    def _complete(self, verdict: Verdict, released: Mapping[str, pl.DataFrame], watermark: int) -> Found:
        """The matches whose last event was released, and that no NOT refutes that is decided by then."""
        parts = []
        for way, rows in self._finder.find(verdict.refutation, self._memory, released.get(EVENTS), watermark):
            size = len(next(iter(rows.values())))
            every = {v: rows.get(v, np.full(size, UNBOUND)) for v in self._bound}
            parts.append(Found(np.full(size, way), every, np.empty(size, dtype=np.int64)))
        found = Found.joined(parts, self._bound)
        return verdict.standing(found, self._finder.undecided) if self._finder.undecided else found

    def _true_now(self, verdict: Verdict, found: Found, watermark: int) -> Found:
        """What became true, of new matches and of those that were waiting; the others go on waiting."""
        if not self._later:
            return verdict.due(found)
        old = self._awaiting
        waiting = Found(old.way, self._memory.current(old.rows), old.due)
        every = verdict.due(Found.joined([waiting, found], self._bound))
        ready = every.due < min(watermark, UNBOUNDED)  # the end of time is no event that follows
        followed = (every.due < UNBOUNDED) | (watermark <= self._within.last)  # or may be
        rest = every.at(~ready & followed)
        self._awaiting = Found(rest.way, self._memory.fixed(rest.rows), rest.due)
        return verdict.standing(every.at(ready), self._later)

    def _judged(self, candidates: Mapping[str, Candidates], found: Found) -> Found:
        """Without what an earlier match forbids, and with what is asked of complete matches."""
        if not len(found.due):
            return found
        for v in self._marked:
            forbidden = candidates[v].frame[_FORBIDDEN]
            found = found.at(~gathered(forbidden, found.rows[v]).fill_null(value=False).to_numpy())
        if self._plan.verdicts:
            found = found.at(self._reporting.holding(found, candidates, self._plan.verdicts))
        return found

    def _report(self, found: Found, candidates: Mapping[str, Candidates], watermark: int) -> Matches | None:
        standing = None
        if len(found.due):
            found = found.at(self._reporting.order(found, candidates))
            if self._alike:
                found = self._once(found)
            if not self._keeps_all:
                standing = self._standing(candidates, found)
                found = found.at(standing.places)
        matches = self._reporting.matches(found, candidates) if len(found.due) else None
        if standing is not None:
            self._forbid(standing)
        self._finder.forget(self._memory, watermark, [self._awaiting.rows])
        return matches

    def _once(self, found: Found) -> Found:
        """A match is reported once, whichever ways it took; those that wait for another way's NOT are dropped."""
        rows = pl.DataFrame(dict(found.rows))
        waiting = pl.DataFrame(self._memory.current(self._awaiting.rows))
        again = waiting.join(rows, on=rows.columns, how="semi", maintain_order="left") if waiting.height else waiting
        if again.height:
            index = waiting.with_row_index("#").join(rows, on=rows.columns, how="anti", maintain_order="left")["#"]
            self._awaiting = self._awaiting.at(index.to_numpy().astype(np.int64))
        return found.at(
            rows.is_unique().to_numpy() | rows.select(pl.struct(pl.all()).is_first_distinct()).to_series().to_numpy()
        )

    def _standing(self, candidates: Mapping[str, Candidates], found: Found) -> Standing:
        after = self._query.after_match
        numbers = found.numbers(candidates)
        partition = []
        for columns in self._query.partition_by:
            of_variables = [
                gathered(candidates[v].frame[column], found.rows[v]).alias(v)
                for v, column in columns
                if v in found.rows
            ]
            partition.append(pl.DataFrame(of_variables).select(pl.coalesce(pl.all())).to_series())
        skip_to = None if after.variable is None else numbers[self._bound.index(after.variable)]
        return standing_matches(after, partition, numbers, skip_to)

    def _forbid(self, standing: Standing) -> None:
        """Mark or remove the candidates that no later match may hold."""
        for v in self._bound:
            kept = self._memory.frames[v]
            columns = [dict(columns)[v] for columns in self._query.partition_by]
            forbidden = pl.Series(self._forbidden(standing, kept, columns))
            if v in self._marked:
                self._memory.frames[v] = kept.with_columns(pl.col(_FORBIDDEN) | forbidden)
            else:
                self._memory.frames[v] = kept.filter(~forbidden)
        if self._marked:
            self._finder.drop(self._memory, {v: self._memory.frames[v][_FORBIDDEN] for v in self._marked})

    @staticmethod
    def _forbidden(standing: Standing, kept: pl.DataFrame, columns: list[str]) -> Bools:
        return standing.forbidden([kept[column] for column in columns], kept[NUMBER].to_numpy())

    def state(self) -> State:
        """The candidates that can still take part, runs and matches that wait."""
        tables = {f"kept.{v}": frame for v, frame in self._memory.frames.items()}
        numbers: dict[str, int | None] = {f"forgotten.{v}": n for v, n in self._memory.forgotten.items()}
        awaiting = pl.DataFrame({"#way": self._awaiting.way, "#due": self._awaiting.due, **self._awaiting.rows})
        tables |= {"awaiting": awaiting, **self._finder.tables()}
        return State(tables, {**numbers, "next": self._next_number})

    def load(self, state: State) -> None:
        """Take the candidates back."""
        variables = [source.variable for source in self._query.sources]
        self._memory.frames = {v: state.tables[f"kept.{v}"] for v in variables if f"kept.{v}" in state.tables}
        self._memory.forgotten = {v: state.numbers.get(f"forgotten.{v}") or 0 for v in variables}
        awaiting = state.tables["awaiting"]
        rows = {v: awaiting[v].to_numpy() for v in self._bound}
        self._awaiting = Found(awaiting["#way"].to_numpy(), rows, awaiting["#due"].to_numpy())
        self._finder.load(state.tables)
        self._next_number = state.numbers["next"] or 0
