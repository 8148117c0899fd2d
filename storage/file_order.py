"""Files that a stream reads in the order in which they were put, whichever process has put them.

They are read by their modification times, of which Spark sees milliseconds; their names have these, too.
"""

from __future__ import annotations

import os
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

__all__ = ["FileOrder", "FileTurn"]

_MS = 10**6


@dataclass(frozen=True, slots=True)
class FileTurn:
    """When a file is read.

    Attributes:
        path: of the file.
        moment: its modification time, in milliseconds since 1970.
    """

    path: Path
    moment: int

    def stamp(self, file: Path) -> None:
        """Give this modification time to what is going to be the file, before it is there.

        Raises:
            OSError: the file system refuses.
        """
        os.utime(file, ns=(self.moment * _MS, self.moment * _MS))


class FileOrder:
    """Lets each file of a kind be read behind those before it, also when the clock has been put back.

    One process at a time has the files of a kind in a folder.

    Args:
        folder: that a stream reads.
        kind: how the names of its files begin.
    """

    def __init__(self, folder: Path, kind: str) -> None:
        self._folder, self._kind = folder, kind
        self._last = 0

    def resume(self) -> None:
        """Go on behind what is there, which another process may have left."""
        numbers = (file.name.split("-")[1] for file in self._folder.glob(self._pattern))
        self._last = max((int(number) for number in numbers if number.isdecimal()), default=0)

    def next(self) -> FileTurn:
        """The turn behind all others."""
        self._last = max(time.time_ns() // _MS, self._last + 1)
        return FileTurn(self._folder / f"{self._kind}-{self._last}-{os.getpid()}.jsonl", self._last)

    def waiting(self) -> int:
        """Bytes that the engine has not removed yet, which it does a batch after it has read them."""
        size = 0
        for file in self._folder.glob(self._pattern):
            with suppress(FileNotFoundError):
                size += file.stat().st_size
        return size

    @property
    def _pattern(self) -> str:
        return f"{self._kind}-*.jsonl"
