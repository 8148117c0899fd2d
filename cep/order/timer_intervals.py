"""Timers as kernels run them: NOTs whose intervals end at a moment (LANGUAGE-2 §8).

`AFTER d` is `NOT … FOR d` of what never comes. `EVERY d UNTIL ?b` is `NOT ?b FOR d`, asked again and again.
A NOT in front of a timer ends just before its moment, and one behind it begins there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import cast

from ...language.nodes import Negation, Pattern, Query, Timer
from ...language.nodes import Sequence as Links

__all__ = ["with_timer_intervals"]

_MICROSECOND = timedelta(microseconds=1)


def with_timer_intervals(query: Query) -> Query:
    """A query whose timers are NOTs; once more the same if it has none."""
    pattern = query.pattern
    if not isinstance(pattern, Links) or not any(isinstance(part, Timer) for part in pattern.parts):
        return query
    return replace(query, pattern=replace(pattern, parts=tuple(_intervals(pattern.parts))))


def _intervals(parts: Sequence[Pattern]) -> Iterator[Negation | Pattern]:
    """The parts of SEQ; between two events all durations count from the first of them."""
    since = passed = timedelta(0)
    for place, part in enumerate(parts):
        match part:
            case Timer(duration=duration, until=None):
                yield Negation(f"#after{place}", duration, part.span, since, timer=True)
                since = passed = duration
            case Timer(duration=duration, until=until):
                first = _first(duration, passed)
                yield Negation(cast("str", until), first, part.span, since, timer=True, every=duration)
            case Negation():
                yield _between(part, since, _ahead(parts[place + 1 :]), passed)
                passed = max(passed, part.duration or passed)
            case _:
                yield part
                since = passed = timedelta(0)


def _ahead(parts: Sequence[Pattern]) -> Sequence[Negation | Timer]:
    """What stands between here and the next event, up to the first timer; nothing if there is none."""
    for place, part in enumerate(parts):
        if isinstance(part, Timer):
            return cast("Sequence[Negation | Timer]", parts[: place + 1])
        if not isinstance(part, Negation):
            break
    return ()


def _between(part: Negation, since: timedelta, ahead: Sequence[Negation | Timer], passed: timedelta) -> Negation:
    """A NOT between an event or a timer and what follows, where `ahead` leads to a timer."""
    if not ahead:
        return replace(part, since=since)
    *others, timer = ahead
    waits = [other.duration for other in (part, *others) if other.duration is not None]
    every = timer.duration if isinstance(timer, Timer) and timer.until is not None else None
    if part.duration is not None:  # it is over before the timer
        return replace(part, since=since)
    end = timer.duration if every is None else _first(every, max([passed, *waits]))
    return replace(part, since=since, duration=cast("timedelta", end) - _MICROSECOND, every=every)


def _first(period: timedelta, passed: timedelta) -> timedelta:
    """The first multiple of a period that lies behind what has passed."""
    return (passed // period + 1) * period
