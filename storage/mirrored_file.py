"""Mirrored files: small ones that nothing else can tell again, kept twice, so that one damaged file loses nothing.

`x.json` has a hidden mirror `.x.json.copy`. The first line of either says its digest and how often it was written; of
those that are as they were written, the latest counts. The mirror is written first.

Source: ditto blocks of ZFS.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import overload

from .shared import StoragePath
from .storage_path import make_folder, write_atomically

__all__ = [
    "DamagedFileError",
    "is_damaged",
    "is_intact",
    "mirrored_files",
    "read_mirrored",
    "remove_mirrored",
    "write_mirrored",
]

_LOG = logging.getLogger("kaicep")
_HEAD = re.compile(rb"([0-9a-f]{64}) (\d+)\n")
_MIRROR = ".copy"


class DamagedFileError(ValueError):
    """Neither a file nor its mirror is as it was written."""


def write_mirrored(path: StoragePath, content: bytes, *, sync_mirror: bool = True) -> None:
    """Write a file and its mirror, durably.

    Args:
        path: the file.
        content: what it says.
        sync_mirror: `False` for a file that is soon gone: a power cut may cost its mirror.

    Raises:
        OSError: the file system refuses.
    """
    make_folder(path.parent)
    number = 1 + max((found[0] for each in (path, _mirror(path)) if (found := _sound(each)) is not None), default=0)
    for target, sync in ((_mirror(path), sync_mirror), (path, True)):  # both names are durable with those of the folder
        with write_atomically(target, sync=sync, sync_folder=target == path) as temporary:
            temporary.write_bytes(f"{_digest(number, content)} {number}\n".encode() + content)


def read_mirrored(path: StoragePath) -> bytes:
    """The content of a file as it was last written; one of an earlier version, without a mirror, as it is.

    Raises:
        FileNotFoundError: there is neither file nor mirror.
        DamagedFileError: what there is, is damaged.
        OSError: it cannot be read.
    """
    own, other = _sound(path), _sound(_mirror(path))
    latest = max((found for found in (own, other) if found is not None), default=None)
    if latest is not None:
        if own != latest:
            _LOG.warning("%s is lost or damaged: its mirror is used", path)
        return latest[1]
    content = path.read_bytes()
    if _mirror(path).exists() or _HEAD.match(content) is not None:
        raise DamagedFileError("it is not as it was written, nor is its mirror")
    return content


def is_intact(path: StoragePath) -> bool:
    """Whether a file and its mirror are there, as they were written."""
    own = _sound(path)
    return own is not None and own == _sound(_mirror(path))


def is_damaged(path: StoragePath) -> bool:
    """Whether a file or its mirror is not as it was written; those of earlier versions say nothing of that."""
    own, other = _sound(path), _sound(_mirror(path))
    if own is None and other is None:
        return _mirror(path).exists() or (path.exists() and _HEAD.match(path.read_bytes()) is not None)
    return own != other


def remove_mirrored(path: StoragePath) -> None:
    """Remove a file and its mirror."""
    _mirror(path).unlink(missing_ok=True)
    path.unlink(missing_ok=True)


@overload
def mirrored_files(folder: Path, pattern: str) -> list[Path]: ...
@overload
def mirrored_files(folder: StoragePath, pattern: str) -> list[StoragePath]: ...
def mirrored_files(folder: StoragePath, pattern: str) -> Sequence[StoragePath]:
    """The files of a folder that a pattern fits, in order of their names; of some only the mirror may be left."""
    mirrors = (path.with_name(path.name[1 : -len(_MIRROR)]) for path in folder.glob(f".*{_MIRROR}"))
    return sorted(
        {*folder.glob(pattern), *(path for path in mirrors if path.match(pattern))}, key=lambda path: path.name
    )


def _mirror(path: StoragePath) -> StoragePath:
    return path.with_name(f".{path.name}{_MIRROR}")


def _sound(path: StoragePath) -> tuple[int, bytes] | None:
    """How often a file was written, and its content; `None`: it cannot be read, or is not as it was written."""
    try:
        content = path.read_bytes()
    except OSError:  # of a bad sector as well: it is what the other one is for
        return None
    head = _HEAD.match(content)
    if head is None:
        return None
    number, rest = int(head[2]), content[head.end() :]
    return (number, rest) if _digest(number, rest).encode() == head[1] else None


def _digest(number: int, content: bytes) -> str:
    return sha256(b"%d\n" % number + content).hexdigest()
