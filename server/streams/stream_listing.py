"""The streams of a project and how they fare, as its engine has said last."""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import datetime
from typing import Any
from urllib.parse import quote

from ...api.clients import known_status
from ...config import Settings
from ...errors import PipelineError, did_you_mean
from ...pipeline.monitoring import StreamStatus
from ...settings import StreamSettings
from ..plain_json import plain_value
from ..problem import ProblemError

__all__ = ["StreamSummary", "listed_streams", "newest_events", "require_stream", "source_text"]

_USER = re.compile(r"//[^/@]*@")

StreamSummary = dict[str, Any]
"""A stream: `name`, `class` of its events, `rate` in records a second, `lag_s` behind the clock, `newest` time stamp,
counts over restarts (`records`, `late`, `duplicates`, `dead`, `unlinked`), `source`."""


def listed_streams(settings: Settings) -> list[StreamSummary]:
    """All streams, in the order of the project file."""
    told = _told(settings)
    return [_summary(name, one, told.get(name, StreamStatus())) for name, one in settings.streams.items()]


def newest_events(settings: Settings) -> dict[str, datetime]:
    """The newest time stamp of each stream that has brought an event."""
    return {name: one.newest for name, one in _told(settings).items() if one.newest is not None}


def require_stream(settings: Settings, name: str) -> StreamSettings:
    """A stream of the project.

    Raises:
        ProblemError: 404, it has none of that name.
    """
    if name not in settings.streams:
        known = sorted(settings.streams)
        hint = did_you_mean(name, known) or f"its streams: {', '.join(known) or 'none'}"
        raise ProblemError(404, PipelineError(f"the project has no stream '{name}'", hint=hint))
    return settings.streams[name]


def source_text(name: str, stream: StreamSettings) -> str:
    """Where a stream comes from, in words; what opens a broker or a database is no part of them."""
    source = stream.source
    if source is None:
        return "none"
    if source.mqtt is not None:
        return f"mqtt: {source.place}"
    if source.kafka is not None:
        return f"kafka: {source.place} of {source.kafka.servers}"
    if source.path is None:
        return source.format
    place = f"{source.format}: {_USER.sub('//', source.path)}"
    return place if source.closed else f"{place}, and POST /streams/{quote(name, safe='')}/events"


def _told(settings: Settings) -> dict[str, StreamStatus]:
    with suppress(PipelineError):
        return dict(known_status(settings).status.streams)
    return {}  # no engine has run yet


def _summary(name: str, stream: StreamSettings, status: StreamStatus) -> StreamSummary:
    newest = None if status.newest is None else str(plain_value(status.newest))
    return {
        "name": name,
        "class": stream.event_type,
        "rate": status.rate,
        "lag_s": status.lag,
        "newest": newest,
        "records": status.events,
        "late": status.late,
        "duplicates": status.duplicates,
        "dead": status.rejected + status.malformed,
        "unlinked": status.unlinked,
        "source": source_text(name, stream),
    }
