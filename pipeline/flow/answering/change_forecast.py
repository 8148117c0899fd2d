"""The changes of contexts that queries may make which look at one event at a time, before contexts are known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime

import pyarrow as pa

from ....errors import KaicepError
from ....language.nodes import AfterMatchKind, Column, Item, Kind, Query, columns_of
from ..queries import EventBatch, QueryRuntime

__all__ = ["ChangeForecast"]

_PARTITION = "#partition"


class ChangeForecast:
    """Foresees the rows of one deriving query.

    Attributes:
        partition: the items that say in which partition the event of a row lies.

    Args:
        flow: the query as it runs; nothing is taken of its state, and it stays as it is.
        query: likewise, as `unplaced` gives it.
    """

    def __init__(self, flow: QueryRuntime, query: Query) -> None:
        self.partition = [item for item in query.items if item.name.startswith(_PARTITION)]
        self._runtime = flow.alike(query)
        self._begin = self._runtime.mark()

    @classmethod
    def of(cls, flow: QueryRuntime) -> ChangeForecast | None:
        """That of a query; `None`: its rows cannot be foreseen, and rounds have to find them."""
        query = _unplaced(flow.query)
        return None if query is None else cls(flow, query)

    def rows(self, events: Mapping[str, EventBatch], watermark: datetime) -> pa.Table:
        """The rows that it has if all events lie in its contexts; none, where that is more than it may have."""
        self._runtime.rewind(self._begin)
        try:
            return self._runtime.process(events, watermark)
        except KaicepError:
            return self._runtime.no_rows


def _unplaced(query: Query) -> Query | None:
    """A query that looks at one event at a time, without its contexts; `None`: it does not."""
    asked, change, (source, *others) = query.in_context, query.change, query.sources
    if asked is None or change is None or others or asked.sets != (change.context.set,):
        return None
    if source.semantics is not None or source.window_attributes or not _of_one_event(query):
        return None
    keys = [key for placement in asked.placements for key in placement.keys]
    items = [Item(f"{_PARTITION}{n}", key, None, key.type, query.span, hidden=True) for n, key in enumerate(keys)]
    named = {node.name for key in keys for node in columns_of(key) if isinstance(node, Column)}
    source = replace(source, columns=tuple(sorted({*source.columns, *named} - {"_time", "_id"})))
    return replace(query, in_context=None, items=(*query.items, *items), sources=(source,))


def _of_one_event(query: Query) -> bool:
    keeps_all = query.after_match.kind is AfterMatchKind.KEEP_ALL
    return query.kind is Kind.SELECTION and keeps_all and not (query.limit or query.distinct or query.output_rate)
