"""Windows that are open at a moment: which candidates they hold (LANGUAGE-2 §9)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta

from kaicep.language.nodes.pattern import (
    BatchWindow,
    CheckWindow,
    ContextWindow,
    CorrelationWindow,
    CumulateWindow,
    HoppingWindow,
    SessionWindow,
    SlidingWindow,
    Window,
)
from kaicep.language.nodes.query import Query

from .expressions import Candidate
from .rows import groups
from .values import EPOCH
from .windows import checked, contents


def open_candidates(
    query: Query, candidates: Mapping[str, Sequence[Candidate]], at: datetime, *, closed: bool = False
) -> dict[str, list[Candidate]]:
    """The candidates of an aggregate that lie in a window which is open at a moment; none came later.

    Args:
        query: the query.
        candidates: of its variable.
        at: the moment.
        closed: none can come either: only windows that end with time are open.
    """
    (source,) = query.sources
    (window,) = [w for w in query.windows if not isinstance(w, CorrelationWindow)]
    timed = isinstance(window, BatchWindow | HoppingWindow | CumulateWindow | SessionWindow) and not isinstance(
        getattr(window, "extent", getattr(window, "size", None)), int
    )
    if closed and not timed:
        return {}
    every = candidates[source.variable]
    found = [c for group in groups(query, source.variable, every).values() for c in held_by(window, group, every, at)]
    return {source.variable: found}


def held_by(
    window: Window, group: Sequence[Candidate], every: Sequence[Candidate], at: datetime
) -> Sequence[Candidate]:
    """What the windows of one group hold that an event right after the moment could still lie in."""
    after = at + timedelta(microseconds=1)
    match window:
        case SlidingWindow(extent=timedelta() as width):
            return [c for c in group if at - c.event.time < width]
        case SlidingWindow(extent=int() as count, shared=shared):
            return [c for c in group if c in every[-count:]] if shared else group[-count:]
        case CheckWindow():
            return _checked(window, group, every, at)
        case BatchWindow(extent=int() as count):
            return group[len(group) - len(group) % count :]
        case BatchWindow(extent=timedelta() as width, start=start):
            origin = every[0].event.time if start == "first" else start or EPOCH
            return _since(group, lambda time: origin + (time - origin) // width * width, width, after)
        case HoppingWindow(size=int() as size, step=int() as step):
            first = max(0, -(-(len(group) - size + 1) // step)) * step
            return group[first:]
        case HoppingWindow(size=timedelta() as size, step=timedelta() as step):
            last = after - (after - EPOCH) % step
            starts = [last - k * step for k in range(size // step + 1) if after < last - k * step + size]
            return [c for c in group if any(start <= c.event.time for start in starts)]
        case CumulateWindow(size=size):
            return _since(group, lambda time: time - (time - EPOCH) % size, size, after)
        case SessionWindow(gap=gap):
            session = list(contents(window, group, every))[-1].members if group else ()
            return session if session and after - session[-1].event.time < gap else ()
        case ContextWindow():
            return group
    raise TypeError(type(window))


def _since(
    group: Sequence[Candidate], start_of: Callable[[datetime], datetime], width: timedelta, at: datetime
) -> Sequence[Candidate]:
    start = start_of(at)
    return [c for c in group if start <= c.event.time < start + width]


def _checked(
    window: CheckWindow, group: Sequence[Candidate], every: Sequence[Candidate], at: datetime
) -> Sequence[Candidate]:
    """What the condition leaves with the last candidate; what is bounded besides has to lie in that, too."""
    steps = [held for _, held in checked(window, group, every)]
    held = steps[-1] if steps else []
    width = window.extent if isinstance(window.extent, timedelta) else None
    return [c for c in held if c in group and (width is None or at - c.event.time < width)]
