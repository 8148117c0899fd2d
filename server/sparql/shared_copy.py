"""A copy of the archive's store that requests share: making one takes milliseconds, or until an engine has time.

While somebody asks, newer ones are made ahead; until each is there, requests have the one before (RFC 5861,
stale-while-revalidate).
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from ...archive import ReadView, open_read_view
from ...config import Settings
from ...errors import ArchiveError
from ..problem import ProblemError

__all__ = ["SharedCopy"]

_FRESH_S = 1.0
_STALE_S = 60.0
_TIMES = 5.0
"""An engine that is busy takes long to make one: until the next is begun so many times as long passes, .."""
_TRIES = 3
""".. but no more than this part of the time after which requests wait: the next may take longer still, or fail."""
_PATIENCE_S = 0.05
"""The first request after a pause waits so long for a newer copy, which an engine that has time gives at once."""
_IDLE_S = 60.0
_FIRST_S = 10.0


def _view(settings: Settings, timeout: float) -> ReadView:
    return open_read_view(settings, timeout=timeout)


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
        prepare: is given the folder of each copy before a request has it.
        fresh: seconds after which a newer copy is made.
        stale: seconds after which a request waits for it, however long that takes.
        opened: opens the archive to be read, if an engine that has it open answers in so many seconds.
    """

    def __init__(
        self,
        settings: Settings,
        prepare: Callable[[Path], None] | None = None,
        fresh: float = _FRESH_S,
        stale: float = _STALE_S,
        opened: Callable[[Settings, float], ReadView] = _view,
    ) -> None:
        self._settings, self._prepare, self._fresh, self._stale = settings, prepare, fresh, stale
        self._open = opened
        self._changed = threading.Condition()
        self._held: _Held | None = None
        self._keeping, self._made, self._closed = False, 0, 0
        self._refusal: ProblemError | None = None
        self._used, self._patient_until = time.monotonic(), 0.0

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
            folder = _folder_of(held)
            if folder is None:
                hint = "ask that endpoint itself"
                raise ProblemError(501, "the archive's graphs are behind an endpoint of their own", hint)
            yield folder
        finally:
            with self._changed:
                held.users -= 1
                unused = held.replaced and not held.users
            if unused:  # to remove its files takes longer than most answers
                threading.Thread(target=held.view.close, name="kaicep-store-copy").start()

    def close_idle(self, idle: float = _IDLE_S) -> None:
        """Let go of the copy when nobody has used it for so many seconds: it keeps files that the store has dropped."""
        if time.monotonic() - self._used > idle:
            self.close()

    def close(self) -> None:
        """Let go of the copy, as soon as nobody uses it."""
        with self._changed:
            self._closed += 1  # one that is being made is for nobody
            self._keeping = False
            unused = self._replace(None)
            self._changed.notify_all()
        _close(unused)

    def _current(self) -> _Held:
        """The copy that a request has; called with the lock, which others may have while it waits."""
        while True:
            self._used = time.monotonic()
            if not self._keeping:
                self._keeping, self._patient_until = True, self._used + _PATIENCE_S
                threading.Thread(target=self._keep, args=(self._closed,), name="kaicep-store-copy", daemon=True).start()
            age = math.inf if self._held is None else self._used - self._held.made
            if age > self._fresh:
                self._await_newer(None if age > self._stale else max(0.0, self._patient_until - self._used))
            if age > self._stale and self._refusal is not None:
                raise self._refusal
            if self._held is not None:
                return self._held

    def _await_newer(self, seconds: float | None) -> None:
        before = self._made
        self._changed.wait_for(lambda: self._made > before or not self._keeping, seconds)

    def _keep(self, closed: int) -> None:
        """Make a copy, and newer ones for as long as somebody has asked since the last one was begun."""
        try:
            while self._renewed(closed):
                pass
        finally:  # whatever ends it, the next request begins again
            with self._changed:
                self._keeping = self._keeping and self._closed != closed
                self._changed.notify_all()

    def _renewed(self, closed: int) -> bool:
        """Make a copy; tell, when it is no longer fresh, whether somebody has asked since this was begun."""
        began = time.monotonic()
        held, refusal = self._opened()
        with self._changed:
            self._made += 1
            self._refusal = refusal
            self._changed.notify_all()
            wanted = held is not None and self._closed == closed
            unused = self._replace(held) if wanted else held
        _close(unused)
        if held is None or not wanted:
            return False
        with self._changed:
            self._changed.wait_for(lambda: self._closed != closed, self._pause(held.made - began))
            return self._closed == closed and self._used > began

    def _pause(self, took: float) -> float:
        """Seconds until the next copy is begun behind one that took so many."""
        return max(self._fresh, min(_TIMES * took, self._stale / _TRIES))

    def _opened(self) -> tuple[_Held | None, ProblemError | None]:
        """A new copy; or why there is none."""
        try:
            # Who has one may wait longer for the next than somebody who waits for the first.
            timeout = _FIRST_S if self._held is None else max(_FIRST_S, self._stale)
            held = _Held(self._open(self._settings, timeout), time.monotonic())
        except ArchiveError as error:
            return None, ProblemError(503, error)
        except OSError as error:  # on a thread nobody hears of it otherwise
            return None, ProblemError(503, f"the store cannot be copied: {error}")
        folder = _folder_of(held)
        if folder is not None and self._prepare is not None:
            with suppress(OSError):  # no process can be begun: whoever asks is told
                self._prepare(folder)
        return held, None

    def _replace(self, new: _Held | None) -> _Held | None:
        """Let requests have another one, or none; give the one before if nobody uses it any more."""
        old, self._held = self._held, new
        if old is None:
            return None
        old.replaced = True
        return None if old.users else old


def _close(unused: _Held | None) -> None:
    """Remove a copy. Not with the lock: requests would wait for the disk."""
    if unused is not None:
        unused.view.close()


def _folder_of(held: _Held) -> Path | None:
    """That of a copy; `None`: the store is somewhere else."""
    return None if held.view.store is None else held.view.store.folder
