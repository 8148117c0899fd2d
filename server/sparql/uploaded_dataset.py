"""A dataset beside the archive: graphs that people upload and change, in a folder of its own."""

from __future__ import annotations

import shutil
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Concatenate

import pyoxigraph as ox

from ...settings import ServerSettings
from ...storage import Telling
from ..problem import ProblemError
from .process_pool import ProcessPool
from .sparql_answer import Document, SparqlQuestion, answered
from .sparql_update import SparqlUpdate, updated
from .store_process import Found, Given, TimeLimitError, copied
from .watched_call import WatchedCall

__all__ = ["UploadedDataset"]


@dataclass(slots=True)
class _Copy:
    """A copy of the store, which of its states it has, and who reads it."""

    folder: Path
    state: int
    users: int = 0


class UploadedDataset:
    """Answers over copies of a store that one process has open, and changes it there.

    What one client asks, however long it takes, keeps others neither from answers nor from changes.

    Args:
        folder: of the store; made when it is asked for. Its copies, hard links, lie beside it while it is open.
        server: what one request may cost.
        updatable: whether SPARQL Update may change it.
    """

    union = False

    def __init__(self, folder: Path, server: ServerSettings, *, updatable: bool) -> None:
        self.updatable = updatable
        self._folder, self._seconds = folder, server.query_timeout.total_seconds()
        self._change_seconds = server.upload_timeout.total_seconds()
        self._writer, self._readers = ProcessPool(1, writable=True), ProcessPool(1)
        self._copies = folder.with_name(f"{folder.name}.copies")
        self._copying, self._counting = threading.Lock(), threading.Lock()
        self._copy: _Copy | None = None
        self._state = 0

    def query(self, question: SparqlQuestion) -> Document:
        """See `SparqlDataset`."""
        return self.call(answered, question)

    def update(self, update: SparqlUpdate) -> None:
        """See `SparqlDataset`."""
        if not self.updatable:
            hint = "let update be true for it under [server.datasets]"
            raise ProblemError(403, "this dataset takes no updates", hint)
        try:
            self._writer.call(self._folder, self._seconds, updated, update)
        finally:
            self._changed()

    def call(
        self, do: Callable[Concatenate[ox.Store, Given], Found], *args: Given.args, **named: Given.kwargs
    ) -> Found:
        """What a function gives for its store, which it reads: as it is behind the last change.

        Raises:
            ProblemError: see `StoreProcess.call`.
        """
        with self._reading() as copy:
            return self._readers.call(copy, self._seconds, do, *args, **named)

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
        try:
            return self._writer.call_watched(watch, self._folder, self._change_seconds, do, *args, **named)
        except TimeLimitError as error:
            hint = "let it say less, or let upload_timeout be longer"
            raise ProblemError(503, f"not done within {self._change_seconds:g} s", hint) from error
        finally:
            self._changed()

    def close(self) -> None:
        """Answer no more."""
        self._writer.close()
        self._readers.close()
        shutil.rmtree(self._copies, ignore_errors=True)

    def _changed(self) -> None:
        with self._counting:
            self._state += 1

    @contextmanager
    def _reading(self) -> Iterator[Path]:
        """Give the folder of a copy that has all changes, which stays until this ends."""
        until = time.monotonic() + self._seconds
        if not self._copying.acquire(timeout=self._seconds):
            raise ProblemError(503, "the dataset is being changed", "ask again later", Retry_After="5")
        try:
            copy = self._current(max(0.0, until - time.monotonic()))
            with self._counting:
                copy.users += 1
        finally:
            self._copying.release()
        try:
            yield copy.folder
        finally:
            with self._counting:
                copy.users -= 1
            self._remove_unused(copy)

    def _current(self, seconds: float) -> _Copy:
        """The copy, made anew where something may have changed; the first one removes those of a server before."""
        old, state = self._copy, self._state
        if old is None or old.state != state:
            target = self._copies / uuid.uuid4().hex
            self._writer.call(self._folder, seconds, copied, target, tidy=old is None)
            self._copy = _Copy(target, state)
            if old is not None:
                self._remove_unused(old)
            return self._copy
        return old

    def _remove_unused(self, copy: _Copy) -> None:
        with self._counting:
            unused = copy is not self._copy and not copy.users
        if unused:
            shutil.rmtree(copy.folder, ignore_errors=True)
