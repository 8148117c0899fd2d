"""The output order of windows: by their time and last event, and what decides among those of one event."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import polars as pl

from ...expressions import Ints, timestamps
from ...language.nodes import Binding
from ..order import binding_columns, settle_ties
from .window_frames import Windows

__all__ = ["event_places", "order_windows"]


def order_windows(  # noqa: PLR0917 - the order's parts
    windows: Windows,
    standing: Ints,
    frame: pl.DataFrame,
    groups: Sequence[pl.Series],
    bindings: Sequence[Binding] | None,
    contexts: Callable[[Ints], Sequence[pl.Series]] = lambda _: (),
) -> Ints:
    """Some windows in output order; those of one event by events, group, selected bindings, context window.

    Args:
        windows: all of them.
        standing: the numbers of those that are reported.
        frame: the candidates, in total order.
        groups: columns of the candidates that tell groups apart.
        bindings: selected columns of semantic variables; `None`: no event has several solutions.
        contexts: gives what context windows are ordered by, of the candidates in these rows.
    """
    order = _by_time(windows, standing, frame.height)
    if bindings is None:
        return order
    event = np.empty(len(windows.last), np.int64)
    event[order] = event_places(windows.time[order], frame["_id"][windows.last[order]])

    def breakers(tied: Ints) -> list[pl.Series]:
        last = windows.last[tied]
        by_group = [group[last] for group in groups]
        solutions = [*by_group, *binding_columns(frame[last], bindings), *contexts(last), pl.Series(last)]
        return [*_by_events(frame, windows, tied), *solutions]

    return settle_ties(order, event, breakers)


def event_places(time: Ints, ids: pl.Series) -> Ints:
    """Each row's event by its place in the total order; the solutions of an event share it."""
    another = np.ones(len(time), dtype=bool)
    another[1:] = (time[1:] != time[:-1]) | (ids[1:] != ids[:-1]).to_numpy()
    return np.cumsum(another)


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
    place = event_places(timestamps(frame["_time"]), frame["_id"])[order]
    events = ["".join(f"{p:012d}" for p in place[s:e]) for s, e in zip(start, end, strict=True)]
    return [pl.Series(place[start]), pl.Series(start - end), pl.Series(events)]
