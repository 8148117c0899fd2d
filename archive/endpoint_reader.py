"""An archive whose store is behind a SPARQL endpoint, as any process other than the engine has it."""

from __future__ import annotations

from ..config import Settings
from .backup import require
from .layout import LOG, MATCHES
from .log import EventLog
from .marks import HOLDS_MATCHES
from .queryable import Queryable, Question
from .semantic_store import endpoint_store
from .sparql import Result
from .writer import Lag, lag_of


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
        self._matches = EventLog(self.path / MATCHES)
        self._prefixes = settings.prefixes
        self._store = endpoint_store(settings.archive, endpoint, self.path)
        self._store.claim()

    @property
    def lag(self) -> Lag:
        """How far the endpoint is behind the log."""
        return lag_of(self.log, self._store.progress, self._matches, self._store.progress_of(HOLDS_MATCHES))

    def answer(self, question: Question) -> Result:
        """Let the endpoint answer."""
        return self._store.answer(question, self._prefixes)

    def close(self) -> None:
        """Close the connections."""
        self._store.close()
