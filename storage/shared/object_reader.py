"""An object of a bucket as a file that is read, of which only what is asked for is fetched."""

from __future__ import annotations

import io
from collections.abc import Callable
from contextlib import AbstractContextManager

from .bucket_folder import ObjectFile

__all__ = ["ObjectReader"]


class ObjectReader(io.RawIOBase):
    """Places of an object; its end is there already.

    Args:
        file: the object.
        errors: turns what goes wrong into what files raise.
    """

    def __init__(self, file: ObjectFile, errors: Callable[[], AbstractContextManager[None]]) -> None:
        super().__init__()
        self._file, self._errors, self._place = file, errors, 0

    def readable(self) -> bool:
        """It is."""
        return True

    def seekable(self) -> bool:
        """It is."""
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        """Go to a place."""
        start = {io.SEEK_SET: 0, io.SEEK_CUR: self._place, io.SEEK_END: self._file.size}[whence]
        self._place = max(0, start + offset)
        return self._place

    def tell(self) -> int:
        """Where it is."""
        return self._place

    def read(self, size: int | None = -1, /) -> bytes:
        """The next bytes, in one request."""
        end = self._file.size if size is None or size < 0 else min(self._file.size, self._place + size)
        if end <= self._place:
            return b""
        with self._errors():
            (found,) = self._file.read([(self._place, end)])
        self._place = end
        return bytes(found)

    def readinto(self, buffer: memoryview, /) -> int:  # type: ignore[override] # as `RawIOBase` is used here
        """Likewise, into a buffer."""
        found = self.read(len(buffer))
        buffer[: len(found)] = found
        return len(found)
