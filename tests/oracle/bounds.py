"""WITHIN: which events a query looks at."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from kaicep.language.nodes.query import Bounds, Instant

from .events import Event


def now_of(delivered: Iterable[Event], registered_at: datetime | None) -> datetime | None:
    """The greatest time stamp delivered before the registration; `None`: before the first event."""
    if registered_at is None:
        return None
    return max((e.time for e in delivered if e.time < registered_at), default=None)


def within(bounds: Bounds, moment: datetime, now: datetime | None) -> bool:
    """Whether a moment lies within both bounds."""
    return _after(bounds.lower, moment, now) and _before(bounds.upper, moment, now)


def _after(lower: Instant | None, moment: datetime, now: datetime | None) -> bool:
    bound = None if lower is None else _moment(lower, now)
    if lower is None or bound is None:
        return True
    return moment > bound or (lower.inclusive and moment == bound)


def _before(upper: Instant | None, moment: datetime, now: datetime | None) -> bool:
    if upper is None:
        return True
    bound = _moment(upper, now)
    if bound is None:
        return False
    return moment < bound or (upper.inclusive and moment == bound)


def _moment(instant: Instant, now: datetime | None) -> datetime | None:
    """The moment that an instant names; `None`: before the first event."""
    if instant.moment is not None:
        return instant.moment
    return None if now is None else now + instant.offset
