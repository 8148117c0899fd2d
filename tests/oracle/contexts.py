"""Contexts: the windows of a set in each partition, change by change (docs/semantics.md, contexts)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from kaicep.language.nodes import ContextSet
from kaicep.language.nodes.context import ChangeKind

from . import calendars
from .values import Value

Key = tuple[Value, ...]


@dataclass(frozen=True)
class Window:
    """A window `(since, until]` of a context, in microseconds since the epoch.

    Attributes:
        set: the name of the set.
        context: the name of the context.
        key: the partition.
        since: `None`: from the beginning.
        until: `None`: it has not ended.
        start: where it begins as people see it: a calendar's holds for `[start, end)`.
        end: likewise.
        values: its attributes.
    """

    set: str
    context: str
    key: Key
    since: int | None
    until: int | None
    start: int | None
    end: int | None
    values: Mapping[str, Value | None] = field(default_factory=dict, hash=False)

    def holds(self, moment: int) -> bool:
        """Whether a moment lies in it."""
        return (self.since is None or self.since < moment) and (self.until is None or moment <= self.until)

    @property
    def begin(self) -> tuple[str, str, Key, int | None]:
        """What it is, wherever it ends."""
        return self.set, self.context, self.key, self.since


@dataclass(frozen=True)
class Change:
    """What one row of a deriving query does.

    Attributes:
        set: what it changes.
        kind: how.
        context: which context.
        key: in which partition.
        time: when.
        values: the attributes of a new window.
        within: the windows in which its match lies.
    """

    set: str
    kind: ChangeKind
    context: str
    key: Key
    time: int
    values: Mapping[str, Value | None]
    within: tuple[Window, ...] = ()


@dataclass(frozen=True)
class Turn:
    """A row of CONTEXTS."""

    time: int
    context: str
    change: str
    since: int | None
    key: Key


class History:
    """The windows of one set, of all changes so far."""

    def __init__(self, of: ContextSet) -> None:
        self.set = of
        self.default = of.contexts[0].name
        self.calendars = {c.name: c.calendar for c in of.contexts if c.calendar is not None}
        self.windows: list[Window] = []
        self.turns: list[Turn] = []

    def copy(self) -> History:
        """The same, to be changed apart."""
        other = History(self.set)
        other.windows, other.turns = list(self.windows), list(self.turns)
        return other

    def make(self, change: Change) -> None:
        """Make a change: the default ends before what begins, and begins after what ends."""
        ended = [w for w in change.within if w.set == self.set.name and change.kind is ChangeKind.SWITCH]
        keys = dict.fromkeys([change.key, *(w.key for w in ended)])
        before = {key: self._default_after(key, change.time) for key in keys}
        if change.kind is ChangeKind.TERMINATE:
            self._end(change)
        for window in ended:
            self._end_window(window, change.time)
        if change.kind is not ChangeKind.TERMINATE and change.context != self.default:
            self._initiate(change, before[change.key])
        for key in keys:
            holds = self._default_after(key, change.time)
            if before[key] is None and holds is not None:
                self.turns.append(Turn(change.time, self.default, "started", holds.start, key))

    def _initiate(self, change: Change, default: Window | None) -> None:
        if self._open(change.context, change.key) is not None:
            return
        key, time = change.key, change.time
        if default is not None:
            self.turns.append(Turn(time, self.default, "ended", default.start, key))
        self.windows.append(Window(self.set.name, change.context, key, time, None, time, None, change.values))
        self.turns.append(Turn(time, change.context, "started", time, key))

    def _end(self, change: Change) -> None:
        window = self._open(change.context, change.key)
        if window is not None:
            self._end_window(window, change.time)

    def _end_window(self, window: Window, time: int) -> None:
        """End a window that a query began, if it is still open."""
        for place, own in enumerate(self.windows):
            if own.begin == window.begin and own.until is None:
                self.windows[place] = replace(own, until=time, end=time)
                self.turns.append(Turn(time, own.context, "ended", own.start, own.key))

    def _open(self, context: str, key: Key) -> Window | None:
        own = [w for w in self.windows if (w.context, w.key) == (context, key) and w.until is None]
        return own[0] if own else None

    def _default_after(self, key: Key, time: int) -> Window | None:
        """The window of the default that holds just after a moment."""
        return self.window(self.default, key, time + 1)

    def window(self, context: str, key: Key, moment: int) -> Window | None:
        """The window of a context that holds at a moment in a partition."""
        if context in self.calendars:
            return self._of_calendar(context, key, moment)
        if context == self.default:
            return self._of_default(key, moment)
        own = [w for w in self.windows if (w.context, w.key) == (context, key) and w.holds(moment)]
        return own[0] if own else None

    def _of_calendar(self, context: str, key: Key, moment: int) -> Window | None:
        calendar = self.calendars[context]
        if not calendars.holds(calendar, moment // calendars.MINUTE):
            return None
        begin, end = calendars.stretch(calendar, moment)
        return Window(self.set.name, context, key, _before(begin), _before(end), begin, end)

    def _of_default(self, key: Key, moment: int) -> Window | None:
        """From the last end of another context to the next begin of one."""
        own = [w for w in self.windows if w.key == key]
        if any(w.holds(moment) for w in own) or any(self._of_calendar(c, key, moment) for c in self.calendars):
            return None
        begins = [(w.until, w.end) for w in own if w.until is not None and w.until < moment]
        ends = [(w.since, w.start) for w in own if w.since is not None and w.since >= moment]
        for calendar in self.calendars.values():
            end, begin = calendars.stretch(calendar, moment)
            begins += [] if end is None else [(end - 1, end)]
            ends += [] if begin is None else [(begin - 1, begin)]
        since, start = max(begins, key=lambda b: b[0] or 0, default=(None, None))
        until, end = min(ends, key=lambda e: e[0] or 0, default=(None, None))
        return Window(self.set.name, self.default, key, since, until, start, end)


def _before(moment: int | None) -> int | None:
    return None if moment is None else moment - 1
