"""The windows of the default: where neither a query nor a calendar has another context hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...language.nodes import Calendar
from ..partitions import NO_END, NO_START
from .calendar_stretches import stretches_between
from .context_changes import HeldWindow, PartitionHistory

__all__ = ["DefaultWindows", "windows_of_stretches"]


class DefaultWindows:
    """The default of one set.

    Args:
        name: its.
        calendars: those of the set, by the names of their contexts.
    """

    def __init__(self, name: str, calendars: Mapping[str, Calendar]) -> None:
        self._name, self._calendars = name, calendars

    def at(self, key: str, known: PartitionHistory | None, time: int) -> HeldWindow | None:
        """The window that holds in a partition just after a moment, as far as it is known then; `None`: none does."""
        if known is not None and known.open:
            return None
        free = NO_START if known is None else known.free
        since = start = known.ended[-1].until if known is not None and known.ended else free
        until = end = NO_END
        if self._calendars:
            stretches = stretches_between(list(self._calendars.values()), time + 1, time + 1)
            for begin, stop in stretches:
                if begin <= time + 1 < stop:
                    return None
                if stop <= time + 1 and _behind(stop) > since:
                    since, start = _behind(stop), stop
            until, end = next(((_behind(begin), begin) for begin, _ in stretches if begin > time + 1), (NO_END, NO_END))
        return HeldWindow(self._name, key, since, until, start, end)

    def between(self, key: str, known: PartitionHistory, first: int, last: int) -> list[HeldWindow]:
        """Its windows in a partition; `first` to `last` is the time of which calendars are asked."""
        taken = sorted((w.since, w.until, w.start, w.end) for w in known.windows)
        if self._calendars:
            stretches = stretches_between(list(self._calendars.values()), first, last)
            taken += [(_behind(a), _behind(b), a, b) for a, b in stretches]
            taken.sort()
        found, free, start = [], known.free, known.free
        for since, until, begin, end in taken:
            if since > free:
                found.append(HeldWindow(self._name, key, free, since, start, begin))
            if until > free:
                free, start = until, end
        if free < NO_END:
            found.append(HeldWindow(self._name, key, free, NO_END, start, NO_END))
        return found


def windows_of_stretches(context: str, key: str, stretches: Sequence[tuple[int, int]]) -> list[HeldWindow]:
    """The windows of the stretches of time for which a calendar holds, in a partition."""
    return [HeldWindow(context, key, _behind(a), _behind(b), a, b) for a, b in stretches]


def _behind(moment: int) -> int:
    """The last moment before one; what has no beginning or end keeps none."""
    return moment if moment in (NO_START, NO_END) else moment - 1
