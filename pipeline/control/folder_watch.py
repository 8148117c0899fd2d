"""Folders in which files may come at any moment, looked at by one thread, for a question to the file system each.

A thread that waits is woken by the processor's time of a tenth of a millisecond on a busy machine, however little it
does then: so there is one for all who wait, ten times a second (docs/decisions/297).
"""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

__all__ = ["FolderChanges", "FolderWatch"]

_LOOK_S = 0.1
_SETTLES_S = 2.0
"""File systems note changes in ticks, some in seconds: what comes in the same one has the same time."""
_AT_LEAST_S = 1.0


class FolderChanges:
    """Tells when a folder is worth a look; whoever asks then looks at its names.

    Args:
        folder: of files that come and go.
        every: seconds after which it is looked at though nothing seems to have changed.
    """

    def __init__(self, folder: Path, *, every: float = _AT_LEAST_S) -> None:
        self._folder, self._every = os.fspath(folder), every
        self._modified = -1
        self._settled = self._due = 0.0

    def seen(self) -> bool:
        """Whether to look now: something has changed, just before perhaps, or nobody has looked for long.

        A folder that cannot be asked is worth a look: whoever looks is told why.
        """
        now = time.monotonic()
        try:
            modified = os.stat(self._folder).st_mtime_ns  # noqa: PTH116 - again and again, and `pathlib` takes thrice that
        except OSError:
            return True
        if modified != self._modified:
            self._modified, self._settled = modified, now + _SETTLES_S
        if self._settled <= now < self._due:
            return False
        self._due = now + self._every
        return True


class FolderWatch:
    """Wakes those who wait for something in their folders, from the first that waits until the last has left."""

    def __init__(self) -> None:
        self._waiting: dict[threading.Event, FolderChanges] = {}
        self._changing = threading.Lock()
        self._ended = threading.Event()
        self._thread: threading.Thread | None = None

    def add(self, woken: threading.Event, folder: Path) -> None:
        """Set an event whenever a folder is worth a look."""
        with self._changing:
            self._waiting = {**self._waiting, woken: FolderChanges(folder)}
            if self._thread is None:
                self._ended.clear()
                self._thread = threading.Thread(target=self._run, name="kaicep-requests", daemon=True)
                self._thread.start()

    def remove(self, woken: threading.Event) -> None:
        """Set an event no more."""
        with self._changing:
            self._waiting = {event: of for event, of in self._waiting.items() if event is not woken}
            if not self._waiting and self._thread is not None:
                self._ended.set()
                self._thread.join()
                self._thread = None

    def _run(self) -> None:
        while not self._ended.wait(_LOOK_S):
            for woken, changes in self._waiting.items():
                if changes.seen():
                    woken.set()
