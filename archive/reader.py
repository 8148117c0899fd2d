"""The archive as any process other than the engine has it."""

from __future__ import annotations

from contextlib import ExitStack

from ..config import Settings
from ..errors import ArchiveError
from .asking import ask_in_process
from .endpoint_reader import EndpointReader
from .layout import LOG, MATCHES
from .log import EventLog
from .marks import HOLDS_MATCHES
from .queryable import Queryable, Question
from .snapshots import store_copied
from .sparql import Result, evaluate
from .store import graphs_within, open_copy, progress_of
from .writer import Lag, lag_of


class ArchiveReader(Queryable):
    """The archive as any other process has it: as it was when this was opened, also while an engine writes it.

    Args:
        settings: of the project.
        timeout: seconds that a running engine has to answer.

    Raises:
        ArchiveError: there is no archive, it is damaged, or the engine does not answer.
    """

    def __init__(self, settings: Settings, timeout: float = 10.0) -> None:
        self.path = settings.path(settings.archive.path)
        self.log = EventLog(self.path / LOG)
        self._matches = EventLog(self.path / MATCHES)
        self._bucket = settings.archive.bucket
        self._prefixes = settings.prefixes
        self._open = ExitStack()
        self._copy = self._open.enter_context(store_copied(self.path, timeout))
        try:
            self._store = open_copy(self._copy)
        except ArchiveError:
            self._open.close()
            raise

    @property
    def lag(self) -> Lag:
        """How far this copy is behind the log as it is now."""
        return lag_of(self.log, progress_of(self._store), self._matches, progress_of(self._store, HOLDS_MATCHES))

    def answer(self, question: Question) -> Result:
        """Answer from the copy."""
        graphs = graphs_within(self._store, self._bucket, question.start, question.end)
        if question.may_be_given_up:
            return ask_in_process(self._copy, question, self._prefixes, graphs)
        return evaluate(self._store, question.text, self._prefixes, graphs)

    def close(self) -> None:
        """Delete the copy."""
        self._open.close()


def open_reader(settings: Settings, timeout: float = 10.0) -> ArchiveReader | EndpointReader:
    """Open an archive to ask it, wherever its store is; see `ArchiveReader`."""
    endpoint = settings.archive.endpoint
    return ArchiveReader(settings, timeout) if endpoint is None else EndpointReader(settings, endpoint)
