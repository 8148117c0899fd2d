"""Matches as JSON lines in a file or on the standard output."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

import pyarrow as pa

from ...storage import fsync, make_folder
from ..flow import RowTarget
from .file_sink import FileSink
from .row_values import JsonLines
from .sink import RowWriter, unwritable

__all__ = ["JsonLinesSink"]

_COPIED = 1 << 20
"""So many bytes at a time are taken over from a file of lines."""


class JsonLinesSink(FileSink):
    """Appends each match as a JSON line to a file; exactly once, since a restart cuts off what will come again.

    Args:
        path: the file, made if it does not exist; `-` is the standard output, where what is written twice stays.
    """

    def __init__(self, path: str | Path) -> None:
        self._path = None if str(path) == "-" else Path(path)
        self._file: IO[bytes] = sys.stdout.buffer if self._path is None else _opened(self._path)

    def begin(self, batch_id: int, query_name: str) -> RowWriter:
        """Append the matches as they come."""
        del batch_id
        return JsonLines(self._file.write, query_name)

    def target(self, query_name: str) -> RowTarget | None:
        """A file of lines; what goes to the standard output has to be given."""
        return None if self._path is None else _LinesTarget(query_name)

    def take(self, batch_id: int, query_name: str, path: Path) -> None:
        """Append the lines of a file."""
        del batch_id, query_name
        with path.open("rb") as lines:
            shutil.copyfileobj(lines, self._file, _COPIED)
        path.unlink()

    def flush(self) -> None:
        """Make the lines durable."""
        self._file.flush()
        if self._path is not None:
            os.fsync(self._file.fileno())

    def snapshot(self) -> dict[str, Any]:
        """Return the file, also by its number, which it keeps where it is moved, and its length."""
        if self._path is None:
            return {}
        self._file.flush()
        number = os.fstat(self._file.fileno()).st_ino
        return {"file": str(self._path.resolve()), "number": number, "bytes": self._file.seek(0, os.SEEK_END)}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Cut the file to the snapshot's length; another file, or one that is shorter, goes on as it is."""
        if self._is_of(state):
            self._file.flush()
            if self._file.seek(0, os.SEEK_END) > state["bytes"]:
                self._file.truncate(state["bytes"])

    def _is_of(self, state: Mapping[str, Any]) -> bool:
        """Whether a snapshot is of this file."""
        if self._path is None:
            return False
        here = state.get("file") == str(self._path.resolve())
        return here or state.get("number") == os.fstat(self._file.fileno()).st_ino

    def close(self) -> None:
        """Close the file."""
        self.flush()
        if self._path is not None:
            self._file.close()


class _LinesTarget:
    """Writes the lines of a query and batch where its rows are; see `RowTarget`.

    Args:
        query_name: the query.
    """

    def __init__(self, query_name: str) -> None:
        self._query = query_name

    def write(self, rows: pa.Table, path: Path) -> None:
        with path.open("wb") as file:
            lines = JsonLines(file.write, self._query)
            lines.write(rows)
            lines.close()
            file.flush()
            os.fsync(file.fileno())


def _opened(path: Path) -> IO[bytes]:
    try:
        make_folder(path.parent)
        file = path.open("ab")
        fsync(path.parent)  # the name, too
    except OSError as error:
        raise unwritable(path, error) from error
    return file
