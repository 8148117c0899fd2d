"""Which events of a batch lie in which windows: ranges of rows by partition and time, found once for all queries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ...expressions import Bools, Ints
from ..order import Interval, stable_order
from .context_changes import HeldWindow
from .context_history import ContextHistory
from .partition_key import PartitionCodes

__all__ = ["EventRanges", "WindowRanges", "listed_windows"]


@dataclass(frozen=True, slots=True)
class WindowRanges:
    """The windows of one context in which events lie, one behind the other.

    Attributes:
        keys: their partitions.
        partitions: the numbers of these.
        numbers: their own.
        since, until: between which they hold events; `starts`, `ends`: the same as people see it.
        first_rows, last_rows: their events in `EventRanges.order`, the last excluded.
        values: their attributes.
    """

    keys: Sequence[str]
    partitions: Ints
    numbers: Ints
    since: Ints
    until: Ints
    starts: Ints
    ends: Ints
    first_rows: Ints
    last_rows: Ints
    values: Sequence[Mapping[str, Any]]

    def __len__(self) -> int:
        return len(self.keys)

    @property
    def sizes(self) -> Ints:
        """How many events lie in each."""
        return self.last_rows - self.first_rows

    def rows(self, order: Ints) -> Ints:
        """The places of the events, window by window."""
        sizes = self.sizes
        before = np.cumsum(sizes) - sizes
        rows: Ints = order[np.repeat(self.first_rows - before, sizes) + np.arange(int(sizes.sum()))]
        return rows


class EventRanges:
    """The events of one stream by partition and time.

    Attributes:
        order: their places by partition and time; those of no partition are left out.
        unplaced: how many have an unbound key.
        moments: the first and the last time stamp of those that lie in partitions; `None`: there are none.

    Args:
        partitions: of each event.
        times: of the events, in microseconds.
        within: the moments at which contexts hold.
    """

    def __init__(self, partitions: PartitionCodes, times: Ints, within: Interval) -> None:
        known = partitions.codes >= 0
        self.unplaced = len(known) - int(np.count_nonzero(known))
        rows = np.flatnonzero(known & (times >= within.first) & (times <= within.last))
        codes = partitions.codes[rows]
        self.keys = partitions.keys
        self._moments, ranks = _ranks(times[rows])
        self._span = len(self._moments) + 1
        composite = codes * self._span + ranks
        sorted_rows = stable_order(codes) if _is_ascending(ranks) else np.argsort(composite, kind="stable")
        self.order: Ints = rows[sorted_rows]
        self._sorted = composite[sorted_rows]
        self._found: dict[tuple[int, str], WindowRanges] = {}

    @property
    def moments(self) -> tuple[int, int] | None:
        """See the class."""
        return (int(self._moments[0]), int(self._moments[-1])) if len(self._moments) else None

    def of(self, history: ContextHistory, context: str) -> WindowRanges:
        """The windows of a context in which events lie, as they are known now."""
        asked = (history.version, context)
        found = self._found.get(asked)
        if found is None:  # queries ask on several threads: what others look through is never changed
            found = self._ranges(history, context)
            kept = {key: known for key, known in self._found.items() if key[0] == history.version}
            self._found = {**kept, asked: found}
        return found

    def partitions(self, history: ContextHistory, count: int) -> tuple[Ints, Bools]:
        """The number of the partition of each of so many events, and whether it lies in one."""
        numbers, placed = np.zeros(count, dtype=np.int64), np.zeros(count, dtype=bool)
        of = np.array([history.partition_number(key) for key in self.keys], dtype=np.int64)
        placed[self.order] = True
        numbers[self.order] = of[self._sorted // self._span]
        return numbers, placed

    def _ranges(self, history: ContextHistory, context: str) -> WindowRanges:
        if self.moments is None:
            return _NONE
        alike: list[HeldWindow] = []
        same = np.arange(len(self.keys))
        if context in history.calendars:
            alike = self._windows(history, context, "")
        elif context == history.default:
            same = np.flatnonzero([key not in history for key in self.keys])
            alike = self._windows(history, context, _NOWHERE) if len(same) else []
        if context in history.calendars:
            own = []
        elif history.calendars:
            changed = [(code, key) for code, key in enumerate(self.keys) if key in history]
            own = [(code, window) for code, key in changed for window in self._windows(history, context, key)]
        else:
            own = history.changed_windows(context, self.keys, *self.moments)
        counts = np.array([len(same)] * len(alike) + [1] * len(own), dtype=np.int64)
        code = np.concatenate([*([same] * len(alike)), np.array([code for code, _ in own], dtype=np.int64)])
        return self._filled(history, context, code, counts, [*alike, *(window for _, window in own)])

    def _windows(self, history: ContextHistory, context: str, key: str) -> list[HeldWindow]:
        """The windows of a context in a partition that hold some time near events."""
        if len(self._spans) == 1 or not history.calendars:
            return history.windows(context, key, int(self._moments[0]), int(self._moments[-1]))
        found = (window for first, last in self._spans for window in history.windows(context, key, first, last))
        return list(dict.fromkeys(found))

    @cached_property
    def _spans(self) -> list[tuple[int, int]]:
        """From when to when events come, without long times in which there are none: calendars have many stretches."""
        gaps = np.flatnonzero(np.diff(self._moments) > _LONG)
        firsts, lasts = self._moments[np.append(0, gaps + 1)], self._moments[np.append(gaps, -1)]
        return list(zip(firsts.tolist(), lasts.tolist(), strict=True))

    def _filled(
        self,
        history: ContextHistory,
        context: str,
        code: Ints,
        counts: Ints,
        windows: Sequence[HeldWindow],
    ) -> WindowRanges:
        """Those of windows in which events lie, each in so many partitions; `code` has the places of their keys."""
        if not windows:
            return _NONE
        of = np.repeat(np.arange(len(windows)), counts)
        since, until = (np.array([getattr(w, name) for w in windows], dtype=np.int64) for name in ("since", "until"))
        first, last = (np.searchsorted(self._moments, moments, "right")[of] for moments in (since, until))
        first_rows, last_rows = (np.searchsorted(self._sorted, code * self._span + rank) for rank in (first, last))
        filled = np.flatnonzero(last_rows > first_rows)
        code, of = code[filled], of[filled]
        keys = [self.keys[i] for i in code.tolist()]
        partitions = np.array([history.partition_number(key) for key in keys], dtype=np.int64)
        return WindowRanges(
            keys,
            partitions,
            history.numbers(context, partitions, since[of]),
            since[of],
            until[of],
            np.array([w.start for w in windows], dtype=np.int64)[of],
            np.array([w.end for w in windows], dtype=np.int64)[of],
            first_rows[filled],
            last_rows[filled],
            [windows[i].values for i in of.tolist()],
        )


def _is_ascending(numbers: Ints) -> bool:
    return bool((numbers[1:] >= numbers[:-1]).all())


def _ranks(times: Ints) -> tuple[Ints, Ints]:
    """The distinct times, ascending, and the place of each among them."""
    if not _is_ascending(times):
        moments, ranks = np.unique(times, return_inverse=True)
        return moments, ranks
    fresh = np.append(True, times[1:] != times[:-1])[: len(times)]
    return times[fresh], np.cumsum(fresh) - 1


def listed_windows(history: ContextHistory, context: str, windows: Sequence[HeldWindow]) -> WindowRanges:
    """Windows of one context, whatever events lie in them."""
    keys = [window.key for window in windows]
    partitions = np.array([history.partition_number(key) for key in keys], dtype=np.int64)
    since, until, starts, ends = (
        np.array([getattr(window, name) for window in windows], dtype=np.int64)
        for name in ("since", "until", "start", "end")
    )
    none, values = np.zeros(len(windows), dtype=np.int64), [window.values for window in windows]
    numbers = history.numbers(context, partitions, since)
    return WindowRanges(keys, partitions, numbers, since, until, starts, ends, none, none, values)


_LONG = 100 * 24 * 60 * 60 * 1_000_000
_NOWHERE = "\x00"
"""The key of no partition, in which nothing ever changes."""

_NOTHING = np.empty(0, dtype=np.int64)
_NONE = WindowRanges([], _NOTHING, _NOTHING, _NOTHING, _NOTHING, _NOTHING, _NOTHING, _NOTHING, _NOTHING, [])
