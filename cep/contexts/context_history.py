"""The windows of one set of contexts, change by change (CAESAR §3.1, §4.1).

A window `(since, until]` holds the events with `since < T <= until`. The default holds when no other context does.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from hashlib import sha256
from math import isnan, nan
from typing import Any

from ...expressions import Ints
from ...language.nodes import ChangeKind, ContextSet
from ..partitions import NO_END
from .calendar_stretches import AROUND, stretches_between
from .context_changes import Change, HeldWindow, PartitionHistory, Turn
from .default_windows import DefaultWindows, windows_of_stretches
from .history_snapshot import HistorySnapshot
from .window_numbers import window_number, window_numbers

__all__ = ["ContextHistory"]


class ContextHistory:
    """The windows of one set.

    Args:
        contexts: the set.

    Attributes:
        turns: the rows of `CONTEXTS(…)`, in the order made.
        ended: the windows that changes have ended, the default's too, in the order of their ends.
        version: another number whenever something has changed.
    """

    def __init__(self, contexts: ContextSet) -> None:
        self.set = contexts
        self.calendars = {c.name: c.calendar for c in contexts.contexts if c.calendar is not None}
        self._defaults = DefaultWindows(self.default, self.calendars)
        self.turns: list[Turn] = []
        self.ended: list[HeldWindow] = []
        self._partitions: dict[str, PartitionHistory] = {}
        self._open: dict[int, HeldWindow] = {}
        self._before: list[tuple[str, PartitionHistory | None]] = []
        self.version = 0
        self._holding: tuple[tuple[int, int, int], frozenset[str]] = (-1, 0, 0), frozenset()

    def __contains__(self, key: str) -> bool:
        """Whether something has changed in a partition."""
        return key in self._partitions

    @property
    def default(self) -> str:
        """The name of the default."""
        return self.set.default.name

    @property
    def changed(self) -> bool:
        """Whether a window of a query was ever begun."""
        return bool(self._partitions)

    def number(self, window: HeldWindow) -> int:
        """The number of a window: the same in every process."""
        return window_number(self.set.name, window.context, self.partition_number(window.key), window.since)

    def numbers(self, context: str, partitions: Ints, since: Ints) -> Ints:
        """The numbers of windows of one context, by the numbers of their partitions and when they began."""
        return window_numbers(self.set.name, context, partitions, since)

    def partition_number(self, key: str) -> int:
        """The number of a partition: the same in every process."""
        return _partition_number(self.set.name, key)

    def may_hold(self, context: str, first: int, last: int) -> bool:
        """Whether a context may hold at a moment from `first` to `last` in some partition."""
        if context == self.default:
            return True
        if context in self.calendars:
            return last - first > AROUND or bool(self.windows(context, "", first, last))
        return context in self._held_contexts(first, last)

    def _held_contexts(self, first: int, last: int) -> frozenset[str]:
        """The contexts begun by queries that may hold at such a moment in some partition; most queries ask alike."""
        asked = self.version, first, last
        known = self._holding  # another thread may put its own there
        if known[0] != asked:
            ended = (window.context for window in self.ended_from(first, NO_END) if window.since < last)
            self._holding = known = asked, frozenset(ended).union(window.context for window in self._open.values())
        return known[1]

    @property
    def open_windows(self) -> dict[str, int]:
        """How many windows of each context are open that queries have begun; any thread may ask."""
        return dict(Counter(window.context for window in tuple(self._open.values())))

    def open_at(self, time: int) -> list[tuple[HeldWindow, tuple[Any, ...]]]:
        """The windows that hold just after a moment in partitions that have changed, each with the values of its keys.

        Those of queries and of the default, not those that a calendar says.
        """
        found = []
        for key, known in self._partitions.items():
            default = self._defaults.at(key, known, time)
            found += [(window, known.keys) for window in (*known.open, *([] if default is None else [default]))]
        return found

    def make(self, changes: Iterable[Change]) -> None:
        """Make changes, in order; none lies before one that was made."""
        for change in changes:
            self._make(change)

    def _make(self, change: Change) -> None:
        known = self._partitions.get(change.key)
        own = None if known is None else known.open_of(change.context)
        match change.kind:
            case ChangeKind.INITIATE if own is None:
                self._begin(change, self._defaults.at(change.key, known, change.time))
            case ChangeKind.TERMINATE if own is not None:
                self._end(own, change.time)
                self._begin_default(change.key, change.time)
            case ChangeKind.SWITCH:
                self._switch(change)

    def _switch(self, change: Change) -> None:
        lying = [self._open[number] for number in change.windows if number in self._open]
        if len(lying) > 1:
            lying.sort(key=lambda window: (change.order.index(window.context), window.key))
        default = self._defaults.at(change.key, self._partitions.get(change.key), change.time)
        for window in lying:
            self._end(window, change.time)
        known = self._partitions.get(change.key)
        if change.context != self.default and (known is None or known.open_of(change.context) is None):
            self._begin(change, default)
        for key in dict.fromkeys([change.key, *(window.key for window in lying)] if lying else ()):
            if default is None or key != change.key:
                self._begin_default(key, change.time)

    def _begin(self, change: Change, default: HeldWindow | None) -> None:
        """Begin a window; `default`: that of the default which ends with it."""
        known = self._partitions.get(change.key) or PartitionHistory(tuple(map(_settled, change.keys)))
        if default is not None:
            self.ended.append(replace(default, until=change.time, end=change.time))
            self._tell(change.time, default, "ended", known.keys)
        values = {name: _settled(value) for name, value in change.values.items()}
        new = HeldWindow(change.context, change.key, change.time, NO_END, change.time, NO_END, values)
        self._keep(change.key, PartitionHistory(known.keys, known.ended, (*known.open, new), known.free))
        self._open[self.number(new)] = new
        self._tell(change.time, new, "started", known.keys)

    def _end(self, window: HeldWindow, time: int) -> None:
        known = self._partitions[window.key]
        over = replace(window, until=time, end=time)
        left = tuple(own for own in known.open if own is not window)
        self._keep(window.key, PartitionHistory(known.keys, (*known.ended, over), left, known.free))
        del self._open[self.number(window)]
        self.ended.append(over)
        self._tell(time, over, "ended", known.keys)

    def _begin_default(self, key: str, time: int) -> None:
        """Tell that the default begins, if nothing else holds after a moment."""
        known = self._partitions.get(key)
        begun = None if known is None else self._defaults.at(key, known, time)
        if known is not None and begun is not None:
            self._tell(time, begun, "started", known.keys)

    def _keep(self, key: str, partition: PartitionHistory) -> None:
        self.version += 1
        self._before.append((key, self._partitions.get(key)))
        self._partitions[key] = partition

    def _tell(self, time: int, window: HeldWindow, change: str, keys: tuple[Any, ...]) -> None:
        self.turns.append(Turn(time, window.context, change, window.start, keys))

    def windows(self, context: str, key: str, first: int, last: int) -> list[HeldWindow]:
        """The windows of a context in a partition that hold at some moment from `first` to `last`."""
        if context in self.calendars:
            found = windows_of_stretches(context, key, stretches_between([self.calendars[context]], first, last))
        else:
            known = self._partitions.get(key)
            if context == self.default:
                found = self._defaults.between(key, known or PartitionHistory(()), first, last)
            else:
                found = [] if known is None else [w for w in known.windows if w.context == context]
        return [w for w in found if w.since < last and first <= w.until]

    def holding(self, contexts: Iterable[str], key: str, time: int) -> list[HeldWindow]:
        """The windows of contexts that hold in a partition at a moment, before which no change is to be made."""
        known = self._partitions.get(key)
        found: list[HeldWindow] = []
        for context in contexts:
            if known is None or context == self.default or context in self.calendars:
                if known is None or self.calendars or not any(window.since < time for window in known.open):
                    found += self.windows(context, key, time, time)
                continue
            own = known.open_of(context)
            if own is not None and own.since < time:
                found.append(own)
            elif known.ended and known.ended[-1].until >= time:
                found += (w for w in known.ended if w.context == context and w.since < time <= w.until)
        return found

    def changed_windows(self, context: str, keys: Sequence[str], first: int, last: int) -> list[tuple[int, HeldWindow]]:
        """The same in those partitions in which something has changed, each with the place of its key."""
        found = []
        for place, key in enumerate(keys):
            known = self._partitions.get(key)
            if known is not None and context != self.default:
                found += [
                    (place, w) for w in known.windows if w.context == context and w.since < last and first <= w.until
                ]
            elif known is not None and not any(window.since < first for window in known.open):
                found += [(place, window) for window in self.windows(context, key, first, last)]
        return found

    def ended_from(self, first: int, last: int) -> Sequence[HeldWindow]:
        """The windows that changes ended at `first` or later, and before `last`."""
        begin = bisect_left(self.ended, first, key=lambda w: w.until)
        return self.ended[begin : bisect_left(self.ended, last, key=lambda w: w.until)]

    def forget(self, before: int) -> None:
        """Forget the windows that ended before a moment; not to be rewound behind."""
        count = bisect_left(self.ended, before, key=lambda w: w.until)
        self.version += count > 0
        for key in {window.key for window in self.ended[:count]} & self._partitions.keys():
            known = self._partitions[key]
            over = bisect_left(known.ended, before, key=lambda w: w.until)
            if over:
                free = max(known.free, known.ended[over - 1].until)
                self._partitions[key] = PartitionHistory(known.keys, known.ended[over:], known.open, free)
        del self.ended[:count]
        self._before = []

    def mark(self) -> tuple[int, int, int]:
        """Where it is, for `rewind`."""
        return len(self._before), len(self.turns), len(self.ended)

    def rewind(self, mark: tuple[int, int, int]) -> None:
        """Take back what was changed since `mark` was taken."""
        count, turns, ended = mark
        self.version += 1
        touched = {key for key, _ in self._before[count:]}
        for key in touched:
            for window in self._partitions[key].open:
                del self._open[self.number(window)]
        for key, partition in reversed(self._before[count:]):
            if partition is None:
                del self._partitions[key]
            else:
                self._partitions[key] = partition
        del self._before[count:], self.turns[turns:], self.ended[ended:]
        for key in touched & self._partitions.keys():
            for window in self._partitions[key].open:
                self._open[self.number(window)] = window

    def since(self, mark: tuple[int, int, int]) -> object:
        """What has come of the changes since a mark, to be compared."""
        changed = {key: self._partitions[key] for key, _ in self._before[mark[0] :]}
        return self.turns[mark[1] :], self.ended[mark[2] :], changed

    def snapshot(self, waiting: Sequence[Change] = ()) -> bytes:
        """The state, and changes that are not made yet."""
        return HistorySnapshot(self._partitions, self.ended, self.turns, waiting).encoded()

    def restore(self, state: bytes) -> Sequence[Change]:
        """Go on from a snapshot.

        Returns:
            The changes that were not made yet.
        """
        known = HistorySnapshot.decoded(state)
        self.version += 1
        self._partitions = dict(known.partitions)
        self.ended, self.turns = list(known.ended), list(known.turns)
        every = [window for partition in self._partitions.values() for window in partition.open]
        self._open, self._before = {self.number(w): w for w in every}, []
        return known.waiting


def _settled(value: Any) -> Any:
    """A value that equals itself, so that what has come of changes can be compared."""
    return nan if isinstance(value, float) and isnan(value) else value


@lru_cache(maxsize=1 << 16)
def _partition_number(name: str, key: str) -> int:
    return int.from_bytes(sha256(f"{name}\x1f{key}".encode()).digest()[:8], "little", signed=True)
