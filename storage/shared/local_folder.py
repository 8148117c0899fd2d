"""A shared folder that is a path: of this machine, or one that all machines mount."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar
from uuid import uuid4

from ..atomic_write import TEMPORARY, fsync, write_atomically

if TYPE_CHECKING:
    from typing_extensions import Buffer

__all__ = ["LocalFolder"]

T = TypeVar("T")

_NO_LINKS = (errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK)


@dataclass(frozen=True, slots=True)
class LocalFolder:
    """Files of a path; see `SharedFolder`.

    Attributes:
        path: the folder, which is there.
    """

    path: Path

    def __str__(self) -> str:
        return str(self.path)

    def write(self, name: str, pieces: Iterable[Buffer], *, sync: bool = True) -> None:
        """Write beside it, and rename."""
        with write_atomically(self.path / name, sync=sync, sync_folder=sync) as temporary, temporary.open("wb") as file:
            file.writelines(pieces)

    def create(self, name: str, content: bytes) -> bool:
        """Write beside it, and link, which the file system does for one only, that of NFS too.

        Where there are no links the last one counts, as with a file that is renamed.
        """
        temporary = self.path / f"{TEMPORARY}{uuid4().hex}-{name}.part"
        try:
            temporary.write_bytes(content)
            fsync(temporary)
            try:
                (self.path / name).hardlink_to(temporary)
            except FileExistsError:
                return False
            except OSError as error:
                if error.errno not in _NO_LINKS:
                    raise
                temporary.replace(self.path / name)
        finally:
            temporary.unlink(missing_ok=True)
        fsync(self.path)
        return True

    def read(self, name: str) -> memoryview:
        """All of a file, into memory."""
        return memoryview((self.path / name).read_bytes())

    def open(self, name: str) -> MappedFile:
        """A file, mapped into memory."""
        return MappedFile(self.path / name)

    def each(self, question: Callable[[str], T], names: Sequence[str]) -> list[T]:
        """One after the other."""
        return [question(name) for name in names]

    def names(self) -> list[str]:
        """The files, but those that are being written."""
        with os.scandir(self.path) as found:
            return [one.name for one in found if not one.name.startswith(TEMPORARY) and one.is_file()]

    def remove(self, names: Iterable[str]) -> None:
        """Remove files."""
        for name in names:
            (self.path / name).unlink(missing_ok=True)

    def inside(self, name: str) -> LocalFolder:
        """A folder in this one; if it is not there, it is made, for its user alone."""
        (self.path / name).mkdir(mode=0o700, parents=True, exist_ok=True)
        return LocalFolder(self.path / name)

    def clear(self) -> None:
        """Remove the folder."""
        shutil.rmtree(self.path, ignore_errors=True)


class MappedFile:
    """A file that is mapped into memory, for as long as anybody has a part of it; see `SharedFile`.

    Raises:
        OSError: it is not there, or cannot be read.
    """

    def __init__(self, path: Path) -> None:
        import pyarrow as pa  # noqa: PLC0415 - commands that read none of these files need none of it

        self.size = path.stat().st_size
        self._content = memoryview(b"")
        if self.size:
            with pa.memory_map(
                str(path)
            ) as file:  # the map stays when the file is closed, unlike that of Python's mmap
                self._content = memoryview(file.read_buffer(self.size)).cast("B")

    def read(self, ranges: Sequence[tuple[int, int]]) -> list[memoryview]:
        """Places of the file, of which nothing is read before it is looked at."""
        return [self._content[start:end] for start, end in ranges]
