"""Events to the windows of contexts that they lie in: once for each (CAESAR §5.2, context windows pushed down)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa

from ...expressions import POLARS_TYPES, Ints, column_expression, frame_of, timestamps
from ...language.nodes import Column, ContextReference, InContext, Placement, Query, columns_of
from ..event_filter import without_views
from ..order import Interval
from ..partitions import NO_END, NO_START, WINDOW_COLUMN, key_columns, windows_schema
from .context_history import ContextHistory, HeldWindow
from .partition_key import PartitionKeys, sortable

__all__ = ["EventRouter", "Routed", "SetWindows"]


@dataclass(frozen=True)
class SetWindows:
    """A set of contexts: its windows, and the moments within its WITHIN."""

    history: ContextHistory
    within: Interval


@dataclass
class Routed:
    """What was found of some events.

    Attributes:
        windows: those that they lie in, or may lie in, by their numbers.
        unplaced: how many have an unbound key.
    """

    windows: dict[int, tuple[ContextReference, HeldWindow]] = field(default_factory=dict)
    unplaced: int = 0


class EventRouter:
    """Routes the events of a query in contexts.

    Args:
        query: the query.
    """

    def __init__(self, query: Query) -> None:
        self._in_context: InContext = query.in_context  # type: ignore[assignment]  # it is in contexts
        self._placements = {(p.variable, p.set): p for p in self._in_context.placements}
        self._keys = key_columns(query)
        self._attributes = {source.variable: source.window_attributes for source in query.sources}

    def columns(self, variable: str) -> frozenset[str]:
        """The columns of events that say where those of a variable belong."""
        return frozenset(
            node.name
            for placement in self._of(variable)
            for key in placement.keys
            for node in columns_of(key)
            if isinstance(node, Column)
        )

    def adds(self, variable: str) -> tuple[str, ...]:
        """The columns that routing adds to the events of a variable."""
        return self._keys or (WINDOW_COLUMN, *(f"?{name}" for name, _ in self._attributes[variable]))

    def needs_paths(self, variable: str) -> bool:
        """Whether what PATHs bind says where the events of a variable belong."""
        keys = [key for placement in self._of(variable) for key in placement.keys]
        return any(not isinstance(node, Column) for key in keys for node in columns_of(key))

    def _of(self, variable: str) -> list[Placement]:
        return [placement for (of, _), placement in self._placements.items() if of == variable]

    def route(self, variable: str, events: pa.Table, sets: Mapping[str, SetWindows], found: Routed) -> pa.Table:
        """The events that lie in windows, once for each, beside the window; those of a pattern with FOR beside keys.

        Args:
            variable: whose events they are.
            events: columns `_time`, `_id` and what `columns` names, or what PATHs bind.
            sets: the sets of the query's contexts.
            found: takes what is found.
        """
        if self._keys:
            return self._with_keys(variable, events, sets, found)
        pieces: list[tuple[ContextReference, HeldWindow, Ints]] = []
        for name in self._in_context.sets:
            references = [r for r in self._in_context.contexts if r.set == name]
            pieces += self._inside(self._placements[variable, name], references, events, sets[name], found)
        rows = np.concatenate([rows for _, _, rows in pieces]) if pieces else np.empty(0, np.int64)
        counts = [len(rows) for _, _, rows in pieces]
        numbers = [sets[reference.set].history.number(window) for reference, window, _ in pieces]
        found.windows |= {n: (r, w) for n, (r, w, _) in zip(numbers, pieces, strict=True)}
        routed = without_views(events).take(pa.array(rows))
        routed = routed.append_column(WINDOW_COLUMN, pa.array(np.repeat(np.array(numbers, np.int64), counts)))
        for name, of in self._attributes[variable]:
            values = [_value(name, reference, window) for reference, window, _ in pieces]
            column = pl.Series(values, dtype=POLARS_TYPES[of], strict=False)
            repeated = column.gather(np.repeat(np.arange(len(values)), counts))
            routed = routed.append_column(f"?{name}", repeated.to_arrow(compat_level=pl.CompatLevel.newest()))
        return routed

    def _inside(
        self,
        placement: Placement,
        references: Sequence[ContextReference],
        events: pa.Table,
        of: SetWindows,
        found: Routed,
    ) -> Iterable[tuple[ContextReference, HeldWindow, Ints]]:
        """The windows of a set's contexts with the rows that lie in them."""
        keys, times = self._texts(placement, events, of, found)
        if not len(times):
            return
        for key, rows in _by_partition(keys, times):
            own = times[rows]
            for reference in references:
                for window in of.history.windows(reference.context, key, int(own[0]), int(own[-1])):
                    first, last = np.searchsorted(own, [window.since, window.until], side="right")
                    if first < last:
                        yield reference, window, rows[first:last]

    def _with_keys(self, variable: str, events: pa.Table, sets: Mapping[str, SetWindows], found: Routed) -> pa.Table:
        """The events beside the number of their partition in each set."""
        for column, name in zip(self._keys, self._in_context.sets, strict=True):
            of = sets[name]
            keys, times = self._texts(self._placements[variable, name], events, of, found)
            numbers = np.zeros(len(times), dtype=np.int64)
            for key, rows in _by_partition(keys, times):
                numbers[rows] = partition_number(name, key)
                for reference in (r for r in self._in_context.contexts if r.set == name):
                    first, last = int(times[rows[0]]), int(times[rows[-1]])
                    for window in of.history.windows(reference.context, key, first, last):
                        found.windows[of.history.number(window)] = reference, window
            events = events.append_column(column, pa.array(numbers, mask=keys.is_null().to_numpy()))
        return events

    @staticmethod
    def _texts(placement: Placement, events: pa.Table, of: SetWindows, found: Routed) -> tuple[pl.Series, Ints]:
        """The partition of each event, null where it belongs to none; and its time stamp."""
        names = sorted({_name(node) for key in placement.keys for node in columns_of(key)} | {"_time"})
        frame = frame_of(events, names)
        values = frame.select([column_expression(key).alias(str(i)) for i, key in enumerate(placement.keys)])
        columns = [c if len(c) == frame.height else c.new_from_index(0, frame.height) for c in values.get_columns()]
        keys = PartitionKeys(of.history.set).texts(columns, [key.type for key in placement.keys], frame.height)
        found.unplaced += keys.null_count()
        times = timestamps(frame["_time"])
        outside = (times < of.within.first) | (times > of.within.last)
        return (keys.set(pl.Series(outside), None) if outside.any() else keys), times

    def told(self, found: Routed, sets: Mapping[str, SetWindows], passed: int, watermark: int) -> pa.Table:
        """What the operator is told of windows: those that were found, and those that have ended since it was asked.

        Args:
            found: of this call.
            sets: the sets of the query's contexts.
            passed: the watermark of the call before, in microseconds.
            watermark: that of this call.
        """
        ranks = {(r.set, r.context): rank for rank, r in enumerate(self._in_context.contexts)}
        windows = dict(found.windows)
        for name in self._in_context.sets:
            history = sets[name].history
            references = {r.context: r for r in self._in_context.contexts if r.set == name}
            for window in history.ended_from(passed, watermark):
                if window.context in references:
                    windows[history.number(window)] = references[window.context], window
        rows = []
        for number, (reference, window) in windows.items():
            types = [key.type for key in sets[reference.set].history.set.keys]
            known = window.until < watermark or reference.context in sets[reference.set].history.calendars
            rows.append(
                {
                    "window": number,
                    "context": window.context,
                    "rank": ranks[reference.set, reference.context],
                    "key": sortable(window.key, types),
                    "partition": partition_number(reference.set, window.key),
                    "since": window.since,
                    "until": window.until if known else NO_END,
                    "start": None if window.start == NO_START else window.start,
                    "end": window.end if known and window.end != NO_END else None,
                }
            )
        return pa.Table.from_pylist(rows, windows_schema())

    def holds(self, sets: Mapping[str, SetWindows], first: int, last: int) -> bool:
        """Whether one of the contexts may hold at a moment from `first` to `last` in any partition."""
        return any(sets[r.set].history.may_hold(r.context, first, last) for r in self._in_context.contexts)


def partition_number(name: str, key: str) -> int:
    """The number of a partition of a set: the same in every process."""
    return ContextHistory.number_of(name, "", key, NO_START)


def _by_partition(keys: pl.Series, times: Ints) -> Iterable[tuple[str, Ints]]:
    """Each partition with its rows, in order of time; rows of none are left out."""
    codes = keys.cast(pl.Categorical).to_physical() if keys.n_unique() > 1 else None
    if codes is None:
        if len(keys) and keys[0] is not None:
            yield keys[0], np.argsort(times, kind="stable")
        return
    numbers = codes.fill_null(2**32 - 1).to_numpy().astype(np.int64)
    order = np.lexsort((times, numbers))
    borders = np.flatnonzero(np.diff(numbers[order], prepend=-1))
    for rows in np.split(order, borders[1:]):
        key = keys[int(rows[0])]
        if key is not None:
            yield key, rows


def _value(name: str, reference: ContextReference, window: HeldWindow) -> Any:
    """An attribute of a window, called `acc.name` after what AS calls the windows of its context; else unbound."""
    variable, _, attribute = name.partition(".")
    if reference.variable != variable:
        return None
    if attribute == "_since":
        return None if window.start == NO_START else window.start
    return window.values.get(attribute)


def _name(node: object) -> str:
    name: str = node.name  # type: ignore[attr-defined]  # a column, or a binding
    return name if isinstance(node, Column) else f"?{name}"
