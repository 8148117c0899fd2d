"""How far back the state of a query reaches: what lies further behind the watermark makes no difference to later rows.

Source: state retention of windowed joins (Kang, Naughton and Viglas 2003); Flink's state time-to-live.
"""

from __future__ import annotations

from datetime import timedelta
from typing import assert_never

from ..language.nodes import (
    AfterMatchKind,
    BatchWindow,
    CheckWindow,
    ContextSet,
    ContextWindow,
    CorrelationWindow,
    CumulateWindow,
    Expression,
    HoppingWindow,
    Kind,
    Negation,
    Query,
    SessionWindow,
    SlidingWindow,
    Timer,
    Window,
    aggregates_of,
    conjuncts,
    forgets_beginning,
    span_bound,
    walk_pattern,
)
from .order import sees_all_events

__all__ = ["horizon_of"]

_SMALLEST = timedelta(microseconds=1)


def horizon_of(query: Query) -> timedelta | None:
    """Return how far behind the watermark of its streams events lie that a query may still need.

    A query that has seen only these, in whatever state of the reorder buffer, goes on as one that has seen all.

    Returns:
        `None`: however far, as what DISTINCT, LIMIT, AFTER MATCH, sessions, counted events and contexts that queries
        begin remember.
    """
    if not all(map(_goes_by_the_clock, query.context_sets)):
        return None
    rate = query.output_rate
    if query.distinct or query.limit is not None or (rate is not None and isinstance(rate.every, int)):
        return None
    windows = _of_windows(query)
    if windows is None:
        return None
    # What is reported waits for the end of OUTPUT's period, which begins with what a window before it needs.
    return windows if rate is None or isinstance(rate.every, int) else windows + rate.every


def _goes_by_the_clock(contexts: ContextSet) -> bool:
    """Whether no event says which context holds; one that a query has begun may be open since any time."""
    return all(context.calendar is not None for context in contexts.contexts[1:])


def _of_windows(query: Query) -> timedelta | None:
    widths = [_width(window, query.retention) for window in query.windows]
    known = [width for width in widths if width is not None]
    if len(known) < len(widths):
        return None
    match query.kind:
        case Kind.SELECTION:
            return timedelta(0)
        case Kind.AGGREGATION:
            return sum(known, timedelta(0)) if known and not _compares_reports(query) else None
        case Kind.PATTERN:
            return _of_pattern(query, known)
        case _:
            assert_never(query.kind)


def _of_pattern(query: Query, widths: list[timedelta]) -> timedelta | None:
    """WINDOWs tie all events of a match together, if it has several (`language/checks/boundedness.py`)."""
    parts = list(walk_pattern(query.pattern)) if query.pattern else []
    negations = [part for part in parts if isinstance(part, Negation)]
    waits = [part.duration for part in negations if part.duration is not None]
    timers = [part for part in parts if isinstance(part, Timer)]
    # A last `=> NOT` waits for the very next event, however late it comes.
    endless = any(part.duration is None for part in negations) and sees_all_events(query)
    # EVERY goes on for as long as WINDOW says, else until what ends it comes.
    endless = endless or (not widths and any(timer.until is not None for timer in timers))
    several = [*widths, *([] if query.retention is None else [query.retention])]
    if endless or query.after_match.kind is not AfterMatchKind.KEEP_ALL:
        return None
    return sum([*several, *waits, *(timer.duration for timer in timers)], timedelta(0))


def _compares_reports(query: Query) -> bool:
    """Whether it takes a change of aggregates: a group's report before this one may be of any time."""
    said = [*(item.condition or item.value for item in query.items), *([] if query.having is None else [query.having])]
    taken = [a.argument for expression in said for a in aggregates_of(expression) if a.argument is not None]
    return any(aggregates_of(argument) for argument in taken)


def _width(window: Window, retention: timedelta | None) -> timedelta | None:
    """How long a window is; `None`: it counts events, or is as long as it happens to be."""
    match window:
        case CorrelationWindow(width=width):
            return width
        case SlidingWindow(extent=timedelta() as extent):
            return extent
        case BatchWindow(extent=timedelta() as extent, start=start):
            return None if start == "first" else extent
        case HoppingWindow(size=timedelta() as size) | CumulateWindow(size=timedelta() as size):
            return size
        case SlidingWindow() | BatchWindow() | HoppingWindow() | CumulateWindow() | SessionWindow() | ContextWindow():
            return None
        case CheckWindow(condition=condition, extent=extent):
            return _checked_width(condition, retention if extent is None else extent)
        case _:
            assert_never(window)


def _checked_width(condition: Expression, extent: timedelta | int | None) -> timedelta | None:
    """How much time a window by condition spans at most; `None`: any, or where it begins follows from all before."""
    if not forgets_beginning(condition):
        return None
    spans = [bound.span for part in conjuncts(condition) if (bound := span_bound(part)) is not None]
    bounds = [max(span, timedelta(0)) + _SMALLEST for span in spans]
    return min([*bounds, *([extent] if isinstance(extent, timedelta) else [])], default=None)
