"""The folder of an Oxigraph store: opened to be written or read-only, and what is wrong when it cannot be."""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path

import pyoxigraph as ox

from ...errors import ArchiveError, Place
from ...storage import ProcessLock, fsync, is_transient, make_folder
from ..folder_layout import LOCK
from .store import StoreDamagedError, StoreUnavailableError

_REFUSALS = (os.strerror(errno.EFBIG), os.strerror(errno.EACCES))
"""What the file system says of whoever writes, and not of the files of the store; nor are errors that pass of these."""
_DAMAGED = ".damaged-"
_CORRUPTION = "Corruption: "
_NEXT = "an engine, or the next `kaicep sparql`,"


def open_folder(path: Path) -> ox.Store:
    """Open an Oxigraph store whose lock is held; made when it is not there.

    Raises:
        StoreDamagedError: it is damaged.
        StoreUnavailableError: its folder cannot be made, or another program has it open.
    """
    try:
        make_folder(path)
    except OSError as error:
        reason = f"the store cannot be used: {error}"
        raise StoreUnavailableError(reason, place=Place(str(path)), hint="see to the disk") from error
    try:
        if not (path / "CURRENT").exists() and any(path.glob("MANIFEST-*")):
            raise FileNotFoundError("CURRENT is lost")  # RocksDB would make a new store of the folder
        return ox.Store(path)
    except (OSError, RuntimeError) as error:
        raise damaged(path, error) from error


def open_read_only(path: Path) -> ox.Store:
    """Open a store, which nobody writes.

    Raises:
        StoreUnavailableError: it is damaged.
    """
    try:
        return ox.Store.read_only(str(path))
    except (OSError, RuntimeError) as error:
        raise damaged(path, error) from error


def lock_of(path: Path) -> ProcessLock:
    """Return the lock of a store's folder.

    RocksDB has one of its own, but asking for it rotates the holder's log file each time.
    """
    return ProcessLock(path.with_name(f"{path.name}{LOCK}"))


def set_aside(path: Path, *, keep: bool) -> Path:
    """Rename the folder of a damaged store, whose lock is held; of earlier ones nothing is left unless they are kept.

    Args:
        path: the folder.
        keep: whether the log lacks what they may have.

    Raises:
        OSError: the file system refuses.
    """
    earlier = damaged_folders(path)
    target = path.with_name(f"{path.name}{_DAMAGED}{_number(earlier[-1]) + 1 if earlier else 1}")
    path.rename(target)
    fsync(path.parent)
    for folder in () if keep else earlier:
        shutil.rmtree(folder, ignore_errors=True)
    return target


def damaged_folders(path: Path) -> list[Path]:
    """The folders of a store that were set aside, in order."""
    found = (folder for folder in path.parent.glob(f"{path.name}{_DAMAGED}*") if _number(folder))
    return sorted(found, key=_number)


def _number(folder: Path) -> int:
    text = folder.name.rpartition("-")[2]
    return int(text) if text.isdigit() else 0


def damaged(path: Path, error: Exception) -> StoreUnavailableError:
    """Explain what RocksDB says of a store's folder."""
    if "While lock file" in str(error) or "lock hold by current process" in str(error):
        held = in_use(path, "another program")
        return StoreUnavailableError(held.message, place=held.place, hint=held.hint)
    reason = str(error).split("\n", maxsplit=1)[0].rstrip(".")
    said, place = f"the store cannot be used: {reason}", Place(str(path))
    if is_transient(error) or any(refusal in reason for refusal in _REFUSALS):
        return StoreUnavailableError(said, place=place, hint="see to the disk")
    return StoreDamagedError(said, place=place, hint=f"{_NEXT} sets it aside, and builds it again from the log")


def is_corruption(said: str) -> bool:
    """Whether RocksDB says that what it reads is not what was written."""
    return _CORRUPTION in said


def is_damage(error: ArchiveError) -> bool:
    """Whether what a query has met is damage of the store's files; in another process it is known by its words."""
    return not isinstance(error, StoreDamagedError) and is_corruption(error.message)


class StoreInUseError(ArchiveError):
    """Another process has the store open."""


def in_use(path: Path, holder: str) -> StoreInUseError:
    """Explain that somebody else has the store open."""
    return StoreInUseError(
        f"{holder} has the store open",
        place=Place(str(path)),
        hint="stop it first; `kaicep sparql` can query the store meanwhile",
    )
