"""A query that is asked once, over the tables of states: its answer (LANGUAGE-2 §9)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import polars as pl
import pyarrow as pa

from ...cep import END_OF_TIME
from ...cep.output import hex_digests, seeds_of
from ...expressions import column_expression, mask_of, plain_name
from ...language.nodes import Aggregate, BatchWindow, Binding, Column, Kind, Query, aggregates_of
from ...semfilter import check_connected
from ..catalog import Catalog
from ..flow import QueryRuntime, Registration
from ..flow.queries import EventBatch

__all__ = ["answer_asked"]

_BEGINNING = datetime(1, 1, 1, tzinfo=UTC)
_ALWAYS = timedelta(days=9_000 * 365)
_MOMENT = pa.timestamp("us", "UTC")


def answer_asked(project: Catalog, asked: Query, tables: Mapping[str, pa.Table], moment: datetime) -> pa.Table:
    """The answer: the rows in order, each with `_asked`.

    Args:
        project: what the query was compiled against.
        asked: the query.
        tables: by the stream that a source is, its events.
        moment: which the states are of.

    Raises:
        KaicepError: it cannot be answered.
    """
    whole = asked.kind is Kind.AGGREGATION and not asked.windows
    rows = _rows(project, _over_all(asked) if whole else asked, tables)
    if whole:
        rows = _only_row(asked, rows, moment) if not asked.group_by and not rows.num_rows else rows
        rows = _at(rows.drop_columns(["_window"]), moment)
    if asked.order_by:
        rows = _sorted(asked, rows)
    hidden = [item.name for item in asked.items if item.hidden]
    rows = rows.drop_columns([name for name in hidden if name in rows.column_names])
    return rows.append_column("_asked", pa.array([moment] * rows.num_rows, _MOMENT))


def _over_all(asked: Query) -> Query:
    """With a window that holds every event."""
    (source,) = asked.sources
    return replace(asked, windows=(BatchWindow(source.variable, _ALWAYS, _BEGINNING, asked.span),))


def _rows(project: Catalog, query: Query, tables: Mapping[str, pa.Table]) -> pa.Table:
    limited = replace(query, limit=None) if query.order_by else query
    for source in query.sources:
        check_connected(source, project.knowledge, query.document)
    shape = project.judgement.shape
    runtime = QueryRuntime(Registration(limited, "asked"), shape, project.knowledge, project.options, project.limits)
    runtime.end_at(max((table["_time"][-1].as_py() for table in tables.values() if table.num_rows), default=None))
    events = {name: EventBatch(table) for name, table in tables.items()}
    pieces = [_visible(query, runtime, rows) for rows in runtime.pieces(events, END_OF_TIME)]
    return pa.concat_tables([_visible(query, runtime, runtime.no_rows), *pieces], promote_options="permissive")


def _visible(query: Query, runtime: QueryRuntime, rows: pa.Table) -> pa.Table:
    """Rows as users see them, and the keys of ORDER BY."""
    keys = [item.name for item in query.items if item.hidden]
    found = runtime.rows.visible(rows)
    for name in keys:
        if name in rows.column_names:
            found = found.append_column(name, rows[name])
    return found


def _at(rows: pa.Table, moment: datetime) -> pa.Table:
    place = rows.schema.get_field_index("_time")
    return rows.set_column(place, "_time", pa.array([moment] * rows.num_rows, _MOMENT))


def _sorted(asked: Query, rows: pa.Table) -> pa.Table:
    """In the order of ORDER BY: unbound first, ties as they were."""
    frame = pl.DataFrame(pl.from_arrow(rows.select([order.item for order in asked.order_by])))
    descending = [order.descending for order in asked.order_by]
    order = frame.select(
        pl.arg_sort_by(frame.columns, descending=descending, nulls_last=descending, maintain_order=True)
    )
    found = rows.take(order.to_series().to_arrow())
    return found if asked.limit is None else found.slice(0, asked.limit)


def _id_of(asked: Query) -> str:
    """The identity of a row without events: all that tells it apart is its query."""
    (digest,) = hex_digests([pl.Series([""])], "", seeds_of(asked.normal)).to_pylist()
    return str(digest)


def _only_row(asked: Query, rows: pa.Table, moment: datetime) -> pa.Table:
    """The row of an aggregate over no event: counts and sums are 0, all else is unbound; HAVING may drop it."""
    values = [item.condition or item.value for item in asked.items]
    every = [*values, *(item.value for item in asked.items), *([] if asked.having is None else [asked.having])]
    found = [node for value in every for node in aggregates_of(value)]
    columns: dict[str, pl.Series] = {}

    def name_of(node: Column | Binding | Aggregate) -> str:
        if not isinstance(node, Aggregate):
            columns.setdefault(plain_name(node), pl.Series(plain_name(node), [None]))
            return plain_name(node)
        return f"#{next(i for i, other in enumerate(found) if other == node)}"

    for number, node in enumerate(found):
        zero = node.function in ("COUNT", "SUM")
        columns[f"#{number}"] = pl.Series(f"#{number}", [0 if zero else None], None if zero else pl.Float64)
    conditions = [c for c in (*(item.condition for item in asked.items), asked.having) if c is not None]
    expressions = {item.name: column_expression(item.value, name_of) for item in asked.items}
    asked_of = [column_expression(condition, name_of) for condition in conditions]
    frame = pl.DataFrame(list(columns.values()) or [pl.Series("#", [None])])
    if asked_of and not mask_of(frame, asked_of).all():
        return rows
    given = frame.select(e.alias(name) for name, e in expressions.items()).to_dicts()[0]
    (source,) = asked.sources
    own = {"_time": moment, "_events": {source.variable: []}, "_window": None, "_id": _id_of(asked)}
    row = {field.name: own.get(field.name, given.get(field.name)) for field in rows.schema}
    return pa.Table.from_pylist([row], rows.schema)
