"""The folder of an Oxigraph store: opened to be written or read-only, and what is wrong when it cannot be."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pyoxigraph as ox

from ...errors import ArchiveError, Place
from ...storage import ProcessLock, is_transient, make_folder
from ..folder_layout import LOCK
from .store import StoreUnavailableError

_REFUSALS = (os.strerror(errno.EFBIG), os.strerror(errno.EACCES))
"""What the file system says of whoever writes, and not of the files of the store; nor are errors that pass of these."""


def open_folder(path: Path) -> ox.Store:
    """Open an Oxigraph store whose lock is held; made when it is not there.

    Raises:
        StoreUnavailableError: it is damaged, its folder cannot be made, or another program has it open.
    """
    try:
        make_folder(path)
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


def damaged(path: Path, error: Exception) -> StoreUnavailableError:
    """Explain what RocksDB says of a store's folder."""
    if "While lock file" in str(error) or "lock hold by current process" in str(error):
        held = in_use(path, "another program")
        return StoreUnavailableError(held.message, place=held.place, hint=held.hint)
    reason = str(error).split("\n", maxsplit=1)[0].rstrip(".")
    of_machine = is_transient(error) or any(said in reason for said in _REFUSALS)
    return StoreUnavailableError(
        f"the store cannot be used: {reason}",
        place=Place(str(path)),
        hint="see to the disk" if of_machine else "move the folder away; it is built again from the log",
    )


class StoreInUseError(ArchiveError):
    """Another process has the store open."""


def in_use(path: Path, holder: str) -> StoreInUseError:
    """Explain that somebody else has the store open."""
    return StoreInUseError(
        f"{holder} has the store open",
        place=Place(str(path)),
        hint="stop it first; `kaicep sparql` can query the store meanwhile",
    )
