"""The folder that a stream reads, as an inbox: each request is a file there, durable before it is acknowledged."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path

from ...config import Settings
from ...errors import PipelineError, Place, did_you_mean
from ...storage import FileOrder, make_folder, write_atomically
from ..problem import ProblemError

__all__ = ["EventInbox", "EventInboxes"]

_RETRY_S = "5"


class EventInbox:
    """What is posted to one stream.

    Args:
        settings: of the project.
        stream: its name.

    Attributes:
        documents: whether what is posted are documents of a standard, such as packs of SenML, and not records.

    Raises:
        ProblemError: there is no such stream (404), or it reads no folder that events could be put into (409).
    """

    def __init__(self, settings: Settings, stream: str) -> None:
        self._folder = _folder_of(settings, stream)
        source = settings.streams[stream].source
        self.documents = source is not None and source.payload != "json"
        self._most = settings.server.backlog
        self._writing = threading.Lock()
        self._order = FileOrder(self._folder, "http")
        self._order.resume()

    def put(self, records: Sequence[bytes]) -> None:
        """Write records, durably; the engine reads them in this order, behind those that were put before.

        Raises:
            ProblemError: 429, so much waits already that no more is taken.
        """
        with self._writing:
            waiting = self._order.waiting()
            if waiting > self._most:
                said = f"{waiting:,} bytes of events wait for the engine"
                raise ProblemError(429, said, "send them again later", Retry_After=_RETRY_S)
            make_folder(self._folder)
            turn = self._order.next()
            with write_atomically(turn.path) as temporary:
                temporary.write_bytes(b"".join(record + b"\n" for record in records))
                turn.stamp(temporary)


class EventInboxes:
    """The inboxes of a project, one for each stream: two of a stream would not know of each other. Any thread may ask.

    Args:
        settings: of the project.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._making = threading.Lock()
        self._made: dict[str, EventInbox] = {}

    def of(self, stream: str) -> EventInbox:
        """That of a stream.

        Raises:
            ProblemError: see `EventInbox`.
        """
        with self._making:
            if stream not in self._made:
                self._made[stream] = EventInbox(self._settings, stream)
            return self._made[stream]


def _folder_of(settings: Settings, stream: str) -> Path:
    known = settings.streams.get(stream)
    if known is None:
        hint = did_you_mean(stream, sorted(settings.streams)) or f"its streams: {', '.join(sorted(settings.streams))}"
        raise ProblemError(404, PipelineError(f"the project has no stream '{stream}'", hint=hint))
    source, place = known.source, settings.place(stream)
    if source is None or source.path is None:
        raise _no_inbox(stream, "reads no folder of JSON", place)
    if source.closed is not None:
        raise _no_inbox(stream, source.closed, place)
    return settings.path(source.path)


def _no_inbox(stream: str, why: str, place: Place) -> ProblemError:
    hint = 'write source = { format = "json", path = "var/inbox/…", cleanSource = "delete" }'
    return ProblemError(409, PipelineError(f"stream '{stream}' {why}", place=place, hint=hint))
