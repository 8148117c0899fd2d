"""Atomic writes: a file is there as a whole or not at all, and stays there when the machine loses its power."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["TEMPORARY", "append_durably", "fsync", "make_folder", "remove_temporaries", "write_atomically"]

TEMPORARY = ".tmp-"
"""How names begin of what is being written."""


@contextmanager
def write_atomically(path: Path, *, sync: bool = True, sync_folder: bool = True) -> Iterator[Path]:
    """Give a temporary file beside `path` that takes its place, durably, when the block ends without an error.

    It is hidden, and no pattern for the ending of `path` finds it.

    Args:
        path: what is written, or replaced.
        sync: `False` for what may be anything after a power cut.
        sync_folder: make the name durable too; `False` for one of many files, whose folder the caller syncs once.
    """
    temporary = path.with_name(f"{TEMPORARY}{os.getpid()}-{path.name}.part")
    try:
        yield temporary
        if sync:
            fsync(temporary)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    if sync_folder:
        fsync(path.parent)


def append_durably(path: Path, content: bytes, *, sync: bool = True) -> None:
    """Append to a file that is there; a power cut may leave a part of what is appended, an error leaves nothing of it.

    Args:
        path: the file.
        content: what is appended.
        sync: `False`: it becomes durable with the next append that is synced.
    """
    with path.open("ab", buffering=0) as file:
        size = file.tell()
        try:
            if file.write(content) < len(content):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))  # noqa: TRY301 - as the next one would
            if sync:
                os.fsync(file.fileno())
        except OSError:
            file.truncate(size)
            raise


def make_folder(path: Path) -> None:
    """Make a folder, and those around it, whose existence survives a power cut."""
    if not path.is_dir():
        if not path.parent.exists():
            make_folder(path.parent)
        path.mkdir(exist_ok=True)
        fsync(path.parent)


def remove_temporaries(folder: Path) -> None:
    """Delete what a killed writer left. Only the writer of the folder may call this."""
    for leftover in folder.glob(f"{TEMPORARY}*"):
        leftover.unlink(missing_ok=True)


def fsync(path: Path) -> None:
    """Make a file's content, or the names in a folder, survive a power cut."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
