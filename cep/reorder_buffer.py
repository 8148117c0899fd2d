"""The reorder buffer: candidates wait until the watermark has passed them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from ..expressions import Bools, Ints, timestamps
from .order import SharedEvents
from .partitions import QUERY_COLUMN, queries_of

__all__ = ["ReorderBuffer", "in_total_order"]


def in_total_order(frame: pl.DataFrame, bindings: tuple[str, ...] = ()) -> pl.DataFrame:
    """Candidates sorted by (T, id, bindings), ids by code points, unbound first.

    Streams arrive nearly sorted, and few time stamps are equal: only rows of equal time stamps are compared by id.
    Those of several queries come query by query, and each query's are sorted.
    """
    time, query = timestamps(frame["_time"]), queries_of(frame)
    if len(time) < 2:
        return frame
    if _are_backwards(time, query).any():
        order = np.argsort(time, kind="stable") if query is None else np.lexsort((time, query))
        frame, time = frame[order], time[order]
    tied = _tied(time, query)
    if not tied.any():
        return frame
    keys = [*([] if query is None else [QUERY_COLUMN]), "_time", "_id", *bindings]
    rows = np.flatnonzero(tied)
    places = frame.select(keys)[rows].with_columns(pl.Series("#row", rows))
    sorted_rows = places.sort(keys, maintain_order=True, nulls_last=False)["#row"].to_numpy()
    if (sorted_rows == rows).all():
        return frame
    order = np.arange(len(time))
    order[rows] = sorted_rows
    return frame[order]


def _are_backwards(time: Ints, query: Ints | None) -> Bools:
    """Which rows lie before the row that they stand behind."""
    backwards: Bools = time[1:] < time[:-1]
    return backwards if query is None else backwards & (query[1:] == query[:-1])


def _tied(time: Ints, query: Ints | None) -> Bools:
    tied = np.zeros(len(time), dtype=bool)
    equal = time[1:] == time[:-1]
    equal = equal if query is None else equal & (query[1:] == query[:-1])
    tied[1:] |= equal
    tied[:-1] |= equal
    return tied


@dataclass(slots=True)
class ReorderBuffer:
    """One variable's candidates at or above the watermark.

    Attributes:
        held: their columns, in order of arrival.
        bindings: columns of semantic variables, which break ties between solutions of one event.
        events: what others keep of the same events; `None`: nothing is shared.
    """

    held: pl.DataFrame
    bindings: tuple[str, ...] = ()
    events: SharedEvents | None = None

    @property
    def due(self) -> int | None:
        """The watermark (microseconds) that lets the first candidate go; `None`: none waits."""
        return int(timestamps(self.held["_time"]).min()) + 1 if self.held.height else None

    def release(self, arrived: pl.DataFrame, watermark: int) -> pl.DataFrame:
        """Take in what arrived and give out what lies below the watermark (microseconds), in total order."""
        waiting = pl.concat([self.held, arrived]) if self.held.height else arrived
        time = timestamps(waiting["_time"])
        if (time[1:] >= time[:-1]).all():
            due_rows = int(np.searchsorted(time, watermark, "left"))
            self.held = self._shared(waiting[due_rows:])
            return in_total_order(waiting[:due_rows], self.bindings)
        due = time < watermark
        self.held = self._shared(waiting.filter(~due))
        return in_total_order(waiting.filter(due), self.bindings)

    def _shared(self, waiting: pl.DataFrame) -> pl.DataFrame:
        return waiting if self.events is None else self.events.shared(waiting)
