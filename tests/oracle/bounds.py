"""WITHIN: which events a query looks at."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from kaicep.language.nodes import Bounds, Instant

from .events import Event
from .values import EPOCH


def now_of(delivered: Iterable[Event], registered_at: datetime | None) -> datetime | None:
    """The greatest time stamp delivered before the registration; `None`: before the first event."""
    if registered_at is None:
        return None
    return max((e.time for e in delivered if e.time < registered_at), default=None)


def within(bounds: Bounds, moment: datetime, now: datetime | None) -> bool:
    """Whether a moment lies within both bounds."""
    return _after(bounds.lower, moment, now) and _before(bounds.upper, moment, now)


def interval(bounds: Bounds, now: datetime | None) -> tuple[int | None, int | None]:
    """The first and the last microsecond since the epoch that lie within both bounds; `None`: there is none."""
    lower, upper = bounds.lower, bounds.upper
    first = None if lower is None else _moment(lower, now)
    last = None if upper is None else _moment(upper, now)
    return (
        None if lower is None or first is None else first + (not lower.inclusive),
        -(2**62) if upper is not None and last is None else None if upper is None or last is None
        else last - (not upper.inclusive),
    )  # fmt: skip


def _moment(instant: Instant, now: datetime | None) -> int | None:
    moment = instant.moment if instant.moment is not None else None if now is None else now + instant.offset
    return None if moment is None else (moment - EPOCH) // timedelta(microseconds=1)


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
