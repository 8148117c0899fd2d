"""Selection: a query of one variable without aggregates reports each candidate."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from ..language.columns import Names, column_expression, plain_name
from ..language.query import Query
from .frames import mask_of, timestamps
from .output import Matches
from .state import State

__all__ = ["SelectionKernel"]


class SelectionKernel:
    """Reports candidates as they are released; it remembers nothing."""

    def __init__(self, query: Query) -> None:
        self._source = query.sources[0]
        conditions = [item.condition for item in query.items] + [query.having, *query.joins]
        self._conditions = [column_expression(e) for e in conditions if e is not None]

    @property
    def names(self) -> Names:
        """Candidates have their plain column names."""
        return plain_name

    def advance(self, released: Mapping[str, pl.DataFrame], watermark: int) -> Matches | None:  # noqa: ARG002 - the protocol's
        """Every candidate is a match, at its own time stamp."""
        frame = released[self._source.variable]
        if self._conditions:
            frame = frame.filter(pl.Series(mask_of(frame, self._conditions)))
        return Matches(frame, timestamps(frame["_time"]), {self._source.variable: frame["_id"]})

    def state(self) -> State:
        """Nothing."""
        return State({}, {})

    def load(self, state: State) -> None:
        """Nothing to take."""
