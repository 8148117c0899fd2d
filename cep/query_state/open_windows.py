"""What windows of aggregates hold that an event could still come to, and which matches WINDOWs let go on."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta

import numpy as np
import polars as pl

from ...expressions import Ints, micros, timestamps
from ...language.nodes import CheckWindow, CorrelationWindow, HoppingWindow, Query, SlidingWindow
from ..order import UNBOUNDED
from .held_state import HeldState

__all__ = ["held_by_windows", "in_sliding_windows", "latest_completion"]


def held_by_windows(
    query: Query, kept: pl.DataFrame, moment: int, group_of: Callable[[pl.DataFrame], Ints]
) -> HeldState:
    """The state of an aggregate.

    Args:
        query: the query.
        kept: the candidates that later windows can hold, or that are counted on the way to them.
        moment: in microseconds.
        group_of: the group of each candidate as a code.
    """
    for window in query.windows:
        match window:
            case HoppingWindow(size=int() as size, step=int() as step) if size < step and kept.height:
                group = group_of(kept)  # those of each begin with a window
                kept = kept.filter(pl.Series(np.bincount(group)[group] < size))
            case _:
                pass
        if isinstance(window, SlidingWindow | CheckWindow) and isinstance(window.extent, timedelta):
            kept = kept.filter(pl.Series(timestamps(kept["_time"]) > moment - micros(window.extent)))
    (source,) = query.sources
    return (
        HeldState({source.variable: kept}, [{source.variable: range(kept.height)}], [2**62])
        if kept.height
        else HeldState()
    )


def in_sliding_windows(query: Query, state: HeldState, moment: int) -> HeldState:
    """The partial matches of JOIN without SEQ that sliding windows hold, whichever event comes next."""
    windows = [window for window in query.windows if isinstance(window, SlidingWindow)]
    if not windows:
        return state
    rows: list[Mapping[str, Sequence[int]]] = []
    until: list[int] = []
    for one, end in zip(state.rows, state.until, strict=True):
        ends = [
            _end(window, one.get(window.variable, ()), state.candidates[window.variable], moment) for window in windows
        ]
        if len(one) < len(query.sources) and all(found > moment + 1 for found in ends):
            rows.append(one)
            until.append(min(end, *ends))
    return HeldState(state.candidates, rows, until)


def latest_completion(query: Query, times: Mapping[str, Ints]) -> Ints:
    """The last moments at which events of all other variables may come, as WINDOWs say.

    Args:
        query: the query.
        times: by bound variable, the time stamps of its events, one for each partial match.
    """
    windows = [(w.variables, micros(w.width)) for w in query.windows if isinstance(w, CorrelationWindow)]
    if query.retention is not None:
        windows.append((tuple(source.variable for source in query.sources), micros(query.retention)))
    latest: Ints = np.full(len(next(iter(times.values()))), UNBOUNDED)
    for variables, width in windows:
        bound = [times[v] for v in variables if v in times]
        if bound and len(bound) < len(variables):
            latest = np.minimum(latest, np.min(bound, axis=0) + width)
    return latest


def _end(window: SlidingWindow, rows: Sequence[int], candidates: pl.DataFrame, moment: int) -> int:
    """When a window lets go of the first of these candidates."""
    if not rows:
        return 2**62
    if isinstance(window.extent, timedelta):
        times: Ints = timestamps(candidates["_time"])
        return int(times[np.array(rows)].min()) + micros(window.extent)
    return 2**62 if min(rows) >= candidates.height - window.extent else moment
