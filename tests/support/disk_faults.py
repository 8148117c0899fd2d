"""A file system that fails when a test says so: opening to write, syncing, renaming, making folders, removing."""

from __future__ import annotations

import os
import sys
import threading
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
        threads: on which threads they were.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = str(folder)
        self._fails: Callable[[str], bool] = lambda _: False
        self._error = 0
        self.slow: Callable[[], None] = lambda: None
        self.done: list[str] = []
        self.threads: set[str] = set()

    def fail(self, number: int, at: int | None = None, thread: str = "") -> None:
        """Let operations fail by an error number from now on: the one at a place in their order, else all.

        Args:
            number: of the error, as `errno.ENOSPC`.
            at: counted from 0; `None`: all of them.
            thread: only those on threads whose name begins so.
        """
        self._error, self.done = number, []

        def fails(_: str) -> bool:
            here = threading.current_thread().name.startswith(thread)
            return here and (at is None or len(self.done) == at + 1)

        self._fails = fails

    def mend(self) -> None:
        """Let nothing fail any more."""
        self._fails = lambda _: False

    def meet(self, what: str, path: object) -> None:
        """One operation is about to be done."""
        name = os.fsdecode(path) if isinstance(path, str | bytes | os.PathLike) else ""
        if not name.startswith(self._folder):
            return
        self.done.append(f"{what} {Path(name).name}")
        self.threads.add(threading.current_thread().name)
        if self._fails(what):
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
