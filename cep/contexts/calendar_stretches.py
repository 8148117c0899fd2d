"""When a calendar's context holds, as stretches of time in UTC."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo

import numpy as np

from ...expressions import FIRST_MOMENT, LAST_MOMENT, Ints, moment_of
from ...language.nodes import Calendar
from ..partitions import NO_END, NO_START

__all__ = ["AROUND", "stretches_between"]

_SECOND = 1_000_000
_MINUTE, _DAY = 60 * _SECOND, 24 * 60 * 60 * _SECOND
AROUND = 16 * _DAY
"""What begins or ends at all does so within this time: a week, and one more where clocks leave its only time out."""

_BLOCK = 64 * _DAY
_MANY = 64
_FIRST, _LAST = FIRST_MOMENT + 2 * _DAY, LAST_MOMENT - 2 * _DAY  # all zones have a wall clock then
_RULES = -90 * 366 * _DAY, 131 * 366 * _DAY
"""Outside of about 1880 to 2100 clocks change by rules of the year, or not at all."""


def stretches_between(calendars: Sequence[Calendar], first: int, last: int) -> list[tuple[int, int]]:
    """The stretches `[from, to)` in which one of some calendars holds, merged, that a span of time touches.

    A time of the wall clock that is left out counts from the next that there is; one that comes twice holds twice.

    Args:
        calendars: any; touching stretches are one.
        first: of the span, in microseconds; beyond the years 1 to 9999 no calendar has borders.
        last: of the span, in it.

    Returns:
        In order, with the last before and the first after the span; `NO_START`, `NO_END` where one has no beginning,
        no end.
    """
    return list(_between(tuple(calendars), first, last)) if calendars else []


@lru_cache(maxsize=1 << 12)
def _between(calendars: tuple[Calendar, ...], first: int, last: int) -> tuple[tuple[int, int], ...]:
    low, high = (min(max(moment, _FIRST), _LAST) for moment in (first, last))
    begin, end = (low - AROUND) // _BLOCK, (high + AROUND) // _BLOCK + 1
    if end - begin <= _MANY:
        blocks = [_block(calendars, number) for number in range(begin, end)]
        starts, stops = _merged(*(np.concatenate(part) for part in zip(*blocks, strict=True)))
    else:
        starts, stops = _pieces(calendars, begin * _BLOCK, end * _BLOCK)
    earliest, latest = max(begin * _BLOCK, FIRST_MOMENT), min(end * _BLOCK, LAST_MOMENT + 1)
    starts, stops = _merged(starts.clip(earliest, latest), stops.clip(earliest, latest))
    begins = np.where((starts <= earliest) & (stops > low), NO_START, starts)
    ends = np.where((stops >= latest) & (starts <= high), NO_END, stops)
    before, behind = int(np.searchsorted(ends, first, "right")), int(np.searchsorted(begins, last, "right"))
    chosen = slice(max(0, before - 1), behind + 1)
    return tuple(zip(begins[chosen].tolist(), ends[chosen].tolist(), strict=True))


@lru_cache(maxsize=4096)
def _block(calendars: tuple[Calendar, ...], number: int) -> tuple[Ints, Ints]:
    return _pieces(calendars, number * _BLOCK, (number + 1) * _BLOCK)


def _pieces(calendars: Sequence[Calendar], begin: int, end: int) -> tuple[Ints, Ints]:
    """Where stretches begin and where they end, in order; they are cut at the ends of the time that is asked for."""
    starts, stops = [np.empty(0, dtype=np.int64)], [np.empty(0, dtype=np.int64)]
    for calendar in calendars:
        for start, stop, offset in _offsets(calendar.zone, begin, end):
            days = np.arange((start + offset) // _DAY - 2, (stop + offset) // _DAY + 1)
            weekdays = (days + 3) % 7  # the epoch was a Thursday
            for stretch in calendar.stretches:
                midnights = days[np.isin(weekdays, stretch.days)] * _DAY - offset
                starts.append(np.maximum(midnights + stretch.begin * _MINUTE, start))
                stops.append(np.minimum(midnights + stretch.end * _MINUTE, stop))
    return _merged(np.concatenate(starts), np.concatenate(stops))


def _merged(starts: Ints, stops: Ints) -> tuple[Ints, Ints]:
    """Stretches in order, those that overlap or touch as one; what is empty is none."""
    kept = np.flatnonzero(starts < stops)
    order = kept[np.argsort(starts[kept], kind="stable")]
    starts, stops = starts[order], np.maximum.accumulate(stops[order])
    fresh = np.append(True, starts[1:] > stops[:-1])[: len(starts)]
    lasts = np.append(np.flatnonzero(fresh)[1:], len(starts))[: int(fresh.sum())] - 1
    return starts[fresh], stops[lasts]


def _offsets(zone: str, begin: int, end: int) -> list[tuple[int, int, int]]:
    """Where the wall of a zone is by how much ahead of UTC: start, stop, microseconds."""
    moves = [move for number in range(begin // _BLOCK, -(-end // _BLOCK)) for move in _moves(zone, number)]
    starts = [begin, *(moment for moment, _ in moves)]
    offsets = [_offset(ZoneInfo(zone), begin), *(offset for _, offset in moves)]
    return list(zip(starts, [*starts[1:], end], offsets, strict=True))


@lru_cache(maxsize=1 << 16)
def _moves(zone: str, number: int) -> tuple[tuple[int, int], ...]:
    """When the clock of a zone is moved, and how far it is ahead of UTC from then on; behind the block's beginning."""
    place, found = ZoneInfo(zone), []
    begin, end = number * _BLOCK, (number + 1) * _BLOCK
    step = _DAY if _RULES[0] < begin < _RULES[1] else 8 * _DAY
    now = _offset(place, begin)
    for moment in range(begin + step, end + 1, step):
        if _offset(place, moment) != now:
            found.append(_move(place, moment - step, moment))
            now = found[-1][1]
    return tuple(found)


def _move(place: ZoneInfo, before: int, after: int) -> tuple[int, int]:
    """The move between two moments, by the second."""
    old = _offset(place, before)
    while after - before > _SECOND:
        middle = (before + after) // 2 // _SECOND * _SECOND
        if _offset(place, middle) == old:
            before = middle
        else:
            after = middle
    return after, _offset(place, after)


def _offset(place: ZoneInfo, moment: int) -> int:
    shift = moment_of(min(max(moment, _FIRST), _LAST)).astimezone(place).utcoffset()
    return 0 if shift is None else shift // timedelta(microseconds=1)
