"""The rows of a query's shards in output order (docs/semantics.md 3.16).

Matches of different shards have different last events, so of rows of one `_time` these decide: they are told by their
time stamps, which rows carry hidden, and then by their identities. Where a match may still grow in one shard, the rows
of the others that come behind it wait.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from itertools import pairwise

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

from ...expressions import Ints, frame_of, timestamps
from ...language.nodes import Aggregate, Column, Item, Query, ValueType, negated_variables, quantified_variables

__all__ = ["handed_over", "merged_rows", "with_moments"]

_MOMENT = "#moment."
_LONG = 1_000
"""Rows that are copied as fast as one slice is made of them."""
_ORDER = ("_time", "#last", "#id")


def with_moments(query: Query) -> Query:
    """The query, whose rows say hidden when their events happened; of repeated ones, the last."""
    absent = negated_variables(query.pattern)
    repeated = quantified_variables(query.pattern)
    bound = [source.variable for source in query.sources if source.variable not in absent]
    moments = [(variable, _moment(variable, query, several=bool(repeated.get(variable)))) for variable in bound]
    items = (Item(f"{_MOMENT}{v}", value, None, value.type, query.span, hidden=True) for v, value in moments)
    return replace(query, items=(*query.items, *items))


def _moment(variable: str, query: Query, *, several: bool) -> Column | Aggregate:
    column = Column(variable, "_time", ValueType.DATETIME, query.span)
    return Aggregate("MAX", variable, column, column.type, query.span) if several else column


def handed_over(rows: pa.Table, before: datetime) -> tuple[pa.Table, pa.Table]:
    """Rows in output order in two: those before a moment, below which no shard has one to come, and the others."""
    count = pc.sum(pc.less(rows["_time"], pa.scalar(before, rows["_time"].type))).as_py() or 0
    return rows.slice(0, count), rows.slice(count)


def merged_rows(tables: Sequence[pa.Table]) -> pa.Table:
    """The rows of the shards of a query `with_moments`, each in output order, as those of one.

    What one shard has given before stands before what it has given since.
    """
    some = [table for table in tables if table.num_rows] or list(tables[:1])
    rows = pa.concat_tables(some)
    if len(some) == 1:
        return rows
    time = timestamps(frame_of(rows, ["_time"])["_time"])
    order = np.argsort(time, kind="stable")
    tied = np.zeros(len(time), dtype=bool)
    tied[1:] = time[order[1:]] == time[order[:-1]]
    tied[:-1] |= tied[1:]
    places = np.flatnonzero(tied)
    if len(places):
        order[places] = order[places][_by_last_event(_taken(rows, order[places]))]
    return _taken(rows, order)


def _taken(rows: pa.Table, order: Ints) -> pa.Table:
    """Rows in an order; where many lie side by side anyway, nothing is copied."""
    ends = [*(np.flatnonzero(np.diff(order) != 1) + 1).tolist(), len(order)]
    if len(ends) * _LONG > len(order):
        return rows.take(pa.array(order))
    return pa.concat_tables([rows.slice(int(order[start]), end - start) for start, end in pairwise([0, *ends])])


def _by_last_event(rows: pa.Table) -> Ints:
    """The order of rows by time, then by their last events; otherwise as they are."""
    names = [name for name in rows.column_names if name.startswith(_MOMENT)]
    frame = frame_of(rows, ["_time", *names])
    ids = pl.DataFrame({name: _only(rows["_events"], name.removeprefix(_MOMENT)) for name in names})
    last = frame.select(pl.max_horizontal(names)).to_series()
    at_last = [pl.when(frame[name] == last).then(ids[name]) for name in names]
    order = pl.DataFrame(
        [frame["_time"], last.alias("#last"), ids.select(pl.max_horizontal(at_last)).to_series().alias("#id")]
    )
    return order.select(pl.arg_sort_by(list(_ORDER), maintain_order=True)).to_series().to_numpy()


def _only(events: pa.ChunkedArray, variable: str) -> pl.Series:
    """The identity of a variable's event in each row, of repeated ones of the last; null: it is bound to none."""
    lists = pl.Series(events).struct.field(variable)
    return lists.list.last()
