"""A query whose state is asked for: its operator keeps whole events, and all partial matches (LANGUAGE-2 §9)."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from ...language.nodes import (
    CheckWindow,
    Conjunction,
    Element,
    Group,
    Kind,
    Link,
    Negation,
    Pattern,
    Policy,
    Query,
    Sequence,
    SlidingWindow,
    Source,
    Timer,
    Window,
    is_individual,
    unnamed_variables,
    walk_pattern,
)

__all__ = ["finds_more_when_watched", "watch"]


def finds_more_when_watched(query: Query) -> bool:
    """Whether a watched query has matches that LIMIT does not count: those that sliding windows let go of."""
    sliding = any(isinstance(window, SlidingWindow) for window in query.windows)
    return query.limit is not None and query.kind is Kind.PATTERN and sliding


def watch(query: Query) -> Query:
    """The query as its state is held: of the same matches and windows.

    Variables that SEQ does not name may come in any order, as in an AND. Windows are as much larger as it takes to know
    what they hold once nothing more comes.
    """
    within = query.in_context
    return replace(
        query,
        sources=tuple(map(_whole, query.sources)),
        pattern=_pattern(query) if query.kind is Kind.PATTERN else None,
        policy=Policy.ANY if query.pattern is None else query.policy,
        windows=tuple(w for window in query.windows if (w := _window(query, window)) is not None),
        in_context=None if within is None else replace(within, together=False, grouped=False),
    )


def _whole(source: Source) -> Source:
    """With all columns of the stream."""
    names = [a.name for a in source.stream.attributes if a.name != "_time"]
    names += [a.property for a in source.stream.attributes if is_individual(a) and a.property is not None]
    return replace(source, columns=tuple(sorted({*source.columns, *names})))


def _pattern(query: Query) -> Pattern | None:
    free = [] if _is_tied(query) else unnamed_variables([s.variable for s in query.sources], query.pattern)
    if not free:
        return query.pattern
    elements = [Element(s.variable, None, s.span) for s in query.sources if s.variable in free]
    parts = (*([] if query.pattern is None else [query.pattern]), *elements)
    return parts[0] if len(parts) == 1 else Conjunction(parts, query.span)


def _is_tied(query: Query) -> bool:
    """Whether what comes in between decides about SEQ, so that an AND with other variables would say something else."""
    parts = () if query.pattern is None else walk_pattern(query.pattern)
    return query.policy is not Policy.ANY or any(map(_decides, parts))


def _decides(part: Pattern) -> bool:
    match part:
        case Negation() | Timer():
            return True
        case Sequence(links=links):
            return bool(set(links) - {Link.ANY})
        case Element(quantifier=quantifier) | Group(quantifier=quantifier):
            return quantifier is not None and (quantifier.link is not Link.ANY or quantifier.until is not None)
        case _:
            return False


def _window(query: Query, window: Window) -> Window | None:
    match window:
        case SlidingWindow() if query.kind is Kind.PATTERN:
            return None
        case SlidingWindow(extent=int() as count):
            return replace(window, extent=count + 1)
        case SlidingWindow(extent=timedelta() as width) | CheckWindow(extent=timedelta() as width):
            return (
                replace(window, extent=width + timedelta(microseconds=1))
                if isinstance(window, SlidingWindow)
                else window
            )
        case _:
            return window
