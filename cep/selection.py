"""Selection: a query of one variable without aggregates reports each candidate."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import polars as pl

from ..expressions import Ints, Names, column_expression, mask_of, plain_name, timestamps
from ..language.nodes import AfterMatchKind, Query
from .order import SharedEvents, binding_columns, settle_ties
from .output import ConditionCount, MatchFrame, selected_bindings
from .partitions import WINDOW_COLUMN, is_windowed, queries_of
from .snapshot_codec import OperatorState

__all__ = ["SelectionKernel"]


class SelectionKernel:
    """Reports candidates as they are released; it remembers nothing."""

    recurrence = None
    counted: tuple[ConditionCount, ...] = ()

    def __init__(self, query: Query) -> None:
        self._source = query.sources[0]
        conditions = [item.condition for item in query.items] + [query.having, *query.joins]
        # A match of one event forbids the event's other solutions, unless later matches may begin with that event.
        self._once = query.after_match.kind in (
            AfterMatchKind.PAST_LAST,
            AfterMatchKind.TO_NEXT,
            AfterMatchKind.CONSUME,
        )
        self._bindings = selected_bindings(query)
        self._windowed = is_windowed(query)
        self._event = ["_time", "_id", *([WINDOW_COLUMN] if self._windowed else [])]
        self._conditions = [column_expression(e) for e in conditions if e is not None]
        self.considered = 0
        self.tally = np.empty(0, dtype=np.int64)
        self.kept: Mapping[str, pl.DataFrame] = {}
        self.passed = 0

    @property
    def names(self) -> Names:
        """Candidates have their plain column names."""
        return plain_name

    @property
    def due(self) -> int | None:
        """Every match is reported with its last event."""
        return None

    @property
    def oldest(self) -> None:
        """See `Kernel.oldest`: nothing is kept."""
        return None

    @property
    def awaited(self) -> Ints:
        """No match waits."""
        return np.empty(0, dtype=np.int64)

    @property
    def held_since(self) -> None:
        """Nothing is held back."""
        return None

    def advance(self, released: Mapping[str, pl.DataFrame], watermark: int) -> MatchFrame | None:  # noqa: ARG002 - the protocol's
        """Every candidate is a match, at its own time stamp."""
        frame = released[self._source.variable]
        self.considered += frame.height
        queries = queries_of(frame)
        if queries is not None:
            self.tally = np.bincount(queries)
        if self._conditions:
            frame = frame.filter(pl.Series(mask_of(frame, self._conditions)))
        if self._bindings and frame.height > 1:
            frame = frame[self._output_order(frame)]
        if self._once:
            frame = frame.unique(self._event, keep="first", maintain_order=True)
        windows = frame[WINDOW_COLUMN].to_numpy() if self._windowed else None
        events = {self._source.variable: frame["_id"]}
        return MatchFrame(
            frame,
            timestamps(frame["_time"]),
            events,
            windows=windows,
            queries=None if queries is None else queries_of(frame),
        )

    def keep(self, frames: Mapping[str, pl.DataFrame], passed: int, found: int) -> None:  # noqa: ARG002 - likewise
        """See `JointKernel.keep`: nothing is."""
        self.considered, self.passed = self.considered + found, passed

    def _output_order(self, frame: pl.DataFrame) -> Ints:
        """Candidates are in total order; solutions of one event come by the bindings that are selected."""
        rows = np.arange(frame.height)
        event = frame.select(pl.struct("_time", "_id").rle_id()).to_series().to_numpy().astype(np.int64)
        return settle_ties(
            rows, event, lambda tied: [*binding_columns(frame[tied], self._bindings), pl.Series(rows[tied])]
        )

    def state(self) -> OperatorState:
        """Nothing."""
        return OperatorState({}, {})

    def share(self, events: SharedEvents) -> None:
        """See `Kernel.share`: it keeps nothing."""

    def load(self, state: OperatorState) -> None:
        """Nothing to take."""
