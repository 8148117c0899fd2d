"""Recorded events in a file of any size, read piece by piece: what is in memory is a few pieces."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from io import BufferedIOBase
from pathlib import Path
from typing import TypeAlias

import pyarrow as pa
import pyarrow.parquet as pq

from ...config import StreamSettings
from ...storage import open_unpacked
from .delimited import CsvDialect, parse_csv_lines, with_header
from .json_source import parse_json_lines
from .layouts import reshape
from .recorded_files import UNREADABLE, file_format, lines_of, read_file, unreadable
from .records import RawBatch, RecordOrigin
from .text_lines import text_as_utf8, text_encoding

__all__ = ["read_batches"]

_BYTES = 1 << 23
"""Of text at once: some hundred thousand records."""
_ROWS = 1 << 17

OnRead: TypeAlias = Callable[[int], None]


def read_batches(path: Path, stream: StreamSettings, on_read: OnRead = lambda _: None) -> Iterator[RawBatch]:
    """Read the raw records of a file as batches, in their order; as `read_file` reads them, but for types.

    A name of JSON objects whose values are of several kinds is a column of texts in the batches that have several.
    A JSON array, and JSON of a source with `multiLine`, is one batch.

    Args:
        path: of the file; of Parquet also a folder.
        stream: says how it is read.
        on_read: called before each batch with how many bytes of the file have been read, about.

    Raises:
        PipelineError: the file cannot be read, or not in its format.
    """
    try:
        match file_format(path, stream):
            case "csv":
                yield from _csv_batches(path, stream, on_read)
            case "json" if not _is_one_document(path, stream):
                yield from _json_batches(path, stream, on_read)
            case "parquet":
                yield from _parquet_batches(path, stream, on_read)
            case _:
                yield read_file(path, stream)
    except UNREADABLE as error:
        raise unreadable(path, error) from error


def _csv_batches(path: Path, stream: StreamSettings, on_read: OnRead) -> Iterator[RawBatch]:
    dialect = CsvDialect.of(stream)
    for lines, origin in _blocks(path, stream, on_read):
        yield reshape(parse_csv_lines(lines, origin, dialect), stream)
        dialect = with_header(dialect, lines)


def _json_batches(path: Path, stream: StreamSettings, on_read: OnRead) -> Iterator[RawBatch]:
    for lines, origin in _blocks(path, stream, on_read):
        yield reshape(parse_json_lines(lines, origin, stream.time.attribute), stream)


def _parquet_batches(path: Path, stream: StreamSettings, on_read: OnRead) -> Iterator[RawBatch]:
    rows, batches = _folder_batches(path) if path.is_dir() else _file_batches(path)
    size, before = path.stat().st_size, 0
    for batch in batches:
        on_read(size * before // max(rows, 1))
        origin = RecordOrigin.of(str(path), before=before)
        yield reshape(RawBatch(pa.Table.from_batches([batch]), origin=origin), stream)
        before += batch.num_rows


def _folder_batches(path: Path) -> tuple[int, Iterator[pa.RecordBatch]]:
    """How many rows the files of a folder have, and the rows."""
    import pyarrow.dataset as ds  # noqa: PLC0415 - loads pandas, which most never need

    files = ds.dataset(path, format="parquet", partitioning="hive")
    return files.count_rows(), files.to_batches(batch_size=_ROWS, batch_readahead=1, fragment_readahead=1)


def _file_batches(path: Path) -> tuple[int, Iterator[pa.RecordBatch]]:
    file = pq.ParquetFile(path)
    return file.metadata.num_rows, file.iter_batches(_ROWS)


def _is_one_document(path: Path, stream: StreamSettings) -> bool:
    """Whether a JSON file is one value, and not one a line."""
    options = stream.source.options() if stream.source else {}
    if json.loads(options.get("multiLine", "false").lower()):
        return True
    with path.open("rb") as packed, open_unpacked(path.name, packed) as file:
        return file.read(_BYTES).lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"[")


def _blocks(path: Path, stream: StreamSettings, on_read: OnRead) -> Iterator[tuple[pa.Array, RecordOrigin]]:
    """Whole lines, and where they stand."""
    encoding = text_encoding(stream.source)
    before = 0
    with path.open("rb") as packed, open_unpacked(path.name, packed) as file:
        for block in _whole_lines(file):
            lines = lines_of(text_as_utf8(block, encoding))
            on_read(packed.tell())
            yield lines, RecordOrigin.of(str(path), "{name}:{number}", before)
            before += len(lines)


def _whole_lines(file: BufferedIOBase) -> Iterator[bytes]:
    rest = b""
    while block := file.read(_BYTES):
        whole, end, rest = (rest + block).rpartition(b"\n")
        if end:
            yield whole + end
    if rest:
        yield rest
