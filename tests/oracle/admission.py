"""Which tuples of a stream are its events: duplicates and lateness (LANGUAGE §1)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta

from .events import Annotation, Event


def admitted(annotation: Annotation, tuples: Iterable[Mapping[str, object]]) -> list[Event]:
    """The events of a stream, in order of arrival: rejected tuples, duplicates and late ones are none of them."""
    lateness: timedelta = annotation.settings.lateness
    events: list[Event] = []
    seen: set[str] = set()
    greatest: datetime | None = None
    for event in delivered(annotation, tuples):
        if event.id in seen:
            continue
        seen.add(event.id)
        if greatest is None or event.time >= greatest - lateness:
            events.append(event)
        greatest = event.time if greatest is None else max(greatest, event.time)
    return events


def delivered(annotation: Annotation, tuples: Iterable[Mapping[str, object]]) -> list[Event]:
    """Every tuple that is an event at all, late and duplicate ones too."""
    return [event for raw in tuples if (event := annotation.event(raw)) is not None]
