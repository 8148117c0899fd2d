"""Aggregation: one variable's candidates, one window, one row per window (docs/semantics.md 3.14)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import assert_never

import numpy as np
import polars as pl

from ...errors import OperatorError
from ...expressions import (
    Ints,
    Names,
    aggregate_ranges,
    aggregated_values,
    column_expression,
    column_of,
    in_calendar,
    mask_of,
    micros,
    plain_name,
    timestamps,
)
from ...language.nodes import (
    Aggregate,
    BatchWindow,
    Binding,
    Column,
    CorrelationWindow,
    CumulateWindow,
    Expression,
    HoppingWindow,
    Query,
    SessionWindow,
    SlidingWindow,
    ValueType,
    aggregates_of,
    columns_of,
    structural_key,
)
from ..limits import Ceilings, Limits
from ..order import binding_columns, empty_candidates, group_codes, settle_ties
from ..output import MatchFrame, key_text, selected_bindings
from ..snapshot_codec import OperatorState
from .window_frames import (
    WindowRows,
    Windows,
    batches_of_count,
    batches_of_time,
    cumulating,
    hopping_by_count,
    hopping_by_time,
    sessions,
    sliding_by_count,
    sliding_by_time,
)

__all__ = ["AggregationKernel"]

_BEGINNING = -(2**62)  # below every time stamp, in microseconds
_END = 2**62  # above every window's end

_Window = SlidingWindow | BatchWindow | HoppingWindow | CumulateWindow | SessionWindow


class AggregationKernel:
    """Keeps the candidates that a later window can hold.

    Args:
        query: of one variable, with a window.
        limits: how much it may take.

    Raises:
        CeilingError: an event lies in more windows than the limits allow.
    """

    def __init__(self, query: Query, limits: Limits | None = None) -> None:
        self._query = query
        self._source = query.sources[0]
        self._window = _only_window(query)
        self._ceilings = Ceilings(query, limits or Limits())
        self._ceilings.check_windows(_windows_per_event(self._window), self._window)
        self._conditions = [e for item in query.items if (e := item.condition) is not None]
        self._conditions += [e for e in (query.having,) if e is not None]
        reported = [item.value for item in query.items]
        found = {structural_key(a): a for e in reported + self._conditions for a in aggregates_of(e)}
        self._aggregates = list(found.values())
        self._columns = {key: f"#{number}" for number, key in enumerate(found)}
        self._groups = [(column_expression(e), e.type) for e in _groups(query)]
        self._bindings = selected_bindings(query)
        self._kept = empty_candidates(self._source)
        self.considered = 0
        self._first: int | None = None
        self._passed = _BEGINNING

    @property
    def names(self) -> Names:
        """Candidates have their plain column names, aggregates a number."""
        return self._name

    def _name(self, node: Column | Binding | Aggregate) -> str:
        return self._columns[structural_key(node)] if isinstance(node, Aggregate) else plain_name(node)

    @property
    def due(self) -> int | None:
        """When the first window ends of those that hold candidates and end with the watermark."""
        if not self._kept.height:
            return None
        time = timestamps(self._kept["_time"])
        earliest, passed = int(time[0]), self._passed
        match self._window:
            case BatchWindow(extent=timedelta()):
                return self._first_end(earliest)
            case HoppingWindow(size=timedelta() as size, step=timedelta() as step):
                width, stride = micros(size), micros(step)
                return (max(earliest - width, passed - width) // stride + 1) * stride + width
            case CumulateWindow(step=step):
                return (max(earliest, passed) // micros(step) + 1) * micros(step)
            case SessionWindow(gap=gap):
                groups = [column_of(self._kept, e).alias("group") for e, _ in self._groups]
                return int(sessions(self._rows(self._kept, groups, 0), micros(gap), _END).upper.min())
            case _:
                return None

    @property
    def awaited(self) -> Ints:
        """No window waits for an event."""
        return np.empty(0, dtype=np.int64)

    @property
    def held_since(self) -> None:
        """Nothing is held back."""
        return None

    def advance(self, released: Mapping[str, pl.DataFrame], watermark: int) -> MatchFrame | None:
        """The windows that were completed: sliding ones by each candidate, time windows by the watermark."""
        new = released[self._source.variable]
        first_new, passed = self._kept.height, self._passed
        self._passed = watermark
        frame = pl.concat([self._kept, new]) if first_new else new
        if not frame.height:
            return None
        earliest = int(timestamps(frame["_time"][:1])[0])
        self._first = earliest if self._first is None else self._first
        if watermark < self._first_end(earliest):
            self._kept = frame
            return None
        groups = [column_of(frame, e).alias("group") for e, _ in self._groups]
        windows = self._windows(self._rows(frame, groups, first_new), passed, watermark)
        self._kept = frame.filter(pl.Series(windows.keep))
        return self._matches(frame, groups, windows) if len(windows.start) else None

    def group_of(self, frame: pl.DataFrame) -> Ints:
        """The group of each candidate as a code."""
        groups = [column_of(frame, e).alias("group") for e, _ in self._groups]
        return group_codes(groups) if groups else np.zeros(frame.height, dtype=np.int64)

    def adopt(self, frame: pl.DataFrame, windows: Windows) -> MatchFrame:
        """Windows that were found elsewhere.

        Args:
            frame: candidates, the windows' one after the other.
            windows: those, by the time of their report and then by their last events.
        """
        groups = [column_of(frame, e).alias("group") for e, _ in self._groups]
        return self._matches(frame, groups, windows)

    def _rows(self, frame: pl.DataFrame, groups: list[pl.Series], first_new: int) -> WindowRows:
        time, event = timestamps(frame["_time"]), None
        if self._source.bindings:
            event = _places(frame)
        return WindowRows(time, group_codes(groups) if groups else None, event, first_new)

    def _windows(self, rows: WindowRows, passed: int, watermark: int) -> Windows:
        match self._window:
            case SlidingWindow(extent=extent):
                if isinstance(extent, int):
                    return sliding_by_count(rows, extent)
                return sliding_by_time(rows, micros(extent), watermark)
            case BatchWindow(extent=extent):
                if isinstance(extent, int):
                    return batches_of_count(rows, extent)
                return batches_of_time(rows, micros(extent), self._origin(self._window), watermark)
            case HoppingWindow(size=size, step=step):
                if isinstance(size, int) or isinstance(step, int):
                    return hopping_by_count(rows, *_counts(size, step))
                return hopping_by_time(rows, micros(size), micros(step), passed, watermark, check=self._check)
            case CumulateWindow(size=size, step=step):
                return cumulating(rows, micros(size), micros(step), passed, watermark, check=self._check)
            case SessionWindow(gap=gap):
                return sessions(rows, micros(gap), watermark)
            case _:
                assert_never(self._window)

    def _check(self, count: int) -> None:
        """Ask whether so many windows may be reported at once."""
        self._ceilings.check_batch(count, window=self._window)

    def _first_end(self, earliest: int) -> int:
        """When the batch window of the earliest candidate ends; until then nothing can be reported."""
        if not isinstance(self._window, BatchWindow) or isinstance(self._window.extent, int):
            return earliest
        width, origin = micros(self._window.extent), self._origin(self._window)
        return origin + ((earliest - origin) // width + 1) * width

    def _origin(self, window: BatchWindow) -> int:
        if isinstance(window.start, datetime):
            return micros(window.start)
        return 0 if window.start is None else self._first or 0

    def _matches(self, frame: pl.DataFrame, groups: list[pl.Series], windows: Windows) -> MatchFrame:
        self.considered += len(windows.start)
        aggregates = pl.DataFrame(
            [
                aggregate_ranges(e, self._values(e, frame, windows), windows.start, windows.end).alias(self._name(e))
                for e in self._aggregates
            ]
        )
        windows = replace(windows, time=in_calendar(windows.time))
        chosen = self._output_order(frame, groups, windows, self._standing(frame, aggregates, windows))
        last = windows.last[chosen]
        rows = frame[last].hstack(aggregates[chosen].get_columns())
        keys = [key_text(group[last], of) for group, (_, of) in zip(groups, self._groups, strict=True)]
        lower, upper = windows.lower[chosen], windows.upper[chosen]
        if not isinstance(self._window, SlidingWindow):  # a sliding window follows from its event
            keys += [pl.Series(lower).cast(pl.String), pl.Series(upper).cast(pl.String)]
        return MatchFrame(rows, windows.time[chosen], {self._source.variable: rows["_id"]}, (lower, upper), keys)

    @staticmethod
    def _values(e: Aggregate, frame: pl.DataFrame, windows: Windows) -> pl.Series:
        """What is aggregated, in the order of the windows."""
        values = aggregated_values(e, frame)
        return values if windows.order is None else values[windows.order]

    def _standing(self, frame: pl.DataFrame, aggregates: pl.DataFrame, windows: Windows) -> Ints:
        """The windows of which HAVING and the comparisons of the short form are true."""
        if not self._conditions:
            return np.arange(len(windows.last))
        plain = {plain_name(node) for e in self._conditions for node in columns_of(e)}
        rows = aggregates.hstack(frame.select(sorted(plain))[windows.last].get_columns()) if plain else aggregates
        return np.flatnonzero(mask_of(rows, [column_expression(e, self._name) for e in self._conditions]))

    def _output_order(self, frame: pl.DataFrame, groups: list[pl.Series], windows: Windows, standing: Ints) -> Ints:
        """By time and last event; windows of one event by their events, then by group and selected bindings."""
        order = _by_time(windows, standing, frame.height)
        if not self._source.bindings:
            return order
        ids, time = frame["_id"][windows.last[order]], windows.time[order]
        another = np.ones(len(order), dtype=bool)
        another[1:] = (time[1:] != time[:-1]) | (ids[1:] != ids[:-1]).to_numpy()
        event = np.empty(len(windows.last), np.int64)
        event[order] = np.cumsum(another)

        def breakers(tied: Ints) -> list[pl.Series]:
            last = windows.last[tied]
            by_group = [group[last] for group in groups]
            solutions = [*by_group, *binding_columns(frame[last], self._bindings), pl.Series(last)]
            return [*_by_events(frame, windows, tied), *solutions]

        return settle_ties(order, event, breakers)

    def state(self) -> OperatorState:
        """The candidates of windows to come, the first time stamp of all, and the last watermark."""
        return OperatorState({"kept": self._kept}, {"first": self._first, "passed": self._passed})

    def load(self, state: OperatorState) -> None:
        """Take them back."""
        self._kept, self._first = state.tables["kept"], state.numbers["first"]
        passed = state.numbers["passed"]
        self._passed = _BEGINNING if passed is None else passed


def _by_time(windows: Windows, standing: Ints, height: int) -> Ints:
    """Windows by their times and, among those of one time, by their last rows."""
    last, time = windows.last[standing], windows.time[standing]
    by_row = np.full(height, -1)
    by_row[last] = np.arange(len(last))
    order = by_row[by_row >= 0]
    if len(order) < len(last):  # windows that overlap may share their last row
        order = np.lexsort([last, time])
    elif (np.diff(time[order]) < 0).any():
        order = order[np.argsort(time[order], kind="stable")]
    sorted_windows: Ints = standing[order]
    return sorted_windows


def _by_events(frame: pl.DataFrame, windows: Windows, tied: Ints) -> list[pl.Series]:
    """What sorts windows that end with the same event: the earliest begun, the longest, whose events come first."""
    start, end = windows.start[tied], windows.end[tied]
    order = np.arange(frame.height) if windows.order is None else windows.order
    place = _places(frame)[order]
    events = ["".join(f"{p:012d}" for p in place[s:e]) for s, e in zip(start, end, strict=True)]
    return [pl.Series(place[start]), pl.Series(start - end), pl.Series(events)]


def _places(frame: pl.DataFrame) -> Ints:
    """Each row's event by its place in the total order; the solutions of an event share it."""
    time, ids = timestamps(frame["_time"]), frame["_id"]
    another = np.ones(len(time), dtype=bool)
    another[1:] = (time[1:] != time[:-1]) | (ids[1:] != ids[:-1]).to_numpy()
    return np.cumsum(another)


def _windows_per_event(window: _Window) -> int:
    """In how many reported windows an event lies at the most."""
    match window:
        case HoppingWindow(size=timedelta() as size, step=timedelta() as step) | CumulateWindow(size=size, step=step):
            return -(-size // step)
        case HoppingWindow(size=int(size), step=int(step)):
            return -(-size // step)
        case _:
            return 1


def _counts(size: timedelta | int, step: timedelta | int) -> tuple[int, int]:
    if isinstance(size, int) and isinstance(step, int):
        return size, step
    raise OperatorError("size and step are of different kinds", hint="give both as durations or as events")


def _only_window(query: Query) -> _Window:
    windows = [w for w in query.windows if not isinstance(w, CorrelationWindow)]
    if len(windows) != 1 or len(query.windows) != 1:
        kinds = ", ".join(type(w).__name__ for w in query.windows) or "none"
        raise OperatorError(f"aggregates take one window, not these: {kinds}", hint="write one WINDOW of its variable")
    return windows[0]


def _groups(query: Query) -> list[Expression]:
    """What PARTITION BY and GROUP BY say together."""
    source = query.sources[0]
    types = {attribute.name: attribute.type for attribute in source.stream.attributes}
    partition = [
        Column(variable, name, types.get(name, ValueType.IRI), source.span)
        for columns in query.partition_by
        for variable, name in columns
    ]
    return [*partition, *query.group_by]
