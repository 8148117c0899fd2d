"""The windows of one set of contexts, change by change (CAESAR §3.1, §4.1).

A window `(since, until]` holds the events with `since < T <= until`. The default holds when no other context does.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime, timedelta
from functools import lru_cache
from hashlib import sha256
from math import isnan, nan
from typing import Any

from ...expressions import Ints
from ...language.nodes import ChangeKind, ContextSet
from ..partitions import NO_END, NO_START
from .calendar_stretches import AROUND, stretches_between
from .window_numbers import window_number, window_numbers

__all__ = ["Change", "ContextHistory", "HeldWindow", "Turn"]


@dataclass(frozen=True, slots=True)
class HeldWindow:
    """A window of a context in one partition.

    Attributes:
        context: its name.
        key: the partition.
        since: it holds the events after that, in microseconds; `NO_START`: it was always there.
        until: and those up to that; `NO_END`: it is open.
        start: where it begins as people see it: a calendar's stretch holds from its beginning on.
        end: likewise.
        values: its attributes.
    """

    context: str
    key: str
    since: int
    until: int
    start: int
    end: int
    values: Mapping[str, Any] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True)
class Change:
    """What a row of a deriving query does at a moment.

    Attributes:
        time: in microseconds.
        kind: of the change.
        context: what it changes.
        key: in which partition.
        keys: the values of the set's keys there, for people.
        values: attributes of the window that it opens.
        windows: numbers of the windows in which the row's match lies.
        order: the contexts after IN CONTEXT; SWITCH ends windows in that order.
    """

    time: int
    kind: ChangeKind
    context: str
    key: str
    keys: tuple[Any, ...] = ()
    values: Mapping[str, Any] = field(default_factory=dict, hash=False)
    windows: tuple[int, ...] = ()
    order: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Turn:
    """A context that has started or ended, as `CONTEXTS(…)` tells it."""

    time: int
    context: str
    change: str
    since: int
    keys: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class _Partition:
    """What is known of a partition in which something has changed.

    Attributes:
        keys: the values of the set's keys.
        ended: the windows that queries have begun and ended, by their ends; those of long ago are forgotten.
        open: those that have not ended.
        free: the default may hold after that; `NO_START`: from the beginning.
    """

    keys: tuple[Any, ...]
    ended: tuple[HeldWindow, ...] = ()
    open: tuple[HeldWindow, ...] = ()
    free: int = NO_START

    @property
    def windows(self) -> tuple[HeldWindow, ...]:
        """All of them."""
        return self.ended + self.open

    def open_of(self, context: str) -> HeldWindow | None:
        """The window of a context that is open."""
        return next((window for window in self.open if window.context == context), None)


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
        self.turns: list[Turn] = []
        self.ended: list[HeldWindow] = []
        self._partitions: dict[str, _Partition] = {}
        self._open: dict[int, HeldWindow] = {}
        self._before: list[tuple[str, _Partition | None]] = []
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
        if self._holding[0] != asked:
            ended = (window.context for window in self.ended_from(first, NO_END) if window.since < last)
            self._holding = asked, frozenset(ended).union(window.context for window in self._open.values())
        return self._holding[1]

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
            default = self._default_at(key, known, time)
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
                self._begin(change, self._default_at(change.key, known, change.time))
            case ChangeKind.TERMINATE if own is not None:
                self._end(own, change.time)
                self._begin_default(change.key, change.time)
            case ChangeKind.SWITCH:
                self._switch(change)

    def _switch(self, change: Change) -> None:
        lying = [self._open[number] for number in change.windows if number in self._open]
        if len(lying) > 1:
            lying.sort(key=lambda window: (change.order.index(window.context), window.key))
        default = self._default_at(change.key, self._partitions.get(change.key), change.time)
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
        known = self._partitions.get(change.key) or _Partition(tuple(map(_settled, change.keys)))
        if default is not None:
            self.ended.append(replace(default, until=change.time, end=change.time))
            self._tell(change.time, default, "ended", known.keys)
        values = {name: _settled(value) for name, value in change.values.items()}
        new = HeldWindow(change.context, change.key, change.time, NO_END, change.time, NO_END, values)
        self._keep(change.key, _Partition(known.keys, known.ended, (*known.open, new), known.free))
        self._open[self.number(new)] = new
        self._tell(change.time, new, "started", known.keys)

    def _end(self, window: HeldWindow, time: int) -> None:
        known = self._partitions[window.key]
        over = replace(window, until=time, end=time)
        left = tuple(own for own in known.open if own is not window)
        self._keep(window.key, _Partition(known.keys, (*known.ended, over), left, known.free))
        del self._open[self.number(window)]
        self.ended.append(over)
        self._tell(time, over, "ended", known.keys)

    def _begin_default(self, key: str, time: int) -> None:
        """Tell that the default begins, if nothing else holds after a moment."""
        known = self._partitions.get(key)
        begun = None if known is None else self._default_at(key, known, time)
        if known is not None and begun is not None:
            self._tell(time, begun, "started", known.keys)

    def _keep(self, key: str, partition: _Partition) -> None:
        self.version += 1
        self._before.append((key, self._partitions.get(key)))
        self._partitions[key] = partition

    def _tell(self, time: int, window: HeldWindow, change: str, keys: tuple[Any, ...]) -> None:
        self.turns.append(Turn(time, window.context, change, window.start, keys))

    def _default_at(self, key: str, known: _Partition | None, time: int) -> HeldWindow | None:
        """The window of the default that holds just after a moment, as far as it is known then."""
        if known is not None and known.open:
            return None
        free = NO_START if known is None else known.free
        since = start = known.ended[-1].until if known is not None and known.ended else free
        until = end = NO_END
        if self.calendars:
            stretches = stretches_between(list(self.calendars.values()), time + 1, time + 1)
            for begin, stop in stretches:
                if begin <= time + 1 < stop:
                    return None
                if stop <= time + 1 and _behind(stop) > since:
                    since, start = _behind(stop), stop
            until, end = next(((_behind(begin), begin) for begin, _ in stretches if begin > time + 1), (NO_END, NO_END))
        return HeldWindow(self.default, key, since, until, start, end)

    def windows(self, context: str, key: str, first: int, last: int) -> list[HeldWindow]:
        """The windows of a context in a partition that hold at some moment from `first` to `last`."""
        if context in self.calendars:
            found = _of_stretches(context, key, stretches_between([self.calendars[context]], first, last))
        else:
            known = self._partitions.get(key)
            if context == self.default:
                found = self._defaults(key, known or _Partition(()), first, last)
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

    def _defaults(self, key: str, known: _Partition, first: int, last: int) -> list[HeldWindow]:
        """The windows in which nothing else holds; `first` to `last` is the time of which calendars are asked."""
        taken = sorted((w.since, w.until, w.start, w.end) for w in known.windows)
        if self.calendars:
            stretches = stretches_between(list(self.calendars.values()), first, last)
            taken += [(_behind(a), _behind(b), a, b) for a, b in stretches]
            taken.sort()
        found, free, start = [], known.free, known.free
        for since, until, begin, end in taken:
            if since > free:
                found.append(HeldWindow(self.default, key, free, since, start, begin))
            if until > free:
                free, start = until, end
        if free < NO_END:
            found.append(HeldWindow(self.default, key, free, NO_END, start, NO_END))
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
                self._partitions[key] = _Partition(known.keys, known.ended[over:], known.open, free)
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
        partitions = {
            key: {"keys": list(p.keys), "free": p.free, "windows": [asdict(w) for w in p.windows]}
            for key, p in self._partitions.items()
        }
        state = {
            "partitions": partitions,
            "ended": [asdict(w) for w in self.ended],
            "turns": [asdict(turn) for turn in self.turns],
            "waiting": [asdict(change) for change in waiting],
        }
        return json.dumps(state, default=_plain).encode()

    def restore(self, state: bytes) -> list[Change]:
        """Go on from a snapshot.

        Returns:
            The changes that were not made yet.
        """
        content: dict[str, Any] = json.loads(state, object_hook=_meant)
        self.version += 1
        self._partitions = {}
        for key, p in content["partitions"].items():
            windows = [HeldWindow(**window) for window in p["windows"]]
            ended, left = (tuple(w for w in windows if (w.until == NO_END) is is_open) for is_open in (False, True))
            self._partitions[key] = _Partition(tuple(p["keys"]), ended, left, p["free"])
        self.ended = [HeldWindow(**w) for w in content["ended"]]
        self.turns = [Turn(**{**turn, "keys": tuple(turn["keys"])}) for turn in content["turns"]]
        every = [window for partition in self._partitions.values() for window in partition.open]
        self._open, self._before = {self.number(w): w for w in every}, []
        return [_change(change) for change in content["waiting"]]


def _change(content: dict[str, Any]) -> Change:
    lists = {name: tuple(content[name]) for name in ("keys", "windows", "order")}
    return Change(**{**content, **lists, "kind": ChangeKind(content["kind"])})


def _of_stretches(context: str, key: str, stretches: Sequence[tuple[int, int]]) -> list[HeldWindow]:
    return [HeldWindow(context, key, _behind(a), _behind(b), a, b) for a, b in stretches]


def _behind(moment: int) -> int:
    """The last moment before one; what has no beginning or end keeps none."""
    return moment if moment in (NO_START, NO_END) else moment - 1


def _settled(value: Any) -> Any:
    """A value that equals itself, so that what has come of changes can be compared."""
    return nan if isinstance(value, float) and isnan(value) else value


def _plain(value: object) -> object:
    if isinstance(value, datetime):
        return {"$moment": value.isoformat()}
    if isinstance(value, timedelta):
        return {"$microseconds": value // timedelta(microseconds=1)}
    raise TypeError(type(value).__name__)


def _meant(content: dict[str, Any]) -> Any:
    if "$moment" in content:
        return datetime.fromisoformat(content["$moment"])
    if "$microseconds" in content:
        return timedelta(microseconds=content["$microseconds"])
    return content


@lru_cache(maxsize=1 << 16)
def _partition_number(name: str, key: str) -> int:
    return int.from_bytes(sha256(f"{name}\x1f{key}".encode()).digest()[:8], "little", signed=True)
