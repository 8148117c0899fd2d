"""The newest events of a stream, as the archive's log has them."""

from __future__ import annotations

from functools import partial
from typing import Any

import orjson

from ...archive import LOG, ArchivePlace
from ...archive.log import EventLog, read_consistently
from ...config import Settings
from ..plain_json import plain_value

__all__ = ["recent_events"]

_EXTRA, _LATE = "_extra", "_late"


def recent_events(settings: Settings, stream: str, last: int) -> list[dict[str, Any]]:
    """The events that came last, the oldest of them first.

    Args:
        settings: of the project.
        stream: its name.
        last: so many at most.

    Returns:
        Of each `_id`, `_time`, the declared attributes, what came with it undeclared; `_late` where it was.

    Raises:
        ArchiveError: a segment is broken.
    """
    log = EventLog(ArchivePlace.of(settings).log(LOG))
    return read_consistently(partial(_read, log, settings, stream, last))


def _read(log: EventLog, settings: Settings, stream: str, last: int) -> list[dict[str, Any]]:
    manifest, found = log.manifest(stream), list[dict[str, Any]]()
    time = settings.streams[stream].time.attribute
    for segment in reversed(manifest.segments()):
        rows = manifest.facts(segment.path).rows
        wanted = range(max(0, rows - (last - len(found))), rows)
        events = manifest.read(segment.path, rows=wanted).to_pylist()
        found = [*(_told(event, {*settings.streams[stream].attributes, time}) for event in events), *found]
        if len(found) >= last:
            break
    return found


def _told(event: dict[str, Any], declared: set[str]) -> dict[str, Any]:
    told = {"_id": event["_id"], "_time": plain_value(event["_time"])}
    told |= {name: plain_value(value) for name, value in event.items() if name in declared and value is not None}
    if event.get(_EXTRA):
        told |= {name: value for name, value in orjson.loads(event[_EXTRA]).items() if name not in told}
    return {**told, _LATE: True} if event.get(_LATE) else told
