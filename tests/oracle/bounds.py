"""WITHIN: which events a query looks at."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from kaicep.language.nodes.bounds import Bounds, Instant

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
    beyond = None if lower is None else _beyond(lower, moment, now)
    return lower is None or beyond is None or beyond > timedelta(0) or (lower.inclusive and not beyond)


def _before(upper: Instant | None, moment: datetime, now: datetime | None) -> bool:
    if upper is None:
        return True
    beyond = _beyond(upper, moment, now)
    return beyond is not None and (beyond < timedelta(0) or (upper.inclusive and not beyond))


def _beyond(instant: Instant, moment: datetime, now: datetime | None) -> timedelta | None:
    """How much later than an instant a moment is; `None`: the instant lies before the first event."""
    if instant.moment is not None:
        return moment - instant.moment
    return None if now is None else moment - now - instant.offset
