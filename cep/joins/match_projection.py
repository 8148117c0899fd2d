"""From matches as rows of candidates to output order and to the columns that items are computed from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

from ...expressions import (
    Bools,
    Ints,
    accumulator_of,
    column_expression,
    gives_several,
    mask_of,
    of_single_events,
    plain_name,
)
from ...language.nodes import Aggregate, Expression, Query, aggregates_of, columns_of
from ..order import binding_columns, settle_ties
from ..output import Matches, selected_bindings
from .match_finder import Candidates
from .match_table import Found, gathered
from .pattern_plan import match_name

__all__ = ["Reporting"]


class Reporting:
    """How the matches of a query become rows.

    Args:
        query: the query.
        optional: whether a match may leave variables unbound.
    """

    def __init__(self, query: Query, *, optional: bool) -> None:
        self._bindings = selected_bindings(query)
        self._optional = optional
        self._reported = [*(item.value for item in query.items), *query.group_by]

    def order(self, found: Found, candidates: Mapping[str, Candidates]) -> Ints:
        """By `_time`, last event, first event, length, the events in time order, and selected semantic bindings."""
        numbers = found.numbers(candidates)
        last = numbers.max(axis=0)
        absent = int(last.max(initial=0)) + 1
        present = np.where(numbers < 0, absent, numbers) if self._optional else numbers
        first = present.min(axis=0)
        order, key = _by_moment(found.due, last, first) if self._optional else _by_number(last, first)

        def breakers(tied: Ints) -> list[pl.Series]:
            shorter = [pl.Series((numbers[:, tied] < 0).sum(axis=0))] if self._optional else []
            by_time = [pl.Series(of_place) for of_place in np.sort(present[:, tied], axis=0)]
            bindings = []
            for b in self._bindings:
                column = gathered(candidates[b.variable].frame[plain_name(b)], found.rows[b.variable][tied])
                bindings += binding_columns(column.alias(plain_name(b)).to_frame(), [b])
            return [*shorter, *by_time, *bindings, *(pl.Series(rows[tied]) for rows in found.rows.values())]

        return settle_ties(order, key, breakers)

    def matches(self, found: Found, candidates: Mapping[str, Candidates]) -> Matches:
        """The columns of matches, in their order."""
        frame = _columns(found, candidates, self._reported)
        return Matches(frame, found.due, {v: frame[f"{v}._id"] for v in found.rows})

    @staticmethod
    def holding(found: Found, candidates: Mapping[str, Candidates], conditions: Sequence[Expression]) -> Bools:
        """Of which matches all conditions are true; what a match does not bind is unbound."""
        frame = _columns(found, candidates, conditions)
        return mask_of(frame, [column_expression(e, match_name) for e in conditions])


def _columns(found: Found, candidates: Mapping[str, Candidates], used: Sequence[Expression]) -> pl.DataFrame:
    """`_id` of every variable's event, the columns that expressions mention, and their aggregates."""
    mentioned = {(node.variable, plain_name(node)) for e in used for node in columns_of(e)}
    frame = pl.DataFrame(
        [
            gathered(candidates[v].frame[column], rows).alias(f"{v}.{column}")
            for v, rows in found.rows.items()
            for column in candidates[v].frame.columns
            if column == "_id" or (v, column) in mentioned
        ]
    )
    aggregates = {match_name(a): a for e in used for a in aggregates_of(e)}
    return frame.with_columns(_run_of_one(a).alias(name) for name, a in aggregates.items()) if aggregates else frame


def _run_of_one(aggregate: Aggregate) -> pl.Expr:
    """What an aggregate is over a run of one event, or over none."""
    bound = pl.col(f"{aggregate.variable}._id").is_not_null()
    if gives_several(aggregate) and aggregate.argument is not None:
        value = column_expression(aggregate.argument, match_name)
        return pl.when(bound).then(pl.concat_list(value).list.drop_nulls()).otherwise(pl.lit([]))
    of_one = column_expression(of_single_events(aggregate), match_name)
    return pl.when(bound).then(of_one).otherwise(accumulator_of(aggregate).value(None))


def _by_number(last: Ints, first: Ints) -> tuple[Ints, Ints]:
    """The order by the last event and then the first, and a key that is equal where both are."""
    earliest = int(first.min(initial=0)) if len(first) else 0
    key = (last - earliest) * (int(last.max(initial=0)) - earliest + 1) + first - earliest
    return np.argsort(key, kind="stable"), key


def _by_moment(due: Ints, last: Ints, first: Ints) -> tuple[Ints, Ints]:
    order = np.lexsort((first, last, due))
    keys = np.stack([due[order], last[order], first[order]])
    key = np.empty_like(order)
    key[order] = np.cumsum(np.any(np.diff(keys, axis=1, prepend=keys[:, :1]) != 0, axis=0))
    return order, key
