"""Compressed files: `building.ttl.gz` is read as `building.ttl`."""

from __future__ import annotations

import bz2
import gzip
import lzma
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path

from ...errors import OntologyError, Place

__all__ = ["COMPRESSIONS", "read_content", "uncompressed_name"]

COMPRESSIONS: Mapping[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.decompress,
    ".bz2": bz2.decompress,
    ".xz": lzma.decompress,
}
_BROKEN = (EOFError, OSError, ValueError, zlib.error, lzma.LZMAError)


def uncompressed_name(name: str) -> str:
    """The name of a file without the suffix of a compression."""
    suffix = Path(name).suffix
    return name[: -len(suffix)] if suffix.lower() in COMPRESSIONS else name


def read_content(path: Path, source: str) -> bytes:
    """What a file holds, unpacked if its name says that it is compressed.

    Args:
        path: the file.
        source: its name for messages.

    Raises:
        OntologyError: it cannot be read, or not unpacked.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise OntologyError(f"cannot read the module: {error.strerror}", place=Place(source)) from error
    unpack = COMPRESSIONS.get(path.suffix.lower())
    try:
        return content if unpack is None else unpack(content)
    except _BROKEN as error:
        message = f"cannot unpack the module: {error}"
        raise OntologyError(
            message, place=Place(source), hint=f"is it a whole {path.suffix} file? else drop that suffix"
        ) from error
