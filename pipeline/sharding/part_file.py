"""Parts in a file of a shared folder: what one task has for others, each part read by itself.

The parts stand one behind the other, behind them an index as JSON, its length in 8 bytes, and the mark `KCPARTS1`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import TracebackType
from typing import Self, TypeAlias

import polars as pl
import pyarrow as pa

from ...errors import PipelineError
from ...storage import SharedFolder

__all__ = [
    "MOST_ROWS",
    "Part",
    "PartFile",
    "PartName",
    "Pieces",
    "UnreadablePartError",
    "stream_parts",
    "write_parts",
]

PartName: TypeAlias = tuple[str | int, ...]
Pieces: TypeAlias = Iterable[pa.Table | pl.DataFrame]
"""A table, piece by piece; each is made when the one before is written."""
Part: TypeAlias = bytes | pa.Table | pl.DataFrame | Pieces
_MARK = b"KCPARTS1"
_LENGTH = 8
MOST_ROWS = 1 << 14
"""So many rows of a table are made into bytes at a time, in memory that is at hand: fresh memory costs more."""
_END_OF_STREAM = b"\xff\xff\xff\xff\x00\x00\x00\x00"


class UnreadablePartError(PipelineError):
    """A file of parts cannot be read: nothing is wrong with what is asked of it."""


def write_parts(folder: SharedFolder, name: str, parts: Mapping[PartName, Part], *, sync: bool = True) -> None:
    """Write parts, durably; the file is there as a whole or not at all.

    Args:
        folder: where to.
        name: of the file.
        parts: by name; a table becomes an Arrow IPC stream.
        sync: `False` for what is made anew after a power cut.
    """
    folder.write(name, _content(parts.items()), sync=sync)


def stream_parts(folder: SharedFolder, name: str, parts: Iterable[tuple[PartName, Part]]) -> None:
    """Write parts that are made one by one, each with its name, and made anew after a power cut."""
    folder.write(name, _content(parts), sync=False)


def _content(parts: Iterable[tuple[PartName, Part]]) -> Iterator[bytes | pa.Buffer]:
    index, place = [], 0
    for name, part in parts:
        start = place
        for piece in [part] if isinstance(part, bytes) else _messages(part):
            yield piece
            place += len(piece)
        index.append([list(name), start, place - start])
    text = json.dumps(index, separators=(",", ":")).encode()
    yield text + len(text).to_bytes(_LENGTH, "big") + _MARK


def _messages(table: pa.Table | pl.DataFrame | Pieces) -> Iterator[bytes | pa.Buffer]:
    """The messages of an Arrow IPC stream."""
    if isinstance(table, pa.Table) and any(pa.types.is_dictionary(field.type) for field in table.schema):
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, table.schema) as writer:
            writer.write_table(table)
        yield sink.getvalue()
        return
    schema = None
    pieces: Pieces = [table] if isinstance(table, pa.Table | pl.DataFrame) else table
    for piece in pieces:
        some = piece if isinstance(piece, pa.Table) else _arrow(piece)
        if schema is None:
            schema = some.schema
            yield schema.serialize()
        yield from (batch.serialize() for batch in some.to_batches(max_chunksize=MOST_ROWS))
    yield _END_OF_STREAM


def _arrow(frame: pl.DataFrame) -> pa.Table:
    return frame.to_arrow(compat_level=pl.CompatLevel.oldest())  # Arrow has no kernels for views of text


class PartFile:
    """Parts, as they are asked for; those that are asked for together cost least where the file is in a bucket.

    Args:
        folder: where it is.
        name: of the file.

    Raises:
        PipelineError: there is no such file, or it is none of `write_parts`.
    """

    def __init__(self, folder: SharedFolder, name: str) -> None:
        try:
            self._file = folder.open(name)
        except OSError as error:
            raise UnreadablePartError(
                f"{folder}/{name} cannot be read: {error.strerror or error}",
                hint="let all executors reach the same folder",
            ) from error
        foot = _LENGTH + len(_MARK)
        size = self._file.size
        (end,) = self._file.read([(max(size - foot, 0), size)])
        if end[_LENGTH:] != _MARK:
            raise UnreadablePartError(
                f"{folder}/{name} is damaged: it has no index", hint="let the batch be done again"
            )
        (text,) = self._file.read([(size - foot - int.from_bytes(end[:_LENGTH], "big"), size - foot)])
        self._index: dict[PartName, tuple[int, int]] = {
            tuple(part): (place, place + count) for part, place, count in json.loads(bytes(text))
        }
        self._held: dict[PartName, memoryview] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._held.clear()

    def __iter__(self) -> Iterator[PartName]:
        return iter(self._index)

    def is_empty(self, name: PartName) -> bool:
        """Whether a part is there that has nothing in it."""
        return name in self._index and self._index[name][0] == self._index[name][1]

    def hold(self, names: Iterable[PartName]) -> None:
        """Have parts read that are asked for later, at one go."""
        self._held |= self._read([name for name in names if name in self._index])

    def content(self, name: PartName) -> bytes | None:
        """A part; `None`: there is none of this name."""
        return self.contents([name])[0]

    def contents(self, names: Sequence[PartName]) -> list[bytes | None]:
        """Parts, in the order in which they are named."""
        found = self._read(names)
        return [bytes(found[name]) if name in found else None for name in names]

    def table(self, name: PartName) -> pa.Table | None:
        """A part that is a table, as it lies in the file; `None`: there is none of this name."""
        return self.tables([name])[0]

    def tables(self, names: Sequence[PartName]) -> list[pa.Table | None]:
        """Parts that are tables, in the order in which they are named."""
        found = self._read(names)
        return [pa.ipc.open_stream(pa.py_buffer(found[n])).read_all() if n in found else None for n in names]

    def _read(self, names: Sequence[PartName]) -> dict[PartName, memoryview]:
        """Those of some parts that there are."""
        there = [name for name in names if name in self._index]
        missing = [name for name in there if name not in self._held]
        read = dict(zip(missing, self._file.read([self._index[name] for name in missing]), strict=True))
        return {name: self._held[name] if name in self._held else read[name] for name in there}
