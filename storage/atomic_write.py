"""How files get to their place without ever being half there, and stay there when the machine loses its power."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["make_folder", "remove_temporaries", "replacing", "standing_in", "sync"]

_TEMPORARY = ".tmp-"


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give a temporary file beside `path` that takes its place, durably, when the block ends without an error.

    It is hidden, and no pattern for the ending of `path` finds it.
    """
    with standing_in(path) as temporary:
        yield temporary
    sync(path.parent)


@contextmanager
def standing_in(path: Path) -> Iterator[Path]:
    """`replacing` for one of many files: its content is durable, and its name when its folder is synced after it."""
    temporary = path.with_name(f"{_TEMPORARY}{os.getpid()}-{path.name}.part")
    try:
        yield temporary
        sync(temporary)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def make_folder(path: Path) -> None:
    """Make a folder whose existence survives a power cut."""
    if not path.is_dir():
        path.mkdir(parents=True, exist_ok=True)
        sync(path.parent)


def remove_temporaries(folder: Path) -> None:
    """Delete what a killed writer left. Only the writer of the folder may call this."""
    for leftover in folder.glob(f"{_TEMPORARY}*"):
        leftover.unlink(missing_ok=True)


def sync(path: Path) -> None:
    """Make a file's content, or the names in a folder, survive a power cut."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
