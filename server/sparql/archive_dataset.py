"""The archive as a dataset: events, matches and knowledge, as they were a moment ago."""

from __future__ import annotations

from pathlib import Path

import pyoxigraph as ox

from ...config import Settings
from ...storage import Telling
from ..problem import ProblemError
from .process_pool import ProcessPool
from .shared_copy import SharedCopy
from .sparql_answer import Document, SparqlQuestion, answered
from .sparql_update import SparqlUpdate
from .store_process import StoreProcess
from .watched_call import WatchedCall

__all__ = ["ArchiveDataset"]


class ArchiveDataset:
    """Answers over a copy of the archive's store, in processes that can be ended.

    Args:
        settings: of the project.
    """

    updatable, union = False, True

    def __init__(self, settings: Settings) -> None:
        self._seconds = settings.server.query_timeout.total_seconds()
        self._job_seconds = settings.server.job_timeout.total_seconds()
        self._pool = ProcessPool(settings.server.workers, prompt=True)
        self._copy = SharedCopy(settings, self._prepare)

    def start(self) -> None:
        """Begin the processes that answer, and make a copy that the first request has.

        Raises:
            ProblemError: there is no archive yet: they begin when somebody asks.
        """
        with self._copy.folder():
            self._pool.start()

    def query(self, question: SparqlQuestion) -> Document:
        """See `SparqlDataset`."""
        with self._copy.folder() as folder:
            return self._pool.call(folder, self._seconds, answered, question)

    def query_apart(self, question: SparqlQuestion, watch: WatchedCall) -> Document:
        """As `query`, in a process of its own, for as long as a job may take.

        Args:
            question: asked.
            watch: may give it up.

        Raises:
            ProblemError: as there, or it was given up.
        """
        process = StoreProcess()
        try:
            with self._copy.folder() as folder:
                return process.call_watched(watch, folder, self._job_seconds, answered_apart, question)
        finally:
            process.close()

    def update(self, update: SparqlUpdate) -> None:  # noqa: ARG002 - it takes none
        """Refuse.

        Raises:
            ProblemError: always.
        """
        hint = "events come by streams, knowledge by /graphs; [server.datasets] may take updates"
        raise ProblemError(403, "the archive takes no updates", hint)

    def _prepare(self, folder: Path) -> None:
        self._pool.open_ahead(folder, self._seconds)

    def tidy(self) -> None:
        """Let go of a copy that nobody uses."""
        self._copy.close_idle()

    def close(self) -> None:
        """Answer no more."""
        self._pool.close()
        self._copy.close()


def answered_apart(store: ox.Store, told: Telling, question: SparqlQuestion) -> Document:
    """As `answered`; nobody knows how long that takes."""
    told("answering", 0.0)
    return answered(store, question)
