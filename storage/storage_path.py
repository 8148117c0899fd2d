"""What is written durably and as a whole, be it a file or an object of a bucket."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from . import atomic_write
from .shared import BucketPath, StoragePath

__all__ = [
    "fsync",
    "make_folder",
    "remove_temporaries",
    "rename",
    "sorted_files",
    "unfinished_files",
    "write_atomically",
]


@contextmanager
def write_atomically(
    path: StoragePath,
    *,
    sync: bool = True,
    sync_folder: bool = True,
    put: Callable[[BucketPath, bytes], None] = BucketPath.write_bytes,
) -> Iterator[Path]:
    """Give a temporary file that takes the place of `path`, durably, when the block ends without an error.

    Args:
        path: what is written, or replaced.
        sync: `False` for what may be anything after a power cut.
        sync_folder: make the name durable too; `False` for one of many files, whose folder the caller syncs once.
        put: writes an object.
    """
    if isinstance(path, Path):
        with atomic_write.write_atomically(path, sync=sync, sync_folder=sync_folder) as temporary:
            yield temporary
        return
    with TemporaryDirectory(prefix="kaicep-") as folder:
        temporary = Path(folder) / path.name
        yield temporary
        put(path, temporary.read_bytes())


def make_folder(path: StoragePath) -> None:
    """Make a folder, and those around it, whose existence survives a power cut; buckets have none."""
    if isinstance(path, Path):
        atomic_write.make_folder(path)


def fsync(path: StoragePath) -> None:
    """Make a file's content, or the names in a folder, survive a power cut; what is in a bucket does."""
    if isinstance(path, Path):
        atomic_write.fsync(path)


def rename(path: StoragePath, target: StoragePath) -> None:
    """Give a file another name, in the place of another one; both are files, or both objects of a bucket.

    Raises:
        FileNotFoundError: it is gone.
    """
    match path, target:
        case (Path(), Path()):
            path.replace(target)
        case (BucketPath(), BucketPath()):
            path.rename(target)
        case _:
            raise ValueError(path, target)


def sorted_files(folder: StoragePath, pattern: str) -> list[StoragePath]:
    """The files that a pattern fits, part by part, in order of their names."""
    found: list[StoragePath] = [*folder.glob(pattern)]
    return sorted(found, key=str)


def unfinished_files(folder: StoragePath) -> list[StoragePath]:
    """What somebody is writing directly below a folder, or has been killed over; nothing where there is no folder."""
    if isinstance(folder, BucketPath):
        return [one for one in folder.hidden() if one.name.startswith(atomic_write.TEMPORARY)]
    try:
        with os.scandir(folder) as found:
            return [folder / one.name for one in found if one.name.startswith(atomic_write.TEMPORARY)]
    except FileNotFoundError:
        return []


def remove_temporaries(folder: StoragePath) -> None:
    """Delete what a killed writer left. Only the writer of the folder may call this."""
    if isinstance(folder, Path):
        atomic_write.remove_temporaries(folder)
        return
    for leftover in folder.glob(f"{atomic_write.TEMPORARY}*"):
        leftover.unlink(missing_ok=True)
