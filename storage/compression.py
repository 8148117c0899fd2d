"""Compressed files: `building.ttl.gz` is read as `building.ttl`."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import zlib
from collections.abc import Callable, Mapping
from io import BufferedIOBase, BufferedReader, BytesIO, RawIOBase
from pathlib import PurePath

__all__ = ["COMPRESSIONS", "UNPACKING_ERRORS", "open_unpacked", "uncompressed_name", "unpack"]

COMPRESSIONS: Mapping[str, Callable[[BufferedReader | BytesIO], BufferedIOBase]] = {
    ".gz": lambda packed: gzip.GzipFile(fileobj=packed),
    ".bz2": bz2.BZ2File,
    ".xz": lzma.LZMAFile,
}
"""What unpacks open files, by the suffix that says how they are compressed."""
UNPACKING_ERRORS = (EOFError, OSError, ValueError, zlib.error, lzma.LZMAError)
"""What files that are broken, or not compressed at all, raise."""
_TIMES, _AT_LEAST = 1_032, 1 << 24
"""How often its size, and bytes, a file may hold: as much as gzip can pack; bzip2 and xz can pack 40 times that."""


def uncompressed_name(name: str) -> str:
    """The name of a file without the suffix of a compression."""
    suffix = PurePath(name).suffix
    return name[: -len(suffix)] if suffix.lower() in COMPRESSIONS else name


def unpack(name: str, content: bytes) -> bytes:
    """The content of a file, unpacked if its name says that it is compressed.

    Raises:
        One of `UNPACKING_ERRORS`: it is not, or not whole, or holds more than a file of its size should.
    """
    with open_unpacked(name, BytesIO(content)) as file:
        return file.read()


def open_unpacked(name: str, packed: BufferedReader | BytesIO) -> BufferedIOBase:
    """A file that unpacks an open one as it is read, if its name says that it is compressed; see `unpack`."""
    reader = COMPRESSIONS.get(PurePath(name).suffix.lower())
    if reader is None:
        return packed
    size = packed.seek(0, os.SEEK_END)
    packed.seek(0)
    return BufferedReader(_Bounded(reader(packed), max(size * _TIMES, _AT_LEAST)))


class _Bounded(RawIOBase):
    """Gives what a file holds unless that is more than it may be."""

    def __init__(self, file: BufferedIOBase, most: int) -> None:
        self._file, self._left = file, most

    def readable(self) -> bool:
        """It is read."""
        return True

    def readinto(self, buffer: bytearray | memoryview, /) -> int:  # type: ignore[override] # as io.RawIOBase has it
        """Fill a part of a buffer."""
        count = self._file.readinto(buffer)
        self._left -= count
        if self._left < 0:
            raise OSError(f"it is packed more than {_TIMES:,} times, as only what is to do harm is")
        return count

    def close(self) -> None:
        """Close the file, too."""
        self._file.close()
        super().close()
