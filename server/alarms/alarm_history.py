"""What became of alarms, put together from the rows that tell their changes."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from ..rows import MatchReader, RowCursor
from .alarm_form import RAISED, SEEN, WHO, AlarmForm

__all__ = ["Alarm", "AlarmHistory", "AlarmState"]

AlarmState = Literal["raised", "acknowledged", "cleared"]
_AT_ONCE = 1_000
_KEPT = 1_000
"""So many alarms that are over are remembered of each set."""

Key = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Alarm:
    """An alarm of one partition.

    Attributes:
        id: `_id` of the row that told of it first.
        set: the contexts that it is of.
        query: whose rows tell of it.
        key: the partition, by the names of the keys.
        state: whether somebody has to see it, somebody has, or it is over.
        raised: when; `None`: before the first row that is known.
        acknowledged: when somebody said so.
        who: that was.
        cleared: when it was over.
    """

    id: str
    set: str
    query: str
    key: Mapping[str, Any]
    state: AlarmState = "raised"
    raised: str | None = None
    acknowledged: str | None = None
    who: str | None = None
    cleared: str | None = None


class AlarmHistory:
    """The alarms of one set; reads what is new of the log of matches whenever it is asked. Any thread may ask.

    Args:
        form: of the set.
        reader: of the log.
    """

    def __init__(self, form: AlarmForm, reader: MatchReader) -> None:
        self._form, self._reader = form, reader
        self._reading = threading.Lock()
        self._read: dict[str, RowCursor] = {}
        self._alarms: dict[str, Alarm] = {}
        self._latest: dict[Key, str] = {}
        self._open: dict[Key, set[str]] = {}
        self._people: dict[tuple[Key, str], str] = {}

    def alarms(self) -> list[Alarm]:
        """All that are remembered, the oldest first."""
        with self._reading:
            people = None if self._form.seen is None else self._form.seen.people
            for row in self._new(people):
                self._people[self._key(row), row["_time"]] = row[WHO]
            for row in self._new(self._form.told):
                self._change(row)
            self._forget()
            return [replace(alarm, who=self._people.get(_seen(alarm))) for alarm in self._alarms.values()]

    def _new(self, query: str | None) -> Iterator[Mapping[str, Any]]:
        if query is None or query not in self._reader.queries():
            return
        while True:
            rows = self._reader.after(query, self._read.get(query), _AT_ONCE)
            for one in rows:
                self._read[query] = one.cursor
                yield one.row
            if len(rows) < _AT_ONCE:
                return

    def _key(self, row: Mapping[str, Any]) -> Key:
        return tuple(row[name] for name in self._form.key)

    def _change(self, row: Mapping[str, Any]) -> None:
        context, time, key = row["context"], row["_time"], self._key(row)
        if context not in (RAISED, SEEN):
            return
        holds = self._open.setdefault(key, set())
        if row["change"] == "started":
            self._begin(row, context, time, key)
            holds.add(context)
            return
        holds.discard(context)
        latest = self._latest.get(key)
        if not holds and latest is not None:
            self._alarms[latest] = replace(self._alarms[latest], state="cleared", cleared=time)

    def _begin(self, row: Mapping[str, Any], context: str, time: str, key: Key) -> None:
        latest = self._alarms.get(self._latest.get(key, ""))
        # SWITCH ends `raised` before it begins `seen`, at the same moment.
        if latest is None or (latest.cleared is not None and (context == RAISED or latest.cleared != time)):
            named = dict(zip(self._form.key, key, strict=True))
            raised = time if context == RAISED else None
            latest = Alarm(row["_id"], self._form.set, self._form.told, named, raised=raised)
            self._latest[key] = latest.id
        if context == SEEN:
            latest = replace(latest, state="acknowledged", acknowledged=time, cleared=None)
        self._alarms[latest.id] = latest

    def _forget(self) -> None:
        over = [alarm for alarm in self._alarms.values() if alarm.state == "cleared"]
        for oldest in over[:-_KEPT]:
            del self._alarms[oldest.id]
            key, _ = seen = _seen(oldest)
            self._people.pop(seen, None)
            if self._latest[key] == oldest.id:
                del self._latest[key], self._open[key]


def _seen(alarm: Alarm) -> tuple[Key, str]:
    """Where and when it was acknowledged."""
    return tuple(alarm.key.values()), alarm.acknowledged or ""
