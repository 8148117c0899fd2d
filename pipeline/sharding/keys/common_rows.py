"""What of a query looks at the events, or the rows, of all keys: it has one shard."""

from __future__ import annotations

from typing import assert_never

from ....language.nodes import (
    BatchWindow,
    CheckWindow,
    ContextWindow,
    CorrelationWindow,
    CumulateWindow,
    HoppingWindow,
    Kind,
    Negation,
    Pattern,
    Query,
    SessionWindow,
    SlidingWindow,
    Timer,
    Window,
    slides_by_time,
    walk_pattern,
)
from ....language.nodes import Sequence as Links

__all__ = ["why_common"]


def why_common(query: Query) -> str | None:
    """What of a query looks at the events or rows of all keys, in words; `None`: nothing does."""
    counted = query.kind is Kind.PATTERN and not all(map(_ties_in_time, query.windows))
    parts = () if query.pattern is None else tuple(walk_pattern(query.pattern))
    asked: tuple[tuple[bool, str], ...] = (
        (query.rule is not None, "it is a rule"),
        (query.limit is not None, "LIMIT counts all rows"),
        (query.distinct, "DISTINCT compares all rows"),
        (query.output_rate is not None, "OUTPUT hands over the rows of all keys together"),
        (any(isinstance(part, Timer) for part in parts), "it has a timer"),
        (_waits_for_any(query.pattern), "its last NOT waits for the next event"),
        (counted, "a WINDOW counts events, or slides over those of all keys"),
        (
            not all(_of_group(window, query) for window in query.windows),
            "a WINDOW is of all groups, or begins with the first event",
        ),
    )
    return next((reason for holds, reason in asked if holds), None)


def _waits_for_any(pattern: Pattern | None) -> bool:
    last = pattern.parts[-1] if isinstance(pattern, Links) else None
    return isinstance(last, Negation) and last.duration is None


def _ties_in_time(window: Window) -> bool:
    return isinstance(window, CorrelationWindow) or slides_by_time(window)


def _of_group(window: Window, query: Query) -> bool:
    """Whether which events a window holds follows from those of its group, or of its context window, alone."""
    match window:
        case BatchWindow(start=start):
            return start != "first"
        case SlidingWindow(shared=shared) | CheckWindow(shared=shared):
            return not shared
        case HoppingWindow() | CumulateWindow() | SessionWindow() | CorrelationWindow():
            return True
        case ContextWindow():
            return query.in_context is not None
        case _:
            assert_never(window)
