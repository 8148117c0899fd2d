"""The rows of a query's shards in output order (docs/semantics.md 3.16).

Matches of different shards share no event, so of rows of one `_time` their last events decide: those are told by their
time stamps, which rows carry hidden, and then by their identities.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import polars as pl
import pyarrow as pa

from ...expressions import frame_of
from ...language.nodes import Column, Item, Query, ValueType, negated_variables

__all__ = ["merged_rows", "with_moments"]

_MOMENT = "#moment."
_ORDER = ("_time", "#last", "#id")


def with_moments(query: Query) -> Query:
    """The query, whose rows say hidden when their events happened."""
    absent = negated_variables(query.pattern)
    bound = [source.variable for source in query.sources if source.variable not in absent]
    moments = [(variable, Column(variable, "_time", ValueType.DATETIME, query.span)) for variable in bound]
    items = (Item(f"{_MOMENT}{v}", column, None, column.type, query.span, hidden=True) for v, column in moments)
    return replace(query, items=(*query.items, *items))


def merged_rows(tables: Sequence[pa.Table]) -> pa.Table:
    """The rows of the shards of a query `with_moments`, each in output order, as those of one."""
    some = [table for table in tables if table.num_rows] or list(tables[:1])
    rows = pa.concat_tables(some)
    if len(some) == 1:
        return rows
    names = [name for name in rows.column_names if name.startswith(_MOMENT)]
    frame = frame_of(rows, ["_time", *names])
    ids = pl.DataFrame({name: _only(rows["_events"], name.removeprefix(_MOMENT)) for name in names})
    last = frame.select(pl.max_horizontal(names)).to_series()
    at_last = [pl.when(frame[name] == last).then(ids[name]) for name in names]
    order = pl.DataFrame(
        [frame["_time"], last.alias("#last"), ids.select(pl.max_horizontal(at_last)).to_series().alias("#id")]
    )
    places = order.select(pl.arg_sort_by(list(_ORDER), maintain_order=True)).to_series()
    return rows.take(places.to_arrow())


def _only(events: pa.ChunkedArray, variable: str) -> pl.Series:
    """The identity of a variable's event in each row; null: it is bound to none."""
    lists = pl.Series(events).struct.field(variable)
    return lists.list.first()
