"""What windows of aggregates hold that an event could still come to, and which matches WINDOWs let go on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta

import numpy as np
import polars as pl

from ...expressions import Ints, micros, timestamps
from ...language.nodes import CheckWindow, CorrelationWindow, HoppingWindow, Query, SlidingWindow
from ..order import UNBOUNDED
from .held_state import BoundEvents, HeldState

__all__ = ["held_by_windows", "in_sliding_windows", "latest_completion"]

_ALWAYS = np.array([2**62])


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
    if not kept.height:
        return HeldState()
    every = np.arange(kept.height)
    return HeldState({source.variable: kept}, {source.variable: BoundEvents(np.zeros_like(every), every)}, _ALWAYS)


def in_sliding_windows(query: Query, state: HeldState, moment: int) -> HeldState:
    """The partial matches of JOIN without SEQ that sliding windows hold, whichever event comes next."""
    windows = [w for w in query.windows if isinstance(w, SlidingWindow) and w.variable in state.bound]
    if not windows or not len(state.until):
        return state
    most = np.full(len(state.until), _ALWAYS[0])
    for window in windows:
        of = state.bound[window.variable]
        np.minimum.at(most, of.match, _ends(window, of.row, state.candidates[window.variable], moment))
    parts = [np.unique(of.match) for of in state.bound.values()]
    bound = np.bincount(np.concatenate(parts), minlength=len(most))
    return state.only((bound < len(query.sources)) & (most > moment + 1), np.minimum(most, state.until))


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


def _ends(window: SlidingWindow, rows: Ints, candidates: pl.DataFrame, moment: int) -> Ints:
    """When a window lets go of each of these candidates."""
    if isinstance(window.extent, timedelta):
        times: Ints = timestamps(candidates["_time"])[rows] + micros(window.extent)
        return times
    return np.where(rows >= candidates.height - window.extent, _ALWAYS[0], moment)
