"""From matches as rows of candidates to output order and to the columns that items are computed from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from ...expressions import (
    Bools,
    Ints,
    accumulator_of,
    aggregate_ranges,
    aggregated_values,
    column_expression,
    mask_of,
    plain_name,
)
from ...language.nodes import (
    Aggregate,
    Binding,
    Column,
    Expression,
    Query,
    aggregates_of,
    bindings_of,
    columns_of,
    ends_with_timer,
    structural_key,
)
from ..order import Candidates, binding_columns, settle_ties
from ..partitions import queries_of
from .branch_order import branch_orders
from .match_table import UNBOUND, MatchTable, gathered, list_column
from .row_output import MatchFrame, instant_text, selected_bindings

__all__ = ["MatchProjection", "match_name"]


def match_name(node: Column | Binding | Aggregate) -> str:
    """The column of a node in a frame of matches: `e1.flowrate`, `e1.?room`; of an aggregate what it says."""
    if isinstance(node, Aggregate):
        return str(structural_key(node))
    return f"{node.variable}.{plain_name(node)}"


class MatchProjection:
    """How the matches of a query become rows: sorted, once each, judged as a whole, projected to columns.

    Args:
        query: the query.
        partial: whether a match may leave variables unbound, or become true after its last event.
        conditions: what is asked of complete matches.
    """

    def __init__(self, query: Query, *, partial: bool, conditions: Sequence[Expression] = ()) -> None:
        self._bindings = selected_bindings(query)
        of_groups = [binding for e in query.group_by for binding in bindings_of(e)]
        self._telling = tuple(dict.fromkeys([*self._bindings, *of_groups]))
        self._branches = branch_orders(query.pattern)
        self._partial = partial
        self._reported = _Used.of([*(item.value for item in query.items), *query.group_by])
        self._judged = _Used.of(conditions)
        self._timed = ends_with_timer(query.pattern)
        self._conditions = [column_expression(e, match_name) for e in conditions]

    def sorted(self, matches: MatchTable, candidates: Mapping[str, Candidates], *, once: bool) -> MatchTable:
        """By `_time`, last event, first event, length, the events in time order, the sides of ORs, selected bindings.

        Args:
            matches: in any order.
            candidates: what they bind.
            once: of matches of the same events, selected bindings and groups only the first is left.
        """
        ordered = {v: of_variable.by_place() for v, of_variable in candidates.items()}
        firsts, lasts = matches.numbers(ordered)
        last = lasts.max(axis=0)
        absent = int(last.max(initial=0)) + 1
        present = np.where(firsts < 0, absent, firsts) if self._partial else firsts
        first = present.min(axis=0)
        order, key = _by_moment(matches.time, last, first) if self._partial else _by_number(last, first)

        def breakers(tied: Ints) -> list[pl.Series]:
            some = matches.at(tied)
            sides = [branches.sides(some, ordered) for branches in self._branches]
            bindings = self._binding_columns(matches, candidates, tied, self._bindings)
            if matches.offsets:
                events = [pl.Series(-some.lengths()), some.events(ordered)]
                return [*events, *sides, *bindings, *_bound_events(some, ordered)]
            shorter = [pl.Series((firsts[:, tied] < 0).sum(axis=0))] if self._partial else []
            by_time = [pl.Series(of_place) for of_place in np.sort(present[:, tied], axis=0)]
            return [*shorter, *by_time, *sides, *bindings, *(pl.Series(rows) for rows in some.rows.values())]

        in_order = matches.at(settle_ties(order, key, breakers))
        if once and len(np.unique(last * (absent + 1) + first)) < len(last):
            in_order = in_order.at(self._first_of_each(in_order, candidates))
        return in_order

    def _first_of_each(self, matches: MatchTable, candidates: Mapping[str, Candidates]) -> Bools:
        """Which matches are the first of their events and the semantic bindings that tell rows apart."""
        bindings = self._binding_columns(matches, candidates, np.arange(len(matches.time)), self._telling)
        times = [pl.Series(matches.time)] if self._timed else []
        identity = [*bindings, *_bound_events(matches, candidates), *times]
        frame = pl.DataFrame([column.alias(str(i)) for i, column in enumerate(identity)])
        return frame.select(pl.struct(pl.all()).is_first_distinct()).to_series().to_numpy()

    def _binding_columns(
        self, matches: MatchTable, candidates: Mapping[str, Candidates], places: Ints, bindings: Sequence[Binding]
    ) -> list[pl.Series]:
        found = []
        for b in bindings:
            column = gathered(candidates[b.variable].frame[plain_name(b)], _single(matches, b.variable)[places])
            found += binding_columns(column.alias(plain_name(b)).to_frame(), [b])
        return found

    def project(self, matches: MatchTable, candidates: Mapping[str, Candidates]) -> MatchFrame:
        """The columns of matches, in their order."""
        events = {v: _ids(v, matches, candidates[v].frame["_id"]) for v in matches.rows}
        keys = (instant_text(matches.time),) if self._timed else ()
        frame = self._reported.frame(matches, candidates)
        one, rows = next(iter(matches.rows.items()))
        of = queries_of(candidates[one].frame)
        queries = None if of is None else of[rows]  # all that are like another bind every variable
        return MatchFrame(frame, matches.time, events, keys=keys, windows=matches.windows, queries=queries)

    def holding(self, matches: MatchTable, candidates: Mapping[str, Candidates]) -> MatchTable:
        """The matches of which all conditions are true; what a match does not bind is unbound."""
        if not self._conditions or not len(matches.time):
            return matches
        return matches.at(mask_of(self._judged.frame(matches, candidates), self._conditions))


@dataclass(frozen=True, slots=True)
class _Used:
    """What expressions mention, by the names of columns: outside aggregates, and aggregates."""

    columns: Mapping[str, Column | Binding]
    aggregates: Mapping[str, Aggregate]

    @classmethod
    def of(cls, expressions: Sequence[Expression]) -> _Used:
        aggregates = [a for e in expressions for a in aggregates_of(e)]
        outside = [node for e in expressions for node in columns_of(e)]
        for inside in (node for a in aggregates for node in columns_of(a)):
            outside.remove(inside)
        return cls({match_name(node): node for node in outside}, {match_name(a): a for a in aggregates})

    def frame(self, matches: MatchTable, candidates: Mapping[str, Candidates]) -> pl.DataFrame:
        columns = [pl.Series("#", np.zeros(len(matches.time), dtype=np.int8))]
        for name, node in self.columns.items():
            column = candidates[node.variable].frame[plain_name(node)]
            columns.append(gathered(column, _single(matches, node.variable)).alias(name))
        for name, a in self.aggregates.items():
            columns.append(_aggregate(a, matches, candidates[a.variable].frame).alias(name))
        return pl.DataFrame(columns)


def _single(matches: MatchTable, variable: str) -> Ints:
    """The row of each match's only event; `UNBOUND` where it has none, or several."""
    rows, offsets = matches.rows[variable], matches.offsets.get(variable)
    if offsets is None:
        return rows
    one = np.diff(offsets) == 1
    single = np.full(len(one), UNBOUND)
    single[one] = rows[offsets[:-1][one]]
    return single


def _ids(variable: str, matches: MatchTable, ids: pl.Series) -> pl.Series:
    """The id of each match's event, or the list of the ids of its repetitions."""
    rows, offsets = matches.rows[variable], matches.offsets.get(variable)
    if offsets is None:
        return gathered(ids, rows)
    return list_column(ids[rows], offsets)


def _bound_events(matches: MatchTable, candidates: Mapping[str, Candidates]) -> list[pl.Series]:
    """By variable, the number of each match's event, `UNBOUND` where it has none; the list of its repetitions'."""
    return [
        matches.lists(v, candidates[v].number)
        if v in matches.offsets
        else pl.Series(np.append(candidates[v].number, UNBOUND)[rows])
        for v, rows in matches.rows.items()
    ]


def _aggregate(e: Aggregate, matches: MatchTable, frame: pl.DataFrame) -> pl.Series:
    """An aggregate over the repetitions of each match; one event is a repetition of one."""
    rows, offsets = matches.ranges(e.variable)
    some = np.flatnonzero(offsets[1:] > offsets[:-1])
    found = aggregate_ranges(e, aggregated_values(e, frame)[rows], offsets[:-1][some], offsets[1:][some])
    if len(some) == len(matches.time):
        return found
    place = np.full(len(matches.time), UNBOUND)
    place[some] = np.arange(len(some))
    whole = gathered(found, place)
    of_none = accumulator_of(e).value(None)
    return whole if of_none is None else whole.fill_null(of_none)


def _by_number(last: Ints, first: Ints) -> tuple[Ints, Ints]:
    """The order by the last event and then the first, and a key that is equal where both are."""
    earliest = int(first.min(initial=0)) if len(first) else 0
    key = (last - earliest) * (int(last.max(initial=0)) - earliest + 1) + first - earliest
    return np.argsort(key, kind="stable"), key


def _by_moment(time: Ints, last: Ints, first: Ints) -> tuple[Ints, Ints]:
    order = np.lexsort((first, last, time))
    keys = np.stack([time[order], last[order], first[order]])
    key = np.empty_like(order)
    key[order] = np.cumsum(np.any(np.diff(keys, axis=1, prepend=keys[:, :1]) != 0, axis=0))
    return order, key
