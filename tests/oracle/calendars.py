"""Calendars: whether one holds in a minute, read off the wall clock of its zone, and from when to when."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import cache
from zoneinfo import ZoneInfo

from kaicep.language.nodes.context import Calendar

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MINUTE = 60_000_000
FAR = 16 * 1440
"""Minutes; a calendar that holds, or does not hold, for so long does so always."""


@cache
def holds(calendar: Calendar, minute: int) -> bool:
    """Whether the clock on the wall shows a time of the calendar during a minute since the epoch.

    So a time that the clock leaves out never holds, and what begins with one begins with the next; a time that it shows
    twice holds twice.
    """
    wall = (EPOCH + timedelta(minutes=minute)).astimezone(ZoneInfo(calendar.zone))
    shown = wall.hour * 60 + wall.minute
    return any(
        (wall.weekday() - back) % 7 in stretch.days and stretch.begin <= shown + back * 1440 < stretch.end
        for stretch in calendar.stretches
        for back in (0, 1)
    )


def stretch(calendar: Calendar, moment: int) -> tuple[int | None, int | None]:
    """The longest time around a moment, `[from, to)`, in which the calendar holds as it does then, or does not.

    Args:
        calendar: what is asked about.
        moment: in microseconds since the epoch, as is what is returned; `None`: without an end.
    """
    return _stretch(calendar, moment // MINUTE)


@cache
def _stretch(calendar: Calendar, minute: int) -> tuple[int | None, int | None]:
    like = holds(calendar, minute)
    before = next((n for n in range(FAR) if holds(calendar, minute - n - 1) != like), None)
    after = next((n for n in range(1, FAR) if holds(calendar, minute + n) != like), None)
    return (
        None if before is None else (minute - before) * MINUTE,
        None if after is None else (minute + after) * MINUTE,
    )
