"""Windows over one variable's candidates: which rows each one holds, and which rows later ones can hold.

Rows are candidates in total order. Within `order` they are sorted by group, and a window is a range of `order`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from ...expressions import Bools, Ints

__all__ = [
    "ContextRows",
    "WindowRows",
    "Windows",
    "batches_of_count",
    "batches_of_time",
    "batches_since",
    "cumulating",
    "hopping_by_count",
    "hopping_by_time",
    "sessions",
    "sliding_by_count",
    "sliding_by_time",
    "whole_contexts",
]


Check = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class ContextRows:
    """The context window of each candidate.

    Attributes:
        closed: whether no later candidate lies in it.
        whole: whether it is closed and WITHIN does not cut it.
        start: its start, in microseconds.
        end: its end.
        first: the time stamp of its first candidate.
    """

    closed: Bools
    whole: Bools
    start: Ints
    end: Ints
    first: Ints


@dataclass(frozen=True, slots=True)
class WindowRows:
    """What windows ask of candidates, row by row in total order.

    Attributes:
        time: time stamps in microseconds.
        group: codes of groups; `None`: all are one group.
        event: equal for the rows of one event, ascending; `None`: every row is an event of its own.
        first_new: rows from here on were released last.
        contexts: of a query in contexts, their windows; each is a group, or several.
        whole: codes of what has a shared window by itself; `None`: all rows have one.
        frame: the candidates themselves, of which a window's condition is asked; `None`: there is none.
    """

    time: Ints
    group: Ints | None
    event: Ints | None
    first_new: int
    contexts: ContextRows | None = None
    whole: Ints | None = None
    frame: pl.DataFrame | None = None


@dataclass(frozen=True, slots=True)
class Windows:
    """Windows that are reported.

    Attributes:
        order: rows sorted by group, then in total order; `None`: as they are.
        start: for each window the first place in `order` that it holds; ascending.
        end: the place behind the last; ascending.
        last: the row whose event is the window's last.
        lower: start of its time range in microseconds (`n events`: T of the first event).
        upper: end of its time range (`n events`: T of the last event).
        time: when it is reported, in microseconds.
        keep: which rows later windows can hold.
    """

    order: Ints | None
    start: Ints
    end: Ints
    last: Ints
    lower: Ints
    upper: Ints
    time: Ints
    keep: Bools

    def at(self, places: Ints) -> Windows:
        """Some of them, each as often as its place stands here."""
        chosen = {name: getattr(self, name)[places] for name in ("start", "end", "last", "lower", "upper", "time")}
        return replace(self, **chosen)


def _by_group(group: Ints, count: int) -> Ints:
    codes = group[:count]
    small = count > 0 and codes.max() < 2**16
    return np.argsort(codes.astype(np.uint16) if small else codes, kind="stable")  # uint16: radix sort


def _changes(codes: Ints) -> Bools:
    """Where a value differs from the one before; the first always does."""
    changes = np.ones(len(codes), dtype=bool)
    changes[1:] = codes[1:] != codes[:-1]
    return changes


def group_starts(changes: Bools) -> Ints:
    """For each place the last change up to it, as the first place of its group."""
    starts: Ints = np.maximum.accumulate(np.where(changes, np.arange(len(changes)), 0))
    return starts


def _ends(changes: Bools) -> Ints:
    """For each place the first change behind it."""
    begins = np.append(np.flatnonzero(changes), len(changes))
    ends: Ints = begins[np.cumsum(changes)]
    return ends


def sorted_rows(rows: WindowRows) -> tuple[Ints | None, Ints, Bools]:
    """`Windows.order`, the places of new rows in it, ascending, and where groups begin in it."""
    count = len(rows.time)
    if rows.group is None:
        begins = np.zeros(count, dtype=bool)
        begins[:1] = True
        return None, np.arange(rows.first_new, count), begins
    order = _by_group(rows.group, count)
    return order, np.flatnonzero(order >= rows.first_new), _changes(rows.group[order])


def _taken(codes: Ints, order: Ints | None) -> Ints:
    return codes if order is None else codes[order]


def window_ends(rows: WindowRows, order: Ints | None, places: Ints, begins: Bools) -> Ints:
    """A window holds every solution of its event, also those that are sorted behind the row."""
    if rows.event is None:
        return places + 1
    return _ends(_changes(_taken(rows.event, order)) | begins)[places]


def sliding_by_time(rows: WindowRows, width: int, watermark: int) -> Windows:
    """One window per new row: what its group holds up to its event that is less than `width` older."""
    order, places, begins = sorted_rows(rows)
    own = places if order is None else order[places]
    lower = rows.time[own] - width
    first = np.searchsorted(rows.time, rows.time[rows.first_new :] - width, "right")
    start = places_of(rows, order, own, first[own - rows.first_new])
    end = window_ends(rows, order, places, begins)
    moment = rows.time[own]
    return Windows(order, start, end, own, lower, moment, moment, rows.time > watermark - width)


def places_of(rows: WindowRows, order: Ints | None, own: Ints, first: Ints) -> Ints:
    """For each of some rows, the place in `order` of the first row of its group that is not before another row."""
    if order is None or rows.group is None:
        return first
    by_place = rows.group[order] * (len(order) + 1) + order
    return np.searchsorted(by_place, rows.group[own] * (len(order) + 1) + first)


def shared_by_count(rows: WindowRows, size: int) -> Windows:
    """One window per new row: what its group has of the last `size` rows of all groups, up to its event."""
    whole = replace(rows, group=rows.whole)
    order, places, begins = sorted_rows(whole)
    start = np.maximum(group_starts(begins)[places], window_ends(whole, order, places, begins) - size)
    keep = _ends(begins) - np.arange(len(begins)) < size
    return parts_of_groups(rows, order, places, start, keep)


def parts_of_groups(rows: WindowRows, order: Ints | None, places: Ints, start: Ints, keep: Bools) -> Windows:
    """What the group of each new row has of a window of all groups.

    Args:
        rows: the candidates.
        order: those that share windows, one behind the other.
        places: of the new rows in it.
        start: where their windows begin in it.
        keep: which rows of it later windows can hold.
    """
    count = len(rows.time)
    whole = np.arange(count + 1) if order is None else np.append(order, count)
    first, kept = np.empty(count, dtype=np.int64), np.empty(count, dtype=bool)
    first[whole[places]], kept[whole[:-1]] = whole[start], keep
    by_group, new, begins = sorted_rows(rows)
    own = new if by_group is None else by_group[new]
    start, end = places_of(rows, by_group, own, first[own]), window_ends(rows, by_group, new, begins)
    held = start < end
    start, own = start[held], own[held]
    lower, moment = _taken(rows.time, by_group)[start], rows.time[own]
    return Windows(by_group, start, end[held], own, lower, moment, moment, kept)


def sliding_by_count(rows: WindowRows, size: int) -> Windows:
    """One window per new row: up to `size` rows, the last ones that its group holds up to its event."""
    order, places, begins = sorted_rows(rows)
    own = places if order is None else order[places]
    end = window_ends(rows, order, places, begins)
    start = np.maximum(group_starts(begins)[places], end - size)
    keep_sorted = _ends(begins) - np.arange(len(begins)) < size
    keep = keep_sorted.copy()
    if order is not None:
        keep[order] = keep_sorted
    moment = rows.time[own]
    return Windows(order, start, end, own, _taken(rows.time, order)[start], moment, moment, keep)


def whole_contexts(rows: WindowRows, contexts: ContextRows) -> Windows:
    """One window per group: all candidates of a context window that has ended."""
    group = np.zeros(len(rows.time), dtype=np.int64) if rows.group is None else rows.group
    over = np.flatnonzero(contexts.whole)
    order = over[np.argsort(group[over], kind="stable")]
    start = np.flatnonzero(_changes(group[order]))
    end = np.append(start[1:], len(order))[: len(start)]
    last = order[end - 1]
    lower, upper = contexts.start[last], contexts.end[last]
    return Windows(order, start, end, last, lower, upper, upper, ~contexts.closed)


def batches_since(rows: WindowRows, width: int, contexts: ContextRows, watermark: int) -> Windows:
    """Tumbling windows from the first candidate of each context window that the watermark has passed."""
    group = np.zeros(len(rows.time), dtype=np.int64) if rows.group is None else rows.group
    lower = contexts.first + (rows.time - contexts.first) // width * width
    closed = lower + width <= watermark
    over = np.flatnonzero(closed)
    order = over[np.argsort(group[over], kind="stable")]
    start = np.flatnonzero(_changes(lower[order]) | _changes(group[order]))
    end = np.append(start[1:], len(order))[: len(start)]
    last = order[end - 1]
    upper = lower[last] + width
    return Windows(order, start, end, last, lower[last], upper, upper, ~closed)


def batches_of_time(rows: WindowRows, width: int, origin: int, watermark: int) -> Windows:
    """Tumbling windows `[origin + k width, origin + (k + 1) width)` of each group that the watermark has passed."""
    number = (rows.time - origin) // width
    closed = int(np.searchsorted(origin + (number + 1) * width, watermark, "right"))
    order = None if rows.group is None else _by_group(rows.group, closed)
    number = _taken(number[:closed], order)
    changes = _changes(number)
    if rows.group is not None:
        changes |= _changes(_taken(rows.group[:closed], order))
    start = np.flatnonzero(changes)
    end = np.append(start[1:], closed)[: len(start)]
    lower = origin + number[start] * width
    last = _taken(np.arange(closed), order)[end - 1]
    return Windows(order, start, end, last, lower, lower + width, lower + width, np.arange(len(rows.time)) >= closed)


def batches_of_count(rows: WindowRows, size: int) -> Windows:
    """Full runs of `size` rows of each group; the rows of runs that are not full are kept."""
    order, _, begins = sorted_rows(rows)
    place = np.arange(len(begins))
    within = place - group_starts(begins)
    end = np.flatnonzero(within % size == size - 1) + 1
    start = end - size
    full = place - within % size + size <= _ends(begins)
    keep = ~full
    if order is not None:
        keep[order] = ~full
    time = _taken(rows.time, order)
    last = _taken(place, order)[end - 1]
    return Windows(order, start, end, last, time[start], time[end - 1], time[end - 1], keep)


def hopping_by_time(
    rows: WindowRows, size: int, step: int, passed: int, watermark: int, *, check: Check = lambda _: None
) -> Windows:
    """Windows `[k step, k step + size)` of each group whose ends the watermark has passed since it was at `passed`.

    `check` is told how many there are, before they are made.
    """
    low, high = (rows.time - size) // step + 1, rows.time // step
    due = ((passed - size) // step + 1, (watermark - size) // step)
    windows = _numbered(rows, low, high, due, lambda k: (k * step, k * step + size), check=check)
    return replace(windows, keep=(low <= high) & (high * step + size > watermark))


def cumulating(
    rows: WindowRows, size: int, step: int, passed: int, watermark: int, *, check: Check = lambda _: None
) -> Windows:
    """Windows of each group from a multiple of the size to each multiple of the step up to the next.

    They are numbered by their ends; reported are those that the watermark has passed since it was at `passed`, of
    whose number `check` is told before they are made.
    """
    low, high = rows.time // step + 1, (rows.time // size + 1) * (size // step)
    due = (passed // step + 1, watermark // step)
    windows = _numbered(rows, low, high, due, lambda k: ((k * step - 1) // size * size, k * step), check=check)
    return replace(windows, keep=high * step > watermark)


def _numbered(
    rows: WindowRows,
    low: Ints,
    high: Ints,
    due: tuple[int, int],
    span: Callable[[Ints], tuple[Ints, Ints]],
    *,
    check: Check,
) -> Windows:
    """Numbered windows in time, reported at their ends.

    Args:
        rows: the candidates, all that the windows due can hold among them.
        low: of each row the first window that holds it; ascending.
        high: the last one; below `low` where none does.
        due: the first and the last number that is due.
        span: from numbers to starts and (exclusive) ends in time; ascending.
        check: is told how many there are, before they are made.
    """
    count = len(rows.time)
    order, _, begins = sorted_rows(rows)
    low, high = _taken(low, order), _taken(high, order)
    first = low.copy()  # a window is found by the first row that it holds: the rows before end with lower numbers
    first[1:] = np.where(begins[1:], low[1:], np.maximum(low[1:], high[:-1] + 1))
    first = np.maximum(first, due[0])
    found = np.maximum(np.minimum(high, due[1]) - first + 1, 0)
    check(int(found.sum()))
    start = np.repeat(np.arange(count), found)
    number = np.arange(len(start)) + np.repeat(first - (np.cumsum(found) - found), found)
    lower, upper = span(number)
    end = np.searchsorted(rows.time, upper, "left")
    if order is not None and rows.group is not None:
        group = rows.group[order]
        end = np.searchsorted(group * (count + 1) + order, group[start] * (count + 1) + end)
    last = _taken(np.arange(count), order)[end - 1]
    return Windows(order, start, end, last, lower, upper, upper, np.ones(count, dtype=bool))


def hopping_by_count(rows: WindowRows, size: int, step: int) -> Windows:
    """Windows of `size` rows that begin at every `step`-th row of a group, as soon as they are full.

    The rows of a group that are kept begin at a multiple of the step, and so do those of `rows`.
    """
    order, places, begins = sorted_rows(rows)
    within = np.arange(len(begins)) - group_starts(begins)
    end = places[(within[places] >= size - 1) & ((within[places] - size + 1) % step == 0)] + 1
    start = end - size
    count = _ends(begins) - group_starts(begins)
    full = np.where(count >= size, (count - size) // step + 1, 0)
    keep_sorted = within >= np.minimum(full, count // step) * step
    keep = keep_sorted.copy()
    if order is not None:
        keep[order] = keep_sorted
    time = _taken(rows.time, order)
    last = _taken(np.arange(len(begins)), order)[end - 1]
    return Windows(order, start, end, last, time[start], time[end - 1], time[end - 1], keep)


def sessions(rows: WindowRows, gap: int, watermark: int) -> Windows:
    """Rows of a group less than `gap` apart; a session is over when the watermark passes its last row plus the gap."""
    order, _, begins = sorted_rows(rows)
    time = _taken(rows.time, order)
    changes = begins.copy()
    changes[1:] |= np.diff(time) >= gap
    start = np.flatnonzero(changes)
    end = np.append(start[1:], len(time))[: len(start)]
    upper = time[end - 1] + gap
    over = upper <= watermark
    keep = ~np.repeat(over, end - start)
    if order is not None:
        keep[order] = keep.copy()
    start, end, upper = start[over], end[over], upper[over]
    last = _taken(np.arange(len(time)), order)[end - 1]
    return Windows(order, start, end, last, time[start], upper, upper, keep)
