"""When a calendar's context holds, as stretches of time in UTC."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo

from ...expressions import micros, moment_of
from ...language.nodes import Calendar
from ..partitions import NO_END, NO_START

__all__ = ["stretches_between"]

_MINUTE = 60_000_000
_DAY = 24 * 60 * _MINUTE
_FIRST, _LAST = micros(datetime(2, 1, 1, tzinfo=UTC)), micros(datetime(9998, 1, 1, tzinfo=UTC))
_AROUND = 9 * _DAY  # what begins or ends at all does so within a week


def stretches_between(calendars: Sequence[Calendar], first: int, last: int) -> list[tuple[int, int]]:
    """The stretches `[from, to)` in which one of some calendars holds, merged, that a span of time touches.

    Args:
        calendars: any; touching stretches are one.
        first: of the span, in microseconds; a stretch that holds there has its own beginning.
        last: of the span, in it.

    Returns:
        In order; `NO_START`, `NO_END` where one has no beginning, no end. The last before and the first after the span
        are among them.
    """
    begin = max(_FIRST, (first - _AROUND) // _DAY * _DAY)
    end = min(_LAST, (last + _AROUND) // _DAY * _DAY)
    found: list[tuple[int, int]] = []
    for start, stop in sorted(piece for calendar in calendars for piece in _pieces(calendar, begin, end)):
        if found and start <= found[-1][1]:
            found[-1] = found[-1][0], max(stop, found[-1][1])
        else:
            found.append((start, stop))
    return [(NO_START if a <= begin else a, NO_END if b >= end else b) for a, b in found]


def _pieces(calendar: Calendar, begin: int, end: int) -> Iterator[tuple[int, int]]:
    for start, stop, offset in _offsets(calendar.zone, begin, end):
        for day in range((start + offset) // _DAY - 2, (stop + offset) // _DAY + 1):
            weekday = (day + 3) % 7  # the epoch was a Thursday
            for stretch in calendar.stretches:
                if weekday in stretch.days:
                    since = max(start, day * _DAY + stretch.begin * _MINUTE - offset)
                    until = min(stop, day * _DAY + stretch.end * _MINUTE - offset)
                    if since < until:
                        yield since, until


@lru_cache(maxsize=64)
def _offsets(zone: str, begin: int, end: int) -> tuple[tuple[int, int, int], ...]:
    """Where the wall of a zone is by how much ahead of UTC: start, stop, microseconds."""
    place = ZoneInfo(zone)
    found: list[tuple[int, int, int]] = []
    start, offset = begin, _offset(place, begin)
    for day in range(begin, end, _DAY):
        stop = min(day + _DAY, end)
        if _offset(place, stop) != offset or any(_offset(place, h) != offset for h in range(day, stop, _DAY // 4)):
            for moment in range(day, stop, 15 * _MINUTE):
                now = _offset(place, moment)
                if now != offset:
                    found.append((start, moment, offset))
                    start, offset = moment, now
    return (*found, (start, end, offset))


def _offset(place: ZoneInfo, moment: int) -> int:
    shift = moment_of(moment).astimezone(place).utcoffset()
    return 0 if shift is None else shift // timedelta(microseconds=1)
