"""A copy of the archive's store that requests share: making one takes milliseconds, or until an engine has time.

While a newer one is made that takes longer, requests have the one before (RFC 5861, stale-while-revalidate).
"""

from __future__ import annotations

import math
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
_STALE_S = 10.0
_PATIENCE_S = 0.05
"""A request waits so long for a newer copy, which an engine that has time gives at once."""
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
        fresh: seconds after which a newer copy is made for the next request.
        stale: seconds after which a request waits for it, however long that takes.
        opened: opens the archive to be read.
    """

    def __init__(
        self,
        settings: Settings,
        fresh: float = _FRESH_S,
        stale: float = _STALE_S,
        opened: Callable[[Settings], ReadView] = open_read_view,
    ) -> None:
        self._settings, self._fresh, self._stale, self._open = settings, fresh, stale, opened
        self._changed = threading.Condition()
        self._held: _Held | None = None
        self._making, self._made, self._closed = False, 0, 0
        self._refusal: ProblemError | None = None
        self._used = time.monotonic()

    @contextmanager
    def folder(self) -> Iterator[Path]:
        """Give the folder of a copy, which stays until this ends.

        Raises:
            ProblemError: there is no archive yet, or its store is somewhere else.
        """
        with self._changed:
            held = self._current()
            held.users += 1
        try:
            yield self._folder_of(held)
        finally:
            with self._changed:
                held.users -= 1
                self._let_go(held)

    def close_idle(self, idle: float = _IDLE_S) -> None:
        """Let go of the copy when nobody has used it for so many seconds: it keeps files that the store has dropped."""
        if time.monotonic() - self._used > idle:
            self.close()

    def close(self) -> None:
        """Let go of the copy, as soon as nobody uses it."""
        with self._changed:
            self._closed += 1  # one that is being made is for nobody
            self._replace(None)

    def _current(self) -> _Held:
        """The copy that a request has; called with the lock, which others may have while it waits."""
        while True:
            self._used = time.monotonic()
            age = math.inf if self._held is None else self._used - self._held.made
            if age > self._fresh:
                self._await_newer(None if age > self._stale else _PATIENCE_S)
            if age > self._stale and self._refusal is not None:
                raise self._refusal
            if self._held is not None:
                return self._held

    def _await_newer(self, seconds: float | None) -> None:
        before = self._made
        if not self._making:
            self._making = True
            threading.Thread(target=self._make, args=(self._closed,), name="kaicep-store-copy", daemon=True).start()
        self._changed.wait_for(lambda: self._made > before, seconds)

    def _make(self, closed: int) -> None:
        view: ReadView | None = None
        refusal: ProblemError | None = None
        try:
            view = self._open(self._settings)
        except ArchiveError as error:
            refusal = ProblemError(503, error)
        except OSError as error:  # on a thread nobody hears of it otherwise
            refusal = ProblemError(503, f"the store cannot be copied: {error}")
        with self._changed:
            self._making, self._refusal = False, refusal
            self._made += 1
            if view is not None and self._closed == closed:
                self._replace(_Held(view, time.monotonic()))
            elif view is not None:
                view.close()
            self._changed.notify_all()

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
