"""The event that says that somebody has seen an alarm."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

import orjson

from ...config import Settings
from ...pipeline.sinks import iso
from ..events import EventInboxes
from ..problem import ProblemError
from ..queries import ProjectProcesses
from ..streams import newest_events
from .alarm_form import AlarmForm, key_values
from .alarm_history import Alarm

__all__ = ["Acknowledgements"]

_PLAYED_BACK = timedelta(days=1)
"""Streams that are so far from the clock were recorded: time is theirs."""


class Acknowledgements:
    """Posts those events, to the streams that the queries of the alarms read.

    Args:
        settings: of the project.
        processes: that load it.
        inboxes: of its streams.
    """

    def __init__(self, settings: Settings, processes: ProjectProcesses, inboxes: EventInboxes) -> None:
        self._settings, self._processes, self._inboxes = settings, processes, inboxes

    def post(self, form: AlarmForm, alarm: Alarm, who: str | None) -> dict[str, object]:
        """Say that an alarm was seen; durable when this returns, and known to the engine with one of its next batches.

        Args:
            form: of the alarm's contexts.
            alarm: that was seen.
            who: saw it.

        Returns:
            The event.

        Raises:
            ProblemError: 409, it is not raised any more, or no event does that; as `EventInbox.put`.
        """
        if alarm.state != "raised":
            raise ProblemError(409, f"the alarm is {alarm.state} already", "GET /alarms says how each fares")
        if form.seen is None:
            hint = (
                f"write SWITCH CONTEXT seen FROM (?d, …) IN CONTEXT raised for '{form.set}', as docs/alarms.md has it"
            )
            raise ProblemError(409, f"no event acknowledges alarms of '{form.set}'", hint)
        inbox = self._inboxes.of(form.seen.stream)
        key = {name: str(value) for name, value in alarm.key.items()}
        about: Mapping[str, object] = self._processes.ask(key_values, form, key) if key else {}
        event = {**form.seen.said, **about, form.seen.time: iso(self._moment())}
        if who and form.seen.who is not None:
            event[form.seen.who] = who
        inbox.put([orjson.dumps(event)])
        return event

    def _moment(self) -> datetime:
        """Now; where streams are played back, the newest time stamp of any."""
        now = datetime.now(UTC)
        newest = max(newest_events(self._settings).values(), default=now)
        return now if abs(now - newest) < _PLAYED_BACK else newest
