"""The rows of a query as users see them, as other queries read them as events, and as rules make others of them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ....annotator import event_prefix
from ....cep import with_doubles
from ....cep.partitions import CONTEXT_WINDOWS
from ....language.nodes import Query
from ..rules import PLACE, RuleFiring
from .candidates import SAMPLED

__all__ = ["RowViews"]


class RowViews:
    """What is made of the rows of one query, batch by batch.

    Attributes:
        is_ordered: whether a rule looks at its rows, so that as events these say in which order they come.
        gives_hidden: whether `visible` shows what is hidden as well, for who makes rows `visible` himself.
        ends_at: the greatest time stamp of the sources, when they have ended: no rule emits an event after it.

    Args:
        query: as its operator answers it.
        no_rows: gives the table without rows.
        firing: of a rule, what it does for its rows; `None`: it is none.
        sampled: the share of the events that stands behind rows, which these and calls say; `None`: all do.
    """

    def __init__(
        self, query: Query, no_rows: Callable[[], pa.Table], firing: RuleFiring | None, sampled: float | None = None
    ) -> None:
        self._query, self._no_rows, self._firing = query, no_rows, firing
        self._sampled = sampled
        self.is_ordered, self._told = False, 0
        self.gives_hidden = False
        self.ends_at: datetime | None = None

    @property
    def sampled(self) -> float | None:
        """The share of the events that stands behind rows; `None`: all do."""
        return self._sampled

    def be_sampled(self, share: float | None) -> None:
        """Let rows and calls say from now on which share of the events stands behind them."""
        self._sampled = share
        self.__dict__.pop("none", None)
        if self._firing is not None:
            self._firing.sampled = share

    def visible(self, rows: pa.Table) -> pa.Table:
        """Rows as users see them; of a rule there are none."""
        if self.gives_hidden:
            return rows
        hidden = [item.name for item in self._query.items if item.hidden]
        lying = [CONTEXT_WINDOWS] if CONTEXT_WINDOWS in rows.column_names else []
        if self._firing is not None:
            rows = rows.slice(0, 0)
        seen = with_doubles(rows.drop_columns([*hidden, *lying]))
        if self._sampled is None:
            return seen
        return seen.append_column(SAMPLED, pa.repeat(pa.scalar(self._sampled), seen.num_rows))

    @cached_property
    def none(self) -> pa.Table:
        """What users see where there are no rows."""
        return self.visible(self._no_rows())

    def as_events(self, rows: pa.Table) -> pa.Table:
        """Rows of a named query as events of the stream of that name."""
        ids = pc.binary_join_element_wise(event_prefix(self._query.name or ""), rows["_id"].cast(pa.string()), "")
        events = rows.set_column(rows.schema.get_field_index("_id"), "_id", ids)
        if not self.is_ordered:
            return events
        first, self._told = self._told, self._told + rows.num_rows
        return events.append_column(PLACE, pa.array(np.arange(first, self._told)))

    def emitted(self, rows: pa.Table) -> list[tuple[Query, pa.Table]]:
        """Of a rule, the events that it emits for rows; see `RuleFiring.emitted`."""
        if self._firing is None:
            return []
        if self.ends_at is not None:
            rows = rows.filter(pc.less_equal(rows["_time"], pa.scalar(self.ends_at, rows["_time"].type)))
        return list(self._firing.emitted(rows))
