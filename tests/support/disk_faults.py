"""A file system that fails when a test says so: opening to write, syncing, renaming, making folders, removing."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

__all__ = ["FaultyDisk", "faulty_disk"]

_AUDITED = {"open": "open", "os.rename": "rename", "os.mkdir": "mkdir", "os.remove": "remove"}


class FaultyDisk:
    """Counts the operations on what lies in a folder, and lets one of them fail, or all from one on.

    Args:
        folder: what lies elsewhere is left alone.

    Attributes:
        done: the operations so far, by what they are and the name of their file.
        slow: called before anything is synced.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = str(folder)
        self._error, self._first = 0, 0
        self._last: int | None = -1
        self.slow: Callable[[], None] = lambda: None
        self.done: list[str] = []

    def fail(self, number: int, at: int | None = None, *, onwards: bool = False) -> None:
        """Let operations fail by an error number from now on: the one at a place in their order, else all.

        Args:
            number: of the error, as `errno.ENOSPC`.
            at: counted from 0; `None`: all of them.
            onwards: and all behind it.
        """
        self._error, self.done = number, []
        self._first = at or 0
        self._last = None if onwards or at is None else at

    def mend(self) -> None:
        """Let nothing fail any more."""
        self._first, self._last = 0, -1

    def _fails(self) -> bool:
        place = len(self.done) - 1
        return self._first <= place and (self._last is None or place <= self._last)

    def meet(self, what: str, path: object) -> None:
        """One operation is about to be done."""
        name = os.fsdecode(path) if isinstance(path, str | bytes | os.PathLike) else ""
        if not name.startswith(self._folder):
            return
        self.done.append(f"{what} {Path(name).name}")
        if self._fails():
            raise OSError(self._error, os.strerror(self._error), name)


_active: list[FaultyDisk] = []
_hooked: list[bool] = []


def _hook(event: str, arguments: tuple[Any, ...]) -> None:
    if not _active or event not in _AUDITED:
        return
    if event == "open" and not _writes(arguments):
        return
    _active[-1].meet(_AUDITED[event], arguments[0])


def _writes(arguments: tuple[Any, ...]) -> bool:
    """Whether a file is opened to be written, or a folder or file to be synced."""
    _path, mode, flags = arguments
    return bool(flags & (os.O_WRONLY | os.O_RDWR)) if mode is None else set(mode) & set("wax+") != set()


@contextmanager
def faulty_disk(folder: Path) -> Iterator[FaultyDisk]:
    """Let a test decide what fails in a folder."""
    if not _hooked:  # for good: Python takes none away
        sys.addaudithook(_hook)
        _hooked.append(True)
    disk, synced = FaultyDisk(folder), os.fsync

    def fsync(descriptor: int) -> None:
        disk.slow()
        disk.meet("sync", Path(f"/proc/self/fd/{descriptor}").readlink())
        synced(descriptor)

    _active.append(disk)
    os.fsync = fsync  # type: ignore[assignment]
    try:
        yield disk
    finally:
        os.fsync = synced
        _active.remove(disk)
