"""The archive as any process other than the engine has it."""

from __future__ import annotations

from contextlib import ExitStack
from datetime import datetime

from ..config import Settings
from ..errors import ArchiveError
from .endpoint_reader import EndpointReader
from .folder_layout import LOG
from .log import EventLog
from .matches import MatchLog
from .sparql import Queryable, Question, Result
from .store import HOLDS_MATCHES, open_copy, progress_of, since_of, store_copied
from .sync import Buckets, Dataset, Lag, ask, closure_of, lag_of, recall_for
from .timeout import Patience


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
        self._matches = MatchLog(self.path)
        self._settings = settings
        self._dataset = Dataset(settings.prefixes, settings.archive.bucket)
        self._recalled: list[Buckets] = []
        self._open = ExitStack()
        self._copy = self._open.enter_context(store_copied(self.path, timeout))
        try:
            store = open_copy(self._copy)
            self._progress, self._matched = progress_of(store), progress_of(store, HOLDS_MATCHES)
            self._since = since_of(store)
        except ArchiveError:
            self._open.close()
            raise

    @property
    def lag(self) -> Lag:
        """How far this copy is behind the log as it is now."""
        return lag_of(self.log, self._progress, self._matches.log, self._matched)

    @property
    def since(self) -> datetime | None:
        """From when on the store has events, earlier ones being in the log alone; `None`: it has all."""
        return self._since

    def answer(self, question: Question) -> Result:
        """Answer from the copy, to which is added what the store has dropped and the question names."""
        patience, dropped = Patience(question), Buckets.dropped(question, self._dataset.bucket, self._since)
        if dropped is not None and not any(dropped.within(before) for before in self._recalled):
            closure = closure_of(open_copy(self._copy))
            recall_for(self._settings, closure, self.log, self._matches).into(self._copy, dropped, patience)
            self._recalled.append(dropped)
        return ask(self._copy, question, self._dataset, patience)

    def close(self) -> None:
        """Delete the copy."""
        self._open.close()


def open_reader(settings: Settings, timeout: float = 10.0) -> ArchiveReader | EndpointReader:
    """Open an archive to ask it, wherever its store is; see `ArchiveReader`."""
    endpoint = settings.archive.endpoint
    return ArchiveReader(settings, timeout) if endpoint is None else EndpointReader(settings, endpoint)
