"""Events to the windows of contexts that they lie in: once for each (CAESAR §5.2, context windows pushed down)."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa

from ...expressions import POLARS_TYPES, column_expression, frame_of, timestamps
from ...language.nodes import (
    COMPANION,
    Column,
    ContextReference,
    Expression,
    InContext,
    Kind,
    Placement,
    Query,
    ValueType,
    columns_of,
    expression_text,
)
from ..event_filter import without_views
from ..order import UNBOUNDED, Interval
from ..partitions import NO_END, NO_START, WINDOW_COLUMN, asks_of_windows, is_shared, key_columns, windows_schema
from .context_history import ContextHistory
from .partition_key import PartitionKeys, sortable
from .window_ranges import EventRanges, WindowRanges, listed_windows

__all__ = ["EventRouter", "KnownGaps", "KnownRanges", "Routed", "SetWindows"]


class SetWindows:
    """A set of contexts: its windows, and the moments within its WITHIN."""

    def __init__(self, history: ContextHistory, within: Interval) -> None:
        self.history, self.within = history, within
        self._told: tuple[tuple[int, int], dict[Hashable, tuple[object, pa.Table]]] = (0, 0), {}

    def told_once(self, watermark: int, asked: Hashable, of: object, tell: Callable[[], pa.Table]) -> pa.Table:
        """What operators are told of some windows, made once for all queries.

        Args:
            watermark: of the call; behind another one, or a change of the windows, all is made anew.
            asked: what else it depends on.
            of: what `asked` knows by its `id`, which is kept as long as that is asked for.
            tell: makes it.
        """
        now = self.history.version, watermark
        moment, known = self._told
        if moment != now:  # queries ask on several threads: what others look through is never changed
            self._told = now, (known := {})
        if asked not in known:
            known[asked] = of, tell()
        return known[asked][1]


@dataclass
class Routed:
    """What was found of some events.

    Attributes:
        windows: those that they lie in, or may lie in.
        unplaced: how many have an unbound key.
    """

    windows: list[tuple[ContextReference, WindowRanges]] = field(default_factory=list)
    unplaced: int = 0


_SetAndKeys = tuple[str, tuple[str, ...]]
KnownRanges = dict[_SetAndKeys, EventRanges]
"""By set and keys, the events of one batch by partitions, for all queries."""
KnownGaps = dict[_SetAndKeys, int]
"""By set and keys, how many events of one batch have an unbound key, for all queries."""


class EventRouter:
    """Routes the events of a query in contexts.

    Args:
        query: the query.
    """

    def __init__(self, query: Query) -> None:
        self._in_context: InContext = query.in_context  # type: ignore[assignment]  # it is in contexts
        self._placements = {(p.variable, p.set): p for p in self._in_context.placements}
        entered = asks_of_windows(query)
        self._lying = key_columns(query)[0] if entered else WINDOW_COLUMN
        self._keys, self._shared = () if entered else key_columns(query), is_shared(query)
        self._attributes = {source.variable: source.window_attributes for source in query.sources}
        self._of_windows = query.kind is Kind.AGGREGATION
        # Made once: queries in contexts that do not hold are to cost nothing.
        self._plain = {
            source.variable: [(_asked(one), one) for one in self._of(source.variable)]
            for source in query.sources
            if not self.needs_paths(source.variable)
        }

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
        return self._keys or (self._lying, *(f"?{name}" for name, _ in self._attributes[variable]))

    def asked(self, variable: str) -> Hashable:
        """What the routed events of a variable depend on, beside windows: where it is equal, these are."""
        keys = tuple((placement.set, *map(_text, placement.keys)) for placement in self._of(variable))
        return self._in_context.contexts, keys, self._attributes[variable], self._lying, self._keys, self._shared

    def needs_paths(self, variable: str) -> bool:
        """Whether what PATHs bind says where the events of a variable belong."""
        keys = [key for placement in self._of(variable) for key in placement.keys]
        return any(not isinstance(node, Column) for key in keys for node in columns_of(key))

    def _of(self, variable: str) -> list[Placement]:
        return [placement for (of, _), placement in self._placements.items() if of == variable]

    def unbound(self, variable: str, events: pa.Table, known: KnownGaps) -> int:
        """How many events of a variable have an unbound key, where nothing else is asked of them.

        Args:
            variable: whose events they are; those of which PATHs say where they belong are not counted.
            events: as `route` takes them.
            known: what queries have counted of the same events; takes what this one does.
        """
        total = 0
        for asked, placement in self._plain.get(variable, ()):
            if asked not in known:
                known[asked] = _unbound(placement, events)
            total += known[asked]
        return total

    def route(
        self, variable: str, events: pa.Table, sets: Mapping[str, SetWindows], found: Routed, known: KnownRanges
    ) -> pa.Table:
        """The events that lie in windows, once for each, beside the window; those of a pattern with FOR beside keys.

        Args:
            variable: whose events they are.
            events: columns `_time`, `_id` and what `columns` names, or what PATHs bind.
            sets: the sets of the query's contexts.
            found: takes what is found.
            known: what queries have found out of the same events; takes what this one does.
        """
        ranges = {s: self._ranges(self._placements[variable, s], events, sets[s], known) for s in self._in_context.sets}
        found.unplaced += sum(of.unplaced for of in ranges.values())
        pieces = [(r, ranges[r.set].of(sets[r.set].history, r.context)) for r in self._in_context.contexts]
        found.windows += [piece for piece in pieces if len(piece[1])]
        if self._shared:  # nothing is asked of events that lie in none of its windows
            lying = np.zeros(events.num_rows, dtype=bool)
            for reference, windows in pieces:
                lying[windows.rows(ranges[reference.set].order)] = True
            return without_views(self._with_keys(events, sets, ranges)).filter(pa.array(lying))
        if self._keys:
            return self._with_keys(events, sets, ranges)
        rows = np.concatenate([windows.rows(ranges[reference.set].order) for reference, windows in pieces])
        lying = np.repeat(np.concatenate([w.numbers for _, w in pieces]), np.concatenate([w.sizes for _, w in pieces]))
        # In order of time, as operators take them: otherwise each query would sort them for each of its variables.
        order = np.argsort(timestamps(frame_of(events, ["_time"])["_time"])[rows], kind="stable")
        routed = without_views(events).take(pa.array(rows[order])).append_column(self._lying, pa.array(lying[order]))
        for name, of in self._attributes[variable]:
            routed = routed.append_column(f"?{name}", _attribute(name, of, pieces).take(pa.array(order)))
        return routed

    def _with_keys(
        self, events: pa.Table, sets: Mapping[str, SetWindows], ranges: Mapping[str, EventRanges]
    ) -> pa.Table:
        """The events beside the number of their partition in each set."""
        for column, name in zip(self._keys, self._in_context.sets, strict=True):
            numbers, placed = ranges[name].partitions(sets[name].history, events.num_rows)
            events = events.append_column(column, pa.array(numbers, mask=~placed))
        return events

    @staticmethod
    def _ranges(placement: Placement, events: pa.Table, of: SetWindows, known: KnownRanges) -> EventRanges:
        """The events by the partitions of a set."""
        asked = _asked(placement)
        if asked not in known:
            names = sorted({*_names(placement), "_time"})
            frame = frame_of(events, names)
            values = frame.select([column_expression(key).alias(str(i)) for i, key in enumerate(placement.keys)])
            columns = [c if len(c) == frame.height else c.new_from_index(0, frame.height) for c in values.get_columns()]
            types = [key.type for key in placement.keys]
            partitions = PartitionKeys(of.history.set).codes(columns, types, frame.height)
            known[asked] = EventRanges(partitions, timestamps(frame["_time"]), of.within)
        return known[asked]

    def told(self, found: Iterable[Routed], sets: Mapping[str, SetWindows], passed: int, watermark: int) -> pa.Table:
        """What the operator is told of windows: those that were found, and those that have ended since it was asked.

        Args:
            found: of this call, each but once.
            sets: the sets of the query's contexts.
            passed: the watermark of the call before, in microseconds.
            watermark: that of this call.
        """
        parts = [windows_schema().empty_table()]
        for reference, windows in (piece for one in found for piece in one.windows):
            tell = partial(self._told, reference, windows, sets, watermark)
            parts.append(sets[reference.set].told_once(watermark, (id(windows), *self._as(reference)), windows, tell))
        for reference in self._in_context.contexts:
            tell = partial(self._told_of_ended, reference, sets, passed, watermark)
            of_ended = sets[reference.set].told_once(watermark, (passed, *self._as(reference)), None, tell)
            parts += [of_ended] if of_ended.num_rows else []
        return pa.concat_tables(parts)

    def _as(self, reference: ContextReference) -> tuple[str, int, bool]:
        """How operators are told of windows of a context."""
        return reference.context, self._in_context.contexts.index(reference), self._of_windows

    def _told_of_ended(
        self, reference: ContextReference, sets: Mapping[str, SetWindows], passed: int, watermark: int
    ) -> pa.Table:
        history = sets[reference.set].history
        all_ended = history.ended_from(passed, watermark)
        ended = [w for w in all_ended if w.context == reference.context and w.since < w.until]
        if not ended:
            return windows_schema().empty_table()
        return self._told(reference, listed_windows(history, reference.context, ended), sets, watermark)

    def _told(
        self, reference: ContextReference, windows: WindowRanges, sets: Mapping[str, SetWindows], watermark: int
    ) -> pa.Table:
        """What is told of windows of one context.

        What a calendar ends is told ahead, for nobody says so when it happens; a change may still end a default sooner.
        Behind the bounds of its set no match is in a context, while a window of an aggregate may end there.
        """
        history, rank = sets[reference.set].history, self._in_context.contexts.index(reference)
        known = windows.until < (NO_END if history.calendars else watermark)
        types = tuple(key.type for key in history.set.keys)
        bounds = sets[reference.set].within  # before and behind them no context holds
        begin = NO_START if bounds.first <= -UNBOUNDED else bounds.first - 1
        end = NO_END if bounds.last >= UNBOUNDED else bounds.last
        until = np.where(known, windows.until, NO_END)
        cut = ((windows.since < begin) & (windows.since != NO_START)) | (until > end)
        columns = [
            pa.array(windows.numbers),
            pa.repeat(pa.scalar(reference.context), len(windows)),
            pa.array(np.full(len(windows), rank, dtype=np.int32)),
            pa.array([sortable(key, types) for key in windows.keys], pa.string()),
            pa.array(windows.partitions),
            pa.array(np.maximum(windows.since, begin)),
            pa.array(until if self._of_windows else np.minimum(until, end)),
            pa.array(windows.starts, mask=windows.starts == NO_START),
            pa.array(windows.ends, mask=~known | (windows.ends == NO_END)),
            pa.array(cut.astype(np.int64)),
        ]
        return pa.Table.from_arrays(columns, schema=windows_schema())

    def holds(self, sets: Mapping[str, SetWindows], first: int, last: int) -> bool:
        """Whether one of the contexts may hold at a moment from `first` to `last` in any partition."""
        return any(sets[r.set].history.may_hold(r.context, first, last) for r in self._in_context.contexts)


def _attribute(name: str, of: ValueType, pieces: Sequence[tuple[ContextReference, WindowRanges]]) -> pa.Array:
    """An attribute of windows for each of their events, called `acc.name` after what AS calls those of a context."""
    variable, _, attribute = name.partition(".")
    values: list[Any] = []
    for reference, windows in pieces:
        if reference.variable != variable:
            values += [None] * len(windows)
        elif attribute == "_since":
            values += [None if start == NO_START else start for start in windows.starts.tolist()]
        else:
            values += [_value(value, attribute, of) for value in windows.values]
    column = pl.Series(values, dtype=POLARS_TYPES[of], strict=False)
    sizes = np.concatenate([windows.sizes for _, windows in pieces])
    return column.gather(np.repeat(np.arange(len(values)), sizes)).to_arrow()


def _value(values: Mapping[str, Any], attribute: str, of: ValueType) -> Any:
    """An attribute of a window; where queries give it as integers and as doubles, also what has left 64 bits."""
    found = values.get(attribute)
    return values.get(f"{attribute}{COMPANION}") if found is None and of is ValueType.DOUBLE else found


def _text(key: Expression) -> str:
    """A key as text, whatever the variable is called whose column it is."""
    return key.name if isinstance(key, Column) else expression_text(key)


def _asked(placement: Placement) -> _SetAndKeys:
    return placement.set, tuple(map(_text, placement.keys))


def _names(placement: Placement) -> list[str]:
    """The columns that a placement speaks of."""
    return sorted({_name(node) for key in placement.keys for node in columns_of(key)})


def _unbound(placement: Placement, events: pa.Table) -> int:
    names = _names(placement)
    if not any(events[name].null_count for name in names):
        return 0
    keys = frame_of(events, names).select(
        column_expression(key).is_null().alias(str(n)) for n, key in enumerate(placement.keys)
    )
    return int(keys.select(pl.any_horizontal(pl.all()).sum()).item())


def _name(node: object) -> str:
    name: str = node.name  # type: ignore[attr-defined]  # a column, or a binding
    return name if isinstance(node, Column) else f"?{name}"
