"""The digest of a segment, in the file itself: of its pages, and of the footer that says where they are.

It lies behind the footer and counts as a part of it, where the signature of an encrypted file's plaintext footer lies:
readers of Parquet pass over it. A footer is checked whenever it is read; the pages have checksums of their own, and
their digest is what `kaicep verify` compares (docs/decisions/165).

Source: Apache Parquet, "Parquet Modular Encryption", 5.5 "Plaintext footer mode".
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

__all__ = ["DIGESTED", "DigestError", "SegmentFile", "add_digest", "check_file", "check_footer", "digested"]

DIGESTED = b"kaicep.digest"
"""A key of the metadata of segments that have a digest: then its own mark cannot be lost unnoticed."""
_MARK = b"kaicep-digest-1\n"
_PARQUET = b"PAR1"
_END = 4 + len(_PARQUET)
_SHA256 = hashlib.sha256().digest_size
_SIZE = 2 * _SHA256 + len(_MARK)
_CHUNK = 1 << 20
_AT_ONCE = 1 << 16


class SegmentFile(Protocol):
    """A file that is read, of a disk or of a bucket."""

    def seek(self, offset: int, whence: int = 0, /) -> int:
        """Go to a place."""

    def read(self, size: int = -1, /) -> bytes:
        """The next bytes."""


class DigestError(ValueError):
    """A file is not as it was written."""


def digested(parquet: memoryview) -> Iterator[memoryview | bytes]:
    """The pieces of a file that has its digest, of one that has none.

    Args:
        parquet: a whole file, with a key `DIGESTED` among its metadata.
    """
    length = int.from_bytes(parquet[-_END : -len(_PARQUET)], "little")
    pages, footer = parquet[: -_END - length], parquet[-_END - length : -_END]
    of_pages = hashlib.sha256(pages).digest()
    yield pages
    yield footer
    yield _digest_of(of_pages, footer)
    yield (length + _SIZE).to_bytes(4, "little")
    yield _PARQUET


def add_digest(path: Path) -> None:
    """Give a file its digest that has none; see `digested`. Whoever wrote it makes it durable.

    Args:
        path: a whole file, with a key `DIGESTED` among its metadata.
    """
    with path.open("r+b") as file:
        size = file.seek(-_END, os.SEEK_END)
        length = int.from_bytes(file.read(_END)[: -len(_PARQUET)], "little")
        file.seek(0)
        of_pages = _hashed(file, size - length)
        footer = file.read(length)
        file.seek(size)
        file.write(_digest_of(of_pages, footer) + (length + _SIZE).to_bytes(4, "little") + _PARQUET)


def check_footer(file: SegmentFile) -> None:
    """Compare the footer of a segment with its digest; segments of earlier versions have none.

    Raises:
        DigestError: it is not as it was written.
        OSError: it cannot be read.
    """
    _footer(file)


def check_file(file: SegmentFile) -> None:
    """Compare a whole segment with its digest.

    Raises:
        DigestError: it is not as it was written.
        OSError: it cannot be read.
    """
    expected, size = _footer(file)
    if expected is None:
        return
    file.seek(0)
    if _hashed(file, size) != expected:
        raise DigestError("its pages are not as they were written")


def _hashed(file: SegmentFile, size: int) -> bytes:
    """The digest of so many bytes of a file."""
    found = hashlib.sha256()
    while size and (chunk := file.read(min(_CHUNK, size))):
        found.update(chunk)
        size -= len(chunk)
    return found.digest()


def _footer(file: SegmentFile) -> tuple[bytes | None, int]:
    """The digest of the pages, if there is one, and how many bytes they have; the footer is compared with its own."""
    size = file.seek(0, 2)
    file.seek(max(0, size - _AT_ONCE))
    end = file.read()
    if end[-len(_PARQUET) :] != _PARQUET or size < _END:
        raise DigestError("it does not end as a Parquet file")
    length = int.from_bytes(end[-_END : -len(_PARQUET)], "little")
    if length + _END > size:
        raise DigestError("its footer is longer than the file")
    if length + _END > len(end):
        file.seek(size - _END - length)
        end = file.read()
    footer = end[-_END - length : -_END]
    if not footer.endswith(_MARK):
        if DIGESTED in footer:
            raise DigestError("its digest is gone")
        return None, size - _END - length
    plain, of_pages = footer[:-_SIZE], footer[-_SIZE : -_SIZE + _SHA256]
    if _digest_of(of_pages, plain) != footer[-_SIZE:]:
        raise DigestError("its footer is not as it was written")
    return of_pages, size - _END - length


def _digest_of(pages: bytes, footer: memoryview | bytes) -> bytes:
    return pages + hashlib.sha256(pages + footer).digest() + _MARK
