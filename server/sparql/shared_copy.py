"""A copy of the archive's store that requests share: making one takes milliseconds, or until an engine has time."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from ...archive import ReadView, open_read_view
from ...config import Settings
from ...errors import ArchiveError
from ..problem import ProblemError

__all__ = ["SharedCopy"]

_FRESH_S = 1.0
_IDLE_S = 60.0


@dataclass(slots=True)
class _Held:
    """A view that is open, and who uses it."""

    view: ReadView
    made: float
    users: int = 0
    replaced: bool = False


class SharedCopy:
    """The store of a project's archive as it was at most so long ago.

    Args:
        settings: of the project.
        fresh: seconds after which the next request has a newer copy.
        opened: opens the archive to be read.
    """

    def __init__(
        self, settings: Settings, fresh: float = _FRESH_S, opened: Callable[[Settings], ReadView] = open_read_view
    ) -> None:
        self._settings, self._fresh, self._open = settings, fresh, opened
        self._lock = threading.Lock()
        self._held: _Held | None = None
        self._used = time.monotonic()

    @contextmanager
    def folder(self) -> Iterator[Path]:
        """Give the folder of a copy, which stays until this ends.

        Raises:
            ProblemError: there is no archive yet, or its store is somewhere else.
        """
        with self._lock:
            held = self._current()
            held.users += 1
        try:
            yield self._folder_of(held)
        finally:
            with self._lock:
                held.users -= 1
                self._let_go(held)

    def close_idle(self, idle: float = _IDLE_S) -> None:
        """Let go of the copy when nobody has used it for so many seconds: it keeps files that the store has dropped."""
        if time.monotonic() - self._used > idle:
            self.close()

    def close(self) -> None:
        """Let go of the copy, as soon as nobody uses it."""
        with self._lock:
            self._replace(None)

    def _current(self) -> _Held:
        self._used = time.monotonic()
        if self._held is None or self._used - self._held.made > self._fresh:
            try:
                view = self._open(self._settings)
            except ArchiveError as error:
                raise ProblemError(503, error) from error
            self._replace(_Held(view, time.monotonic()))
        assert self._held is not None  # noqa: S101 - just made
        return self._held

    def _replace(self, new: _Held | None) -> None:
        old, self._held = self._held, new
        if old is not None:
            old.replaced = True
            self._let_go(old)

    def _let_go(self, held: _Held) -> None:
        if held.replaced and not held.users:
            held.view.close()

    def _folder_of(self, held: _Held) -> Path:
        folder = None if held.view.store is None else held.view.store.folder
        if folder is None:
            hint = "ask that endpoint itself"
            raise ProblemError(501, "the archive's graphs are behind an endpoint of their own", hint)
        return folder
