"""Compressed files: `building.ttl.gz` is read as `building.ttl`."""

from __future__ import annotations

import bz2
import gzip
import lzma
import zlib
from collections.abc import Callable, Mapping
from io import BufferedIOBase, BufferedReader
from pathlib import PurePath

__all__ = ["COMPRESSIONS", "UNPACKING_ERRORS", "open_unpacked", "uncompressed_name", "unpack"]

COMPRESSIONS: Mapping[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.decompress,
    ".bz2": bz2.decompress,
    ".xz": lzma.decompress,
}
"""What unpacks files, by the suffix that says how they are compressed."""
UNPACKING_ERRORS = (EOFError, OSError, ValueError, zlib.error, lzma.LZMAError)
"""What files that are broken, or not compressed at all, raise."""
_READERS: Mapping[str, Callable[[BufferedReader], BufferedIOBase]] = {
    ".gz": lambda packed: gzip.GzipFile(fileobj=packed),
    ".bz2": bz2.BZ2File,
    ".xz": lzma.LZMAFile,
}


def uncompressed_name(name: str) -> str:
    """The name of a file without the suffix of a compression."""
    suffix = PurePath(name).suffix
    return name[: -len(suffix)] if suffix.lower() in COMPRESSIONS else name


def unpack(name: str, content: bytes) -> bytes:
    """The content of a file, unpacked if its name says that it is compressed.

    Raises:
        One of `UNPACKING_ERRORS`: it is not, or not whole.
    """
    unpacking = COMPRESSIONS.get(PurePath(name).suffix.lower())
    return content if unpacking is None else unpacking(content)


def open_unpacked(name: str, packed: BufferedReader) -> BufferedIOBase:
    """A file that unpacks an open one as it is read, if its name says that it is compressed."""
    reader = _READERS.get(PurePath(name).suffix.lower())
    return packed if reader is None else reader(packed)
