"""Windows by condition: the latest candidates, of which the oldest leave until a condition holds (EStreams §5.1.1).

What a window needs not look at is told by comparisons for which a later beginning never hurts: of the number of events,
of the time between the first and the last, of the first one's value with the last one's, of sums of what is not below
zero. Where there are others, windows are tried.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial

import numpy as np
import polars as pl

from ...errors import OperatorError
from ...expressions import (
    Bools,
    Ints,
    aggregated_values,
    micros,
    plain_name,
    value_codes,
)
from ...language.nodes import (
    Aggregate,
    Binary,
    CheckWindow,
    Column,
    Constant,
    Expression,
    ValueType,
    conjuncts,
    count_bound,
    span_bound,
    structural_key,
    walk,
)
from .window_conditions import WindowConditions
from .window_frames import WindowRows, Windows, group_starts, parts_of_groups, places_of, sorted_rows, window_ends
from .window_trial import Tried, first_beginnings

__all__ = ["checked"]


def checked(rows: WindowRows, window: CheckWindow, check_time: Callable[[], None] = lambda: None) -> Windows:
    """One window per new row: of what its group holds up to its event the latest for which a condition holds.

    Args:
        rows: the candidates, themselves among what they say.
        window: the clause.
        check_time: raises an error when it takes too long.

    Raises:
        OperatorError: the candidates are not given.
        CeilingError: as `check_time` says.
    """
    search = _Search.of(replace(rows, group=rows.whole) if window.shared else rows, window, check_time)
    start = search.starts()
    keep = search.kept(start)
    if window.shared:
        return parts_of_groups(rows, search.order, search.places, start, keep)
    held, order = start < search.end, search.order
    own, first = search.own[held], start[held]
    lower, moment = (rows.time if order is None else rows.time[order])[first], rows.time[own]
    if order is not None:
        keep[order] = keep.copy()
    return Windows(order, first, search.end[held], own, lower, moment, moment, keep)


@dataclass(frozen=True, slots=True)
class _Search:
    """Where windows may begin.

    Attributes:
        rows: the candidates; those of a group have a window by themselves.
        window: the clause.
        frame: the candidates themselves.
        check_time: raises an error when it takes too long.
        order, places, begins: see `sorted_rows`.
        own: the new rows.
        end: the places behind the last one of their windows.
    """

    rows: WindowRows
    window: CheckWindow
    frame: pl.DataFrame
    check_time: Callable[[], None]
    order: Ints | None
    places: Ints
    begins: Bools
    own: Ints
    end: Ints

    @classmethod
    def of(cls, rows: WindowRows, window: CheckWindow, check_time: Callable[[], None]) -> _Search:
        """Of the new ones of some candidates."""
        if rows.frame is None:
            raise OperatorError("a window by condition without candidates", hint="give them with its rows")
        order, places, begins = sorted_rows(rows)
        own = places if order is None else order[places]
        end = window_ends(rows, order, places, begins)
        return cls(rows, window, rows.frame, check_time, order, places, begins, own, end)

    def starts(self) -> Ints:
        """For each new row the place of the first one that its window holds; its end: it holds none."""
        low = np.maximum(group_starts(self.begins)[self.places], self._of_extent())
        left: list[Expression] = []
        for condition in conjuncts(self.window.condition):
            found = None if self.rows.event is not None else self._told_by(condition)
            if found is None:
                left.append(condition)
            else:
                low = np.maximum(low, found)
        low = np.minimum(np.maximum.accumulate(low), self.end)
        return self._tried(low, WindowConditions(left, self.frame, self.order)) if left else low

    def kept(self, start: Ints) -> Bools:
        """Which places later windows can hold, when the latest ones begin so."""
        groups = np.cumsum(self.begins) - 1
        first = np.flatnonzero(self.begins)
        np.maximum.at(first, groups[self.places], start)
        keep: Bools = np.arange(len(self.begins)) >= first[groups]
        return keep

    def _of_extent(self) -> Ints:
        """Where windows would begin if only the extent bounded them."""
        extent = self.window.extent
        if isinstance(extent, int):
            return self.end - extent
        return np.zeros(len(self.own), dtype=np.int64) if extent is None else self._since(extent, strict=True)

    def _since(self, span: timedelta, *, strict: bool) -> Ints:
        """The places of the first rows that are at most so much older than the new ones, or less."""
        moment = self.rows.time[self.own] - micros(span)
        first = np.searchsorted(self.rows.time, moment, "right" if strict else "left")
        return places_of(self.rows, self.order, self.own, first)

    def _told_by(self, condition: Expression) -> Ints | None:
        """Where windows may begin at the earliest, if all that begin later do as well; `None`: it is to be tried."""
        if isinstance(condition, Binary) and condition.operator == "=":
            return self._alike(condition)
        most, span = count_bound(condition), span_bound(condition)
        if most is not None:
            return self.end - most
        if span is not None:
            return self._since(span.span, strict=span.strict)
        return self._of_sum(condition)

    def _alike(self, condition: Binary) -> Ints | None:
        """`FIRST(?e.x) = ?e.x`: behind the last value that is another one."""
        sides = [condition.left, condition.right]
        column = next((side for side in sides if isinstance(side, Column) and not side.wide), None)
        first = next((side for side in sides if isinstance(side, Aggregate) and side.function == "FIRST"), None)
        if column is None or first is None or first.parameters or first.argument is None:
            return None
        if structural_key(first.argument) != structural_key(column) or column.type is ValueType.TERM:
            return None
        values = self._sorted(self.frame[plain_name(column)])
        values = values.fill_nan(None) if values.dtype.is_float() else values
        codes = value_codes(values)
        bound = np.flatnonzero(codes >= 0)
        groups = np.cumsum(self.begins)
        another = np.ones(len(bound), dtype=bool)
        another[1:] = (np.diff(codes[bound]) != 0) | (np.diff(groups[bound]) != 0)
        behind = np.concatenate([[0], bound + 1])  # the places behind bound ones
        run = np.maximum.accumulate(np.where(another, np.arange(len(bound)), 0))
        starts = np.arange(1, len(codes) + 1)  # nothing is like what is unbound, and so nothing is left
        starts[bound] = behind[run]
        return starts[self.places]

    def _sorted(self, values: pl.Series) -> pl.Series:
        return values if self.order is None else values[self.order]

    def _of_sum(self, condition: Expression) -> Ints | None:
        """`SUM(?e.x) <= 100` where nothing is below zero: by the sums from the first row on, and exactly to be sure."""
        match condition:
            case Binary(operator="<" | "<=", left=Aggregate(function="SUM") as summed, right=Constant() as most):
                pass
            case Binary(operator=">" | ">=", left=Constant() as most, right=Aggregate(function="SUM") as summed):
                pass
            case _:
                return None
        values = self._sorted(aggregated_values(summed, self.frame)).cast(pl.Float64).fill_null(0.0).to_numpy()
        wide = any(isinstance(node, Column) and node.wide for node in walk(summed))
        if wide or not isinstance(most.value, int | float) or not (values >= 0).all() or not np.isfinite(values).all():
            return None
        before = np.concatenate([[0.0], np.cumsum(values)])
        found = np.searchsorted(
            before, before[self.end] - most.value, "right" if condition.operator in "<>" else "left"
        )
        found = np.minimum(np.maximum(found, group_starts(self.begins)[self.places]), self.end)
        return found if self._is_first(found, condition) else None

    def _is_first(self, start: Ints, condition: Expression) -> bool:
        """Whether a condition holds of windows that begin so, and of none that begin one row earlier."""
        conditions = WindowConditions([condition], self.frame, self.order)
        some, longer = start < self.end, start > group_starts(self.begins)[self.places]
        return bool(
            conditions.hold(start[some], self.end[some], self.own[some]).all()
            and not conditions.hold(start[longer] - 1, self.end[longer], self.own[longer]).any()
        )

    def _tried(self, low: Ints, conditions: WindowConditions) -> Ints:
        """The first beginnings that will do, none before that of the window before."""
        groups = np.flatnonzero(np.diff(np.cumsum(self.begins)[self.places], prepend=0))
        return first_beginnings(low, self.end, groups, partial(self._hold, conditions))

    def _hold(self, conditions: WindowConditions, tried: Tried) -> Bools:
        self.check_time()
        return conditions.hold(tried.start, tried.end, self.own[tried.numbers], tried.rows)
