"""Parts in a file: what one task has for others, each part read by itself.

The parts stand one behind the other, behind them an index as JSON, its length in 8 bytes, and the mark `KCPARTS1`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Self, TypeAlias

import polars as pl
import pyarrow as pa

from ...errors import PipelineError
from ...storage import write_atomically

__all__ = ["Part", "PartFile", "PartName", "UnreadablePartError", "table_bytes", "write_parts"]

PartName: TypeAlias = tuple[str | int, ...]
Part: TypeAlias = bytes | pa.Buffer
_MARK = b"KCPARTS1"
_LENGTH = 8


class UnreadablePartError(PipelineError):
    """A file of parts cannot be read: nothing is wrong with what is asked of it."""


def write_parts(path: Path, parts: Mapping[PartName, Part], *, sync: bool = True) -> None:
    """Write parts, durably; the file is there as a whole or not at all.

    Args:
        path: of the file.
        parts: by name.
        sync: `False` for what is made anew after a power cut.
    """
    index, place = [], 0
    with write_atomically(path, sync=sync, sync_folder=sync) as temporary, temporary.open("wb") as file:
        for name, content in parts.items():
            file.write(content)
            index.append([list(name), place, len(content)])
            place += len(content)
        text = json.dumps(index, separators=(",", ":")).encode()
        file.write(text + len(text).to_bytes(_LENGTH, "big") + _MARK)


def table_bytes(table: pa.Table | pl.DataFrame) -> pa.Buffer:
    """A table as a part: an Arrow IPC stream."""
    if isinstance(table, pl.DataFrame):
        table = table.to_arrow(compat_level=pl.CompatLevel.oldest())  # Arrow has no kernels for views of text
    buffer = pa.BufferOutputStream()
    with pa.ipc.new_stream(buffer, table.schema) as writer:
        writer.write_table(table)
    return buffer.getvalue()


class PartFile:
    """Parts, as they are asked for; a file that is mapped into memory.

    Raises:
        PipelineError: there is no such file, or it is none of `write_parts`.
    """

    def __init__(self, path: Path) -> None:
        try:
            self._map = pa.memory_map(str(path))
        except OSError as error:
            raise UnreadablePartError(
                f"{path} cannot be read: {error}", hint="let all executors reach the same folder"
            ) from error
        size = self._map.size()
        end = self._map.read_at(_LENGTH + len(_MARK), max(size - _LENGTH - len(_MARK), 0))
        if end[_LENGTH:] != _MARK:
            self._map.close()
            raise UnreadablePartError(f"{path} is damaged: it has no index", hint="let the batch be done again")
        length = int.from_bytes(end[:_LENGTH], "big")
        index = json.loads(self._map.read_at(length, size - _LENGTH - len(_MARK) - length))
        self._index: dict[PartName, tuple[int, int]] = {tuple(name): (place, count) for name, place, count in index}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._map.close()

    def __iter__(self) -> Iterator[PartName]:
        return iter(self._index)

    def content(self, name: PartName) -> bytes | None:
        """A part; `None`: there is none of this name."""
        if name not in self._index:
            return None
        content: bytes = self._read(name).to_pybytes()
        return content

    def table(self, name: PartName) -> pa.Table | None:
        """A part that is a table, as it lies in the file; `None`: there is none of this name."""
        return None if name not in self._index else pa.ipc.open_stream(self._read(name)).read_all()

    def _read(self, name: PartName) -> pa.Buffer:
        place, count = self._index[name]
        self._map.seek(place)
        return self._map.read_buffer(count)
