"""A dataset beside the archive: graphs that people upload and change, in a folder of its own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Concatenate

import pyoxigraph as ox

from ...settings import ServerSettings
from ...storage import Telling
from ..problem import ProblemError
from .process_pool import ProcessPool
from .sparql_answer import Document, SparqlQuestion, answered
from .sparql_update import SparqlUpdate, updated
from .store_process import Found, Given
from .watched_call import WatchedCall

__all__ = ["UploadedDataset"]


class UploadedDataset:
    """Answers over a store that one process has open, and changes it.

    Args:
        folder: of the store; made when it is asked for.
        server: what one request may cost.
        updatable: whether SPARQL Update may change it.
    """

    union = False

    def __init__(self, folder: Path, server: ServerSettings, *, updatable: bool) -> None:
        self.updatable = updatable
        self._folder, self._seconds = folder, server.query_timeout.total_seconds()
        self._change_seconds = server.upload_timeout.total_seconds()
        self._pool = ProcessPool(1, writable=True)

    def query(self, question: SparqlQuestion) -> Document:
        """See `SparqlDataset`."""
        return self.call(answered, question)

    def update(self, update: SparqlUpdate) -> None:
        """See `SparqlDataset`."""
        if not self.updatable:
            hint = "let update be true for it under [server.datasets]"
            raise ProblemError(403, "this dataset takes no updates", hint)
        self.call(updated, update)

    def call(
        self, do: Callable[Concatenate[ox.Store, Given], Found], *args: Given.args, **named: Given.kwargs
    ) -> Found:
        """What a function gives for its store.

        Raises:
            ProblemError: see `StoreProcess.call`.
        """
        return self._pool.call(self._folder, self._seconds, do, *args, **named)

    def change(
        self,
        watch: WatchedCall,
        do: Callable[Concatenate[ox.Store, Telling, Given], Found],
        *args: Given.args,
        **named: Given.kwargs,
    ) -> Found:
        """What a function gives that changes its store, within `upload_timeout`.

        Raises:
            ProblemError: see `StoreProcess.call_watched`.
        """
        return self._pool.call_watched(watch, self._folder, self._change_seconds, do, *args, **named)

    def close(self) -> None:
        """Answer no more."""
        self._pool.close()
