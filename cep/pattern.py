"""Patterns: matches over several events, skip till any match (LANGUAGE §3, Matches over several events)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import polars as pl

from ..language.columns import Names, plain_name
from ..language.query import AfterMatchKind, Query
from .after_match import Standing, standing_matches
from .candidates import number_events
from .expressions import columns_of
from .frames import Ints, mask_of, timestamps
from .matcher import Candidates, find_matches
from .ordering import binding_columns, settle_ties
from .output import Matches, selected_bindings
from .pattern_plan import match_name, plan_pattern
from .state import State
from .time_bounds import UNBOUNDED

__all__ = ["PatternKernel"]

_NUMBER = "#number"
_FORBIDDEN = "#forbidden"


class PatternKernel:
    """Joins what is released with what can still take part, and forgets what no later event can reach."""

    def __init__(self, query: Query) -> None:
        self._query = query
        self._plan = plan_pattern(query)
        self._kept: dict[str, pl.DataFrame] = {}
        self._keeps_all = query.after_match.kind is AfterMatchKind.KEEP_ALL
        self._next_number = 0
        self._bindings = selected_bindings(query)
        reported = [*(item.value for item in query.items), *query.group_by]
        used = [node for e in reported for node in columns_of(e)]
        self._reported = {
            source.variable: {plain_name(node) for node in used if node.variable == source.variable}
            for source in query.sources
        }

    @property
    def names(self) -> Names:
        """Columns are named by variable and column."""
        return match_name

    @property
    def waiting(self) -> bool:
        """Every match is reported with its last event."""
        return False

    @property
    def held_since(self) -> None:
        """Nothing is held back."""
        return None

    def advance(self, released: Mapping[str, pl.DataFrame], watermark: int) -> Matches | None:
        """The matches whose last event was released."""
        if not any(frame.height for frame in released.values()):
            self._forget(watermark)
            return None
        numbers = number_events(released, self._next_number)
        self._next_number = 1 + max(int(n[-1]) for n in numbers.values() if len(n))
        candidates = {v: self._join(v, frame, numbers[v]) for v, frame in released.items()}
        rows = self._allowed(candidates, find_matches(self._plan, candidates))
        order = self._output_order(candidates, rows) if len(rows[self._plan.variables[0]]) else np.empty(0, np.int64)
        standing = None if self._keeps_all or not len(order) else self._standing(candidates, rows, order)
        self._kept = {v: self._keep(v, c, standing) for v, c in candidates.items()}
        self._forget(watermark)
        if standing is not None:
            order = order[standing.places]
        return (
            self._matches(candidates, {v: of_variable[order] for v, of_variable in rows.items()})
            if len(order)
            else None
        )

    def _allowed(self, candidates: Mapping[str, Candidates], rows: dict[str, Ints]) -> dict[str, Ints]:
        """Matches without an event that an earlier match forbids."""
        if self._keeps_all:
            return rows
        forbidden = np.zeros(len(rows[self._plan.variables[0]]), dtype=bool)
        for variable in self._plan.counts:
            forbidden |= candidates[variable].frame[_FORBIDDEN].to_numpy()[rows[variable]]
        return {v: of_variable[~forbidden] for v, of_variable in rows.items()}

    def _standing(self, candidates: Mapping[str, Candidates], rows: Mapping[str, Ints], order: Ints) -> Standing:
        after = self._query.after_match
        numbers = np.stack([candidates[v].number[rows[v][order]] for v in self._plan.variables])
        partition = [
            candidates[v].frame[column].gather(rows[v][order])
            for v, column in (columns[0] for columns in self._query.partition_by)
        ]
        skip_to = None if after.variable is None else numbers[self._plan.variables.index(after.variable)]
        return standing_matches(after, partition, numbers, skip_to)

    def _keep(self, variable: str, candidates: Candidates, standing: Standing | None) -> pl.DataFrame:
        """The candidates with their numbers, without those that no later match may hold.

        Where candidates are counted (`n events`) these count too: they are marked.
        """
        kept = candidates.frame.with_columns(pl.Series(_NUMBER, candidates.number))
        if standing is None:
            return kept
        columns = [dict(columns)[variable] for columns in self._query.partition_by]
        forbidden = pl.Series(standing.forbidden([kept[column] for column in columns], candidates.number))
        if variable in self._plan.counts:
            return kept.with_columns(pl.col(_FORBIDDEN) | forbidden)
        return kept.filter(~forbidden)

    def _join(self, variable: str, released: pl.DataFrame, number: Ints) -> Candidates:
        """What was kept of a variable, and what was released of it and can take part."""
        own = self._plan.own[variable]
        if own:
            mask = mask_of(released, own)
            released, number = released.filter(pl.Series(mask)), number[mask]
        if not self._keeps_all and variable in self._plan.counts:
            released = released.with_columns(pl.lit(False).alias(_FORBIDDEN))  # noqa: FBT003 - a value
        kept = self._kept.get(variable)
        if kept is None or not kept.height:
            return Candidates(released, number, 0)
        frame = pl.concat([kept.drop(_NUMBER), released])
        return Candidates(frame, np.concatenate([kept[_NUMBER].to_numpy(), number]), kept.height)

    def _forget(self, watermark: int) -> None:
        """Keep what an event at the watermark or later can still reach."""
        for variable, kept in self._kept.items():
            reach = [of[last, variable] for last, of in self._plan.bounds.items() if last != variable]
            keep = slice(kept.height, None)
            if reach and max(reach) >= UNBOUNDED:
                keep = slice(0, None)
            elif reach:
                keep = slice(int(np.searchsorted(timestamps(kept["_time"]), watermark - max(reach), "left")), None)
            counted = kept.height - self._plan.counts.get(variable, kept.height)
            self._kept[variable] = kept[max(keep.start, counted, 0) :]

    def _matches(self, candidates: Mapping[str, Candidates], rows: Mapping[str, Ints]) -> Matches:
        frame = pl.DataFrame(
            [
                candidates[v].frame[column].gather(of_variable).alias(f"{v}.{column}")
                for v, of_variable in rows.items()
                for column in candidates[v].frame.columns
                if column in ("_time", "_id") or column in self._reported[v]
            ]
        )
        events = {v: frame[f"{v}._id"] for v in rows}
        times = np.max([candidates[v].time[of_variable] for v, of_variable in rows.items()], axis=0)
        return Matches(frame, times, events)

    def _output_order(self, candidates: Mapping[str, Candidates], rows: Mapping[str, Ints]) -> Ints:
        """By last event, first event, the events in time order, and selected semantic bindings."""
        numbers = np.stack([candidates[v].number[rows[v]] for v in self._plan.variables])
        first, last = numbers.min(axis=0), numbers.max(axis=0)
        earliest = int(first.min())
        key = (last - earliest) * (int(last.max()) - earliest + 1) + first - earliest
        order = np.argsort(key, kind="stable")

        def breakers(tied: Ints) -> list[pl.Series]:
            chosen = {v: candidates[v].frame[rows[v][tied]] for v in self._plan.variables}
            by_time = [pl.Series(of_place) for of_place in np.sort(numbers[:, tied], axis=0)]
            bindings = [column for b in self._bindings for column in binding_columns(chosen[b.variable], [b])]
            return [*by_time, *bindings, *(pl.Series(rows[v][tied]) for v in rows)]

        return settle_ties(order, key, breakers)

    def state(self) -> State:
        """The candidates that can still take part."""
        return State({f"kept.{v}": frame for v, frame in self._kept.items()}, {"next": self._next_number})

    def load(self, state: State) -> None:
        """Take the candidates back."""
        self._kept = {v: state.tables[f"kept.{v}"] for v in self._plan.variables if f"kept.{v}" in state.tables}
        self._next_number = state.numbers["next"] or 0
