"""An archive whose store is behind a SPARQL endpoint, as any process other than the engine has it."""

from __future__ import annotations

from datetime import datetime

from ..config import Settings
from .backup import require
from .folder_layout import LOG
from .log import EventLog
from .matches import MatchLog
from .sparql import Queryable, Question, Result
from .store import HOLDS_MATCHES, endpoint_store
from .sync import Buckets, Dataset, Lag, ask_log, lag_of, recall_for


class EndpointReader(Queryable):
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
        self._matches = MatchLog(self.path)
        self._settings = settings
        self._store = endpoint_store(settings.archive, endpoint, self.path)
        self._store.claim()

    @property
    def lag(self) -> Lag:
        """How far the endpoint is behind the log."""
        return lag_of(self.log, self._store.progress, self._matches.log, self._store.progress_of(HOLDS_MATCHES))

    @property
    def since(self) -> datetime | None:
        """From when on the endpoint has events, earlier ones being in the log alone; `None`: it has all."""
        return self._store.since

    def answer(self, question: Question) -> Result:
        """Let the endpoint answer; of a time of which it has dropped something, the log."""
        bucket = self._settings.archive.bucket
        if Buckets.dropped(question, bucket, self._store.since) is None:
            return self._store.answer(question, self._settings.prefixes)
        closure = self._store.closure()
        recall = recall_for(self._settings, closure, self.log, self._matches)
        return ask_log(self.path, closure, question, recall, Dataset(self._settings.prefixes, bucket))

    def close(self) -> None:
        """Close the connections."""
        self._store.close()
