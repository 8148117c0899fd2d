"""Aggregation: one variable's candidates, one window, one row per window (docs/semantics.md 3.14)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

import numpy as np
import polars as pl

from ...errors import OperatorError
from ...expressions import Bools, Ints, Names, timestamps
from ...language.nodes import BatchWindow, CheckWindow, ContextWindow, CorrelationWindow, Query
from ..limits import Ceilings, Limits
from ..order import UNBOUNDED, Interval, SharedEvents, empty_candidates, group_codes
from ..output import ConditionCount, MatchFrame
from ..partitions import WINDOW_COLUMN, PartitionWindows, QuerySharing
from ..snapshot_codec import OperatorState
from .window_assigner import WindowAssigner, WindowClause, ends_with_time, windows_per_event
from .window_frames import ContextRows, WindowRows, Windows
from .window_order import event_places
from .window_report import WindowReport

__all__ = ["AggregationKernel"]

_BEGINNING = -(2**62)  # below every time stamp, in microseconds


class AggregationKernel:
    """Keeps the candidates that a later window can hold.

    Attributes:
        sharing: of several queries, which go through it as one; `None`: it is of one query.

    Args:
        query: of one variable, with a window.
        limits: how much it may take.
        within: the moments of WITHIN.
        windows: of a query in contexts, what is known of their windows.

    Raises:
        CeilingError: an event lies in more windows than the limits allow.
    """

    recurrence = None
    counted: tuple[ConditionCount, ...] = ()

    def __init__(
        self,
        query: Query,
        limits: Limits | None = None,
        within: Interval | None = None,
        windows: PartitionWindows | None = None,
    ) -> None:
        self._windows, self._within = windows, within or Interval()
        self._source = query.sources[0]
        self._window = _only_window(query)
        ceilings = Ceilings(query, limits or Limits())
        ceilings.check_windows(windows_per_event(self._window), self._window)
        check = partial(ceilings.check_batch, window=self._window)
        self._assigner = WindowAssigner(self._window, check, ceilings.check_time)
        self._report = WindowReport(query, self._window, windows)
        self._kept = empty_candidates(self._source)
        self.considered = 0
        self._first: int | None = None
        self.passed = _BEGINNING
        self.tally = np.empty(0, dtype=np.int64)
        self.sharing: QuerySharing | None = None
        self._events: SharedEvents | None = None

    @property
    def names(self) -> Names:
        """See `WindowReport.names`."""
        return self._report.names

    @property
    def due(self) -> int | None:
        """When the first window ends of those that hold candidates and end with the watermark."""
        if not self._kept.height:
            return None
        if isinstance(self._window, ContextWindow):
            return None if self._windows is None else self._windows.next_end
        time = timestamps(self._kept["_time"])
        return self._assigner.due(self._kept_rows, int(time[0]), self._first, self.passed)

    @property
    def kept(self) -> Mapping[str, pl.DataFrame]:
        """See `JointKernel.kept`: those that a later window can hold."""
        return {self._source.variable: self._kept}

    def lasting(self, moment: int) -> pl.DataFrame:
        """The candidates that are kept and lie in context windows behind a moment, or in windows that time ends."""
        if self._windows is None or not self._report.beyond or ends_with_time(self._window):
            return self._kept
        goes_on = ~np.isin(self._kept[WINDOW_COLUMN].to_numpy(), self._windows.ended(moment + 1))
        return self._kept.filter(pl.Series(goes_on))

    def keep(self, frames: Mapping[str, pl.DataFrame], passed: int, found: int) -> None:
        """See `JointKernel.keep`."""
        self._kept, self.passed = frames[self._source.variable], passed
        self.considered += found

    @property
    def oldest(self) -> int | None:
        """See `Kernel.oldest`: the first candidate that is kept."""
        return int(timestamps(self._kept["_time"][:1])[0]) if self._kept.height else None

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
        first_new, passed = self._kept.height, self.passed
        self.passed = watermark
        frame = self._and(new)
        if not frame.height:
            return None
        earliest = int(timestamps(frame["_time"][:1])[0])
        self._first = earliest if self._first is None else self._first
        if self._is_early(watermark, earliest):
            self._kept = frame
            return None
        groups = self._report.groups(frame)
        if self._windows is not None:
            self._report.forget(self._windows.ended(passed))
        windows = self._assigner.windows(self._rows(frame, groups, first_new), self._first, passed, watermark)
        self._kept = self._left(frame, windows.keep & self._lasting(frame, watermark))
        return self._reported(frame, groups, windows) if len(windows.start) else None

    def _is_early(self, watermark: int, earliest: int) -> bool:
        """Whether no window can have ended, as far as that is seen without looking at candidates."""
        if self._windows is None:
            return watermark < self._assigner.first_end(earliest, self._first)
        return isinstance(self._window, ContextWindow) and not len(self._windows.ended(watermark))

    def _lasting(self, frame: pl.DataFrame, watermark: int) -> Bools:
        """Which candidates lie in a context window that has not ended; what ended is of no use any more."""
        if self._windows is None or self._report.beyond:
            return np.ones(frame.height, dtype=bool)
        lasting: Bools = ~np.isin(frame[WINDOW_COLUMN].to_numpy(), self._windows.ended(watermark))
        return lasting

    def group_of(self, frame: pl.DataFrame) -> Ints:
        """The group of each candidate as a code."""
        groups = self._report.groups(frame)
        return group_codes(groups) if groups else np.zeros(frame.height, dtype=np.int64)

    def adopt(self, frame: pl.DataFrame, windows: Windows) -> MatchFrame:
        """Windows that were found elsewhere.

        Args:
            frame: candidates, the windows' one after the other.
            windows: those, by the time of their report and then by their last events.
        """
        return self._reported(frame, self._report.groups(frame), windows)

    def _kept_rows(self) -> WindowRows:
        return self._rows(self._kept, self._report.groups(self._kept), 0)

    def _rows(self, frame: pl.DataFrame, groups: list[pl.Series], first_new: int) -> WindowRows:
        time = timestamps(frame["_time"])
        event = event_places(time, frame["_id"]) if self._source.bindings else None
        codes = group_codes(groups) if groups else None
        whole = None if self._windows is None else group_codes(groups[:1])
        return WindowRows(time, codes, event, first_new, self._contexts(frame, time), whole, frame)

    def _contexts(self, frame: pl.DataFrame, time: Ints) -> ContextRows | None:
        """The context windows of candidates, where the windows of the aggregate depend on them."""
        first = isinstance(self._window, BatchWindow) and self._window.start == "first"
        if self._windows is None or not (first or isinstance(self._window, ContextWindow)):
            return None
        of, ids = self._windows, frame[WINDOW_COLUMN].to_numpy()
        places = of.places(ids)
        since, until, start, end = (of.column(name)[places] for name in ("since", "until", "start", "end"))
        closed = until < self.passed
        whole = closed & ((since >= self._within.first - 1) | (self._within.first <= -UNBOUNDED))
        whole &= (until <= self._within.last) & (of.column("cut")[places] == 0)
        return ContextRows(closed, whole, start, end, of.note_first(ids, time) if first else time)

    def _reported(self, frame: pl.DataFrame, groups: list[pl.Series], windows: Windows) -> MatchFrame:
        self.considered += len(windows.start)
        reported = self._report.of(frame, groups, windows, self.sharing)
        if reported.asking is not None:
            self.tally = np.bincount(reported.asking)
        return reported.matches

    def share(self, events: SharedEvents) -> None:
        """See `Kernel.share`."""
        self._events = events

    def _and(self, new: pl.DataFrame) -> pl.DataFrame:
        """What it keeps, and behind it what is new."""
        new = new if self._events is None else self._events.shared(new)
        return pl.concat([self._kept, new]) if self._kept.height else new

    def _left(self, frame: pl.DataFrame, lasting: Bools) -> pl.DataFrame:
        """Those candidates that last: mostly the last ones, which are not copied."""
        first = int(lasting.argmax()) if lasting.any() else len(lasting)
        if self._events is None or not lasting[first:].all():
            return frame.filter(pl.Series(lasting))
        return self._events.put_together(frame[first:])

    def state(self) -> OperatorState:
        """The candidates of windows to come, the first time stamp of all, and the last watermark."""
        tables = {"kept": self._kept, **self._report.tables()}
        return OperatorState(tables, {"first": self._first, "passed": self.passed})

    def load(self, state: OperatorState) -> None:
        """Take them back."""
        self._kept, self._first = state.tables["kept"], state.numbers["first"]
        self._report.load(state.tables)
        passed = state.numbers["passed"]
        self.passed = _BEGINNING if passed is None else passed


def _only_window(query: Query) -> WindowClause:
    windows = [w for w in query.windows if not isinstance(w, CorrelationWindow)]
    if len(windows) != 1 or len(query.windows) != 1:
        kinds = ", ".join(type(w).__name__ for w in query.windows) or "none"
        raise OperatorError(f"aggregates take one window, not these: {kinds}", hint="write one WINDOW of its variable")
    (window,) = windows
    if isinstance(window, CheckWindow) and window.extent is None and query.retention is not None:
        return replace(window, extent=query.retention)
    return window
