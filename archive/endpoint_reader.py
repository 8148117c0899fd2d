"""An archive whose store is behind a SPARQL endpoint, as any process other than the engine has it."""

from __future__ import annotations

import threading
from datetime import datetime
from types import TracebackType
from typing import Self

from ..config import Settings
from .backup import require
from .layout import LOG
from .log import EventLog
from .semantic_store import endpoint_store
from .sparql import Result
from .writer import Lag, lag_of


class EndpointReader:
    """Asks the endpoint itself, which answers as of now; see `ArchiveReader`.

    Args:
        settings: of the project.
        endpoint: its URL.

    Raises:
        ArchiveError: there is no archive, or the endpoint does not answer, or has another archive's events.
    """

    def __init__(self, settings: Settings, endpoint: str) -> None:
        self.path = settings.path(settings.archive.path)
        require(self.path)
        self.log = EventLog(self.path / LOG)
        self._prefixes = settings.prefixes
        self._store = endpoint_store(settings.archive, endpoint, self.path)
        self._store.claim()

    @property
    def lag(self) -> Lag:
        """How far the endpoint is behind the log."""
        return lag_of(self.log, self._store.progress)

    def query(
        self,
        text: str,
        *,
        start: datetime | None = None,
        end: datetime | None = None,
        timeout: float | None = None,
        cancelled: threading.Event | None = None,
    ) -> Result:
        """Answer SPARQL, as `Archive.query`."""
        return self._store.query(text, self._prefixes, start=start, end=end, timeout=timeout, cancelled=cancelled)

    def close(self) -> None:
        """Close the connections."""
        self._store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
