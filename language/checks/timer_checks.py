"""Timers of SEQ: where they may stand, and which of them could never hold (LANGUAGE-2 §8)."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from itertools import groupby

from .. import syntax_tree as syntax
from ..nodes import CorrelationWindow, Link, Negation, Pattern, Sequence, Timer, may_be_empty, walk_pattern
from .query_draft import Draft
from .resolution import Scope, check_length


def check_timers_written(scope: Scope, pattern: syntax.Pattern) -> None:
    """Timers stand between the links of SEQ, each with a length, and EVERY with its end.

    Raises:
        QueryTypeError: one stands elsewhere, or lacks something.
    """
    beside = pattern.parts if isinstance(pattern, syntax.PatternConcatenation) else (pattern,)
    for timer in (node for node in syntax.walk(pattern) if isinstance(node, syntax.PatternTimer)):
        word, written = ("EVERY" if timer.recurring else "AFTER"), scope.quote(timer.span)
        if not timer.duration.value:
            raise scope.error(timer.duration.span, f"{word} of no length", f"{word} takes a duration above 0")
        check_length(scope, timer.duration.value, timer.duration.span, f"{word} is")
        if timer.recurring and timer.until is None:
            hint = f"name the event that ends it: {written} UNTIL ?b, with ?b in FROM"
            raise scope.error(timer.span, "this EVERY does not say how long", hint)
        if not any(timer is part for part in beside):
            hint = f"write it between links, SEQ (?a, {written}, …); for several ways on write several queries"
            raise scope.error(timer.span, f"{word} in a group, or in AND or OR", hint)


def check_timers(scope: Scope, draft: Draft) -> None:
    """What a timer counts from has happened before it, and it can hold.

    Raises:
        QueryTypeError: it comes first, beside `=>`, EVERY not last, or it never holds.
    """
    parts, links = _chain(draft.pattern)
    for place, timer in enumerate(parts):
        if not isinstance(timer, Timer):
            continue
        written = scope.quote(timer.span)
        if all(map(may_be_empty, parts[:place])):
            message = f"{written} may come first, and there is nothing from which it counts"
            raise scope.error(timer.span, message, f"begin with an event: SEQ (?a, {written}, …)")
        if timer.until is not None and place < len(parts) - 1:
            hint = "write AFTER where something follows, or ask for what follows in a query over this one"
            raise scope.error(timer.span, f"{written} is not the last of SEQ", hint)
        _check_width(scope, draft, timer)
    for between, around in _segments(parts, links):
        first = next((part for part in between if isinstance(part, Timer)), None)
        if first is not None and Link.STRICT in around:
            hint = "write '->>' or '->' there; where POLICY is strict ',' is '=>'"
            raise scope.error(first.span, "'=>' beside a timer: no event is the very next to a moment", hint)
        _check_order(scope, between)
    _check_neighbours(scope, parts)


def _chain(pattern: Pattern | None) -> tuple[tuple[Pattern, ...], tuple[Link, ...]]:
    """The parts of SEQ and the links between them."""
    if pattern is None:
        return (), ()
    return (pattern.parts, pattern.links) if isinstance(pattern, Sequence) else ((pattern,), ())


def _segments(
    parts: tuple[Pattern, ...], links: tuple[Link, ...]
) -> Iterator[tuple[tuple[Pattern, ...], tuple[Link, ...]]]:
    """What stands between events, NOTs and timers, with the links around it."""
    for silent, group in groupby(enumerate(parts), key=lambda one: isinstance(one[1], Negation | Timer)):
        if silent:
            places, between = zip(*group, strict=True)
            yield between, links[max(places[0] - 1, 0) : places[-1] + 1]


def _check_neighbours(scope: Scope, parts: tuple[Pattern, ...]) -> None:
    """What stands between two events is known from the text where there are timers.

    Raises:
        QueryTypeError: something may be left out between NOTs and timers, or they stand beside a group with NOTs.
    """
    for between, behind in _gaps(parts):
        timer = next((part for part in between if isinstance(part, Timer)), None)
        others = [part for part in (*between, *behind) if not isinstance(part, Negation | Timer)]
        inside = next((part for other in others for part in walk_pattern(other) if isinstance(part, Negation)), None)
        silent = [key for key, _ in groupby(between, key=lambda part: isinstance(part, Negation | Timer)) if key]
        if timer is not None and inside is not None:
            message = f"{scope.quote(inside.span)} stands in a group, or in AND or OR, beside {scope.quote(timer.span)}"
            raise scope.error(inside.span, message, "write the NOT between the links of SEQ, or a query of its own")
        if timer is not None and len(silent) > 1:
            optional = next(part for part in between if not isinstance(part, Negation | Timer))
            message = f"this may be left out between NOTs and {scope.quote(timer.span)}"
            raise scope.error(optional.span, message, "write two queries, with it and without it")


def _gaps(parts: tuple[Pattern, ...]) -> Iterator[tuple[tuple[Pattern, ...], tuple[Pattern, ...]]]:
    """What may be all that stands between two events, and the parts around it that have them."""
    for empty, group in groupby(enumerate(parts), key=lambda one: may_be_empty(one[1])):
        if empty:
            places, between = zip(*group, strict=True)
            yield between, (*parts[: places[0]][-1:], *parts[places[-1] + 1 :][:1])


def _check_order(scope: Scope, between: tuple[Pattern, ...]) -> None:
    """All durations between two events count from the first of them, so each has to be longer than those before."""
    passed, timers = timedelta(0), timedelta(0)
    for part in between:
        if isinstance(part, Timer) and part.until is None:
            if part.duration <= passed:
                message = f"{scope.quote(part.span)} would be over before what stands before it"
                raise scope.error(part.span, message, "durations between two events all count from the first of them")
            passed = timers = part.duration
        elif isinstance(part, Negation) and part.duration is not None:
            if part.duration <= timers:
                message = f"{scope.quote(part.span)} would be over before the timer in front of it"
                raise scope.error(part.span, message, "durations between two events all count from the first of them")
            passed = max(passed, part.duration)


def _check_width(scope: Scope, draft: Draft, timer: Timer) -> None:
    """A timer lies within the shortest WINDOW, which counts from the first event."""
    widths = [window.width for window in draft.windows if isinstance(window, CorrelationWindow)]
    shortest = min(widths, default=timer.duration)
    if timer.duration > shortest:
        message = f"{scope.quote(timer.span)} lies beyond the shortest WINDOW"
        raise scope.error(timer.span, message, "make the WINDOW longer, or the timer shorter")
