"""Which windows a WINDOW clause makes of candidates, and when the next one ends."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import assert_never

from ...errors import OperatorError
from ...expressions import micros
from ...language.nodes import (
    BatchWindow,
    CheckWindow,
    ContextWindow,
    CumulateWindow,
    HoppingWindow,
    SessionWindow,
    SlidingWindow,
)
from .checked_windows import checked
from .window_frames import (
    WindowRows,
    Windows,
    batches_of_count,
    batches_of_time,
    batches_since,
    cumulating,
    hopping_by_count,
    hopping_by_time,
    sessions,
    shared_by_count,
    sliding_by_count,
    sliding_by_time,
    whole_contexts,
)

__all__ = ["WindowAssigner", "WindowClause", "ends_with_time", "windows_per_event"]

_END = 2**62  # above every window's end, in microseconds

WindowClause = (
    SlidingWindow | BatchWindow | HoppingWindow | CumulateWindow | SessionWindow | ContextWindow | CheckWindow
)


@dataclass(frozen=True, slots=True)
class WindowAssigner:
    """What a window of one variable holds; moments are in microseconds.

    Args:
        window: the clause.
        check: is told how many windows are made at once, before they are.
        check_time: raises an error when looking for windows takes too long.
    """

    window: WindowClause
    check: Callable[[int], None] = lambda _: None
    check_time: Callable[[], None] = lambda: None

    def windows(self, rows: WindowRows, first: int | None, passed: int, watermark: int) -> Windows:
        """The windows that were completed: sliding ones by each new row, those of time by the watermark.

        Args:
            rows: the candidates that they can hold.
            first: the time stamp of the first candidate of all.
            passed: the watermark before.
            watermark: the watermark now.

        Raises:
            CeilingError: as `check` says.
            OperatorError: size and step are of different kinds.
        """
        match self.window:
            case SlidingWindow():
                return _sliding(self.window, rows, watermark)
            case BatchWindow():
                return _batches(self.window, rows, first, watermark)
            case HoppingWindow(size=size, step=step):
                if isinstance(size, int) or isinstance(step, int):
                    return hopping_by_count(rows, *_counts(size, step))
                return hopping_by_time(rows, micros(size), micros(step), passed, watermark, check=self.check)
            case CumulateWindow(size=size, step=step):
                return cumulating(rows, micros(size), micros(step), passed, watermark, check=self.check)
            case SessionWindow(gap=gap):
                return sessions(rows, micros(gap), watermark)
            case ContextWindow():
                if rows.contexts is None:
                    raise OperatorError("WINDOW CONTEXT without a context", hint="write IN CONTEXT")
                return whole_contexts(rows, rows.contexts)
            case CheckWindow():
                return checked(rows, self.window, self.check_time)
            case _:
                assert_never(self.window)

    def due(self, rows: Callable[[], WindowRows], earliest: int, first: int | None, passed: int) -> int | None:
        """When the first window ends that holds candidates and ends with the watermark; `None`: none does.

        Args:
            rows: gives the candidates.
            earliest: the time stamp of the first one.
            first: as in `windows`.
            passed: the watermark.
        """
        match self.window:
            case BatchWindow(extent=timedelta() as extent):
                if self.window.start == "first" and (of := rows()).contexts is not None:
                    begun = of.contexts.first
                    return int((begun + ((of.time - begun) // micros(extent) + 1) * micros(extent)).min())
                return self.first_end(earliest, first)
            case HoppingWindow(size=timedelta() as size, step=timedelta() as step):
                width, stride = micros(size), micros(step)
                return (max(earliest - width, passed - width) // stride + 1) * stride + width
            case CumulateWindow(step=step):
                return (max(earliest, passed) // micros(step) + 1) * micros(step)
            case SessionWindow(gap=gap):
                return int(sessions(rows(), micros(gap), _END).upper.min())
            case _:
                return None

    def first_end(self, earliest: int, first: int | None) -> int:
        """When the batch window of the earliest candidate ends; until then nothing can be reported."""
        if not isinstance(self.window, BatchWindow) or isinstance(self.window.extent, int):
            return earliest
        width, origin = micros(self.window.extent), _origin(self.window, first)
        return origin + ((earliest - origin) // width + 1) * width


def _sliding(window: SlidingWindow, rows: WindowRows, watermark: int) -> Windows:
    if isinstance(window.extent, int):
        return (shared_by_count if window.shared else sliding_by_count)(rows, window.extent)
    return sliding_by_time(rows, micros(window.extent), watermark)


def _batches(window: BatchWindow, rows: WindowRows, first: int | None, watermark: int) -> Windows:
    if isinstance(window.extent, int):
        return batches_of_count(rows, window.extent)
    if window.start == "first" and rows.contexts is not None:
        return batches_since(rows, micros(window.extent), rows.contexts, watermark)
    return batches_of_time(rows, micros(window.extent), _origin(window, first), watermark)


def _origin(window: BatchWindow, first: int | None) -> int:
    if isinstance(window.start, datetime):
        return micros(window.start)
    return 0 if window.start is None else first or 0


def _counts(size: timedelta | int, step: timedelta | int) -> tuple[int, int]:
    if isinstance(size, int) and isinstance(step, int):
        return size, step
    raise OperatorError("size and step are of different kinds", hint="give both as durations or as events")


def windows_per_event(window: WindowClause) -> int:
    """In how many reported windows an event lies at the most."""
    match window:
        case HoppingWindow(size=timedelta() as size, step=timedelta() as step) | CumulateWindow(size=size, step=step):
            return -(-size // step)
        case HoppingWindow(size=int(size), step=int(step)):
            return -(-size // step)
        case _:
            return 1


def ends_with_time(window: WindowClause) -> bool:
    """Whether windows end, and are reported, though nothing comes any more."""
    match window:
        case BatchWindow(extent=timedelta()) | HoppingWindow(size=timedelta()) | CumulateWindow() | SessionWindow():
            return True
        case _:
            return False
