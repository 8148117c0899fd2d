"""Windows over one variable's candidates: which rows each one holds, and which rows later ones can hold.

Rows are candidates in total order. Within `order` they are sorted by group, and a window is a range of `order`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .frames import Bools, Ints

__all__ = ["Windows", "batches_of_count", "batches_of_time", "sliding_by_count", "sliding_by_time"]


@dataclass(frozen=True, slots=True)
class Windows:
    """Windows that are reported.

    Attributes:
        order: rows sorted by group, then in total order.
        start: for each window the first place in `order` that it holds; ascending.
        end: the place behind the last; ascending.
        lower: start of its time range in microseconds (`n events`: T of the first event).
        upper: end of its time range (`n events`: T of the last event).
        time: when it is reported, in microseconds.
        keep: which rows later windows can hold.
    """

    order: Ints
    start: Ints
    end: Ints
    lower: Ints
    upper: Ints
    time: Ints
    keep: Bools

    @property
    def last(self) -> Ints:
        """The row of each window's last event."""
        return self.order[self.end - 1]


def _by_group(group: Ints | None, count: int) -> Ints:
    if group is None:
        return np.arange(count)
    small = len(group) and group.max() < 2**16
    return np.argsort(group.astype(np.uint16) if small else group, kind="stable")  # uint16: radix sort


def _group_starts(group: Ints | None, order: Ints) -> Ints:
    """For each place in `order` the first place of its group."""
    if group is None:
        return np.zeros(len(order), np.int64)
    sorted_group = group[order]
    begins = np.ones(len(order), dtype=bool)
    begins[1:] = sorted_group[1:] != sorted_group[:-1]
    return np.maximum.accumulate(np.where(begins, np.arange(len(order)), 0))


def sliding_by_time(time: Ints, group: Ints | None, first_new: int, width: int, watermark: int) -> Windows:
    """One window per new row: the rows of its group up to it that are less than `width` older."""
    count = len(time)
    order = _by_group(group, count)
    places = np.flatnonzero(order >= first_new) if group is not None else np.arange(first_new, count)
    rows = order[places]
    lower = time[rows] - width
    if group is None:
        start = np.searchsorted(time, lower, "right")
    else:
        first = np.empty(count - first_new, np.int64)
        first[:] = np.searchsorted(time, time[first_new:] - width, "right")
        by_place = group[order] * (count + 1) + order
        start = np.searchsorted(by_place, group[rows] * (count + 1) + first[rows - first_new])
    return Windows(order, start, places + 1, lower, time[rows], time[rows], time > watermark - width)


def sliding_by_count(time: Ints, group: Ints | None, first_new: int, size: int) -> Windows:
    """One window per new row: it and up to `size` − 1 rows of its group before it."""
    count = len(time)
    order = _by_group(group, count)
    begins = _group_starts(group, order)
    places = np.flatnonzero(order >= first_new)
    start = np.maximum(begins[places], places + 1 - size)
    keep = np.zeros(count, dtype=bool)
    keep[order[_places_from_end(begins) < size - 1]] = True
    moment = time[order[places]]
    return Windows(order, start, places + 1, time[order[start]], moment, moment, keep)


def _places_from_end(begins: Ints) -> Ints:
    """For each place how many places of its group follow."""
    ends = len(begins) - 1 - np.searchsorted(begins[::-1] * -1, -begins, "left") if len(begins) else begins
    return ends - np.arange(len(begins))


def batches_of_time(time: Ints, group: Ints | None, width: int, origin: int, watermark: int) -> Windows:
    """Tumbling windows `[origin + k width, origin + (k + 1) width)` of each group that the watermark has passed."""
    number = (time - origin) // width
    closed = int(np.searchsorted(origin + (number + 1) * width, watermark, "right"))
    order = _by_group(None if group is None else group[:closed], closed)
    changes = np.ones(closed, dtype=bool)
    changes[1:] = number[order][1:] != number[order][:-1]
    if group is not None:
        changes[1:] |= group[order][1:] != group[order][:-1]
    start = np.flatnonzero(changes)
    end = np.append(start[1:], closed)[: len(start)]
    lower = origin + number[order[start]] * width
    return Windows(order, start, end, lower, lower + width, lower + width, np.arange(len(time)) >= closed)


def batches_of_count(time: Ints, group: Ints | None, size: int) -> Windows:
    """Full runs of `size` rows of each group; the rows of runs that are not full are kept."""
    order = _by_group(group, len(time))
    begins = _group_starts(group, order)
    within = np.arange(len(order)) - begins
    end = np.flatnonzero(within % size == size - 1) + 1
    start = end - size
    keep = np.ones(len(time), dtype=bool)
    keep[order[(within - within % size + size) <= within + _places_from_end(begins) + 1]] = False
    first, last = time[order[start]], time[order[end - 1]]
    return Windows(order, start, end, first, last, last, keep)
