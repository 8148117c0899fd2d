"""Recorded events in a file of any size, read piece by piece: what is in memory is a few pieces."""

from __future__ import annotations

import codecs
import json
from collections.abc import Callable, Iterator
from io import BufferedIOBase
from pathlib import Path
from typing import TypeAlias

import pyarrow as pa
import pyarrow.parquet as pq

from ...annotator import leading_items
from ...config import StreamSettings
from ...storage import open_unpacked
from .delimited import CsvDialect, parse_csv_lines, with_header
from .json_source import parse_json_lines
from .layouts import reshape
from .recorded_files import UNREADABLE, file_format, read_file, unreadable
from .records import Malformed, RawBatch, RecordOrigin, table_of_dicts
from .text_lines import checked_text, lines_of, text_as_utf8, text_encoding

__all__ = ["read_batches"]

_BYTES = 1 << 23
"""Of text at once: some hundred thousand records."""
_LONGEST = 1 << 26
"""Bytes of a line: put together from more pieces it would take time by the square of them."""
_ROWS = 1 << 17
_SHOWN = 1000
"""Letters that are shown of what is no record."""

OnRead: TypeAlias = Callable[[int], None]


def read_batches(path: Path, stream: StreamSettings, on_read: OnRead = lambda _: None) -> Iterator[RawBatch]:
    """Read the raw records of a file as batches, in their order; as `read_file` reads them, but for types.

    A name of JSON objects whose values are of several kinds is a column of texts in the batches that have several.
    JSON of a source with `multiLine` that is no array is one batch. An array that breaks off has the records before.

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
            case "json" if stream.source is not None and stream.source.payload != "json":
                yield read_file(path, stream)
            case "json" if _is_array(path):
                yield from _array_batches(path, stream, on_read)
            case "json" if not _is_one_object(stream):
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
        yield reshape(RawBatch(pa.Table.from_batches([checked_text(batch)]), origin=origin), stream)
        before += batch.num_rows


def _folder_batches(path: Path) -> tuple[int, Iterator[pa.RecordBatch]]:
    """How many rows the files of a folder have, and the rows."""
    import pyarrow.dataset as ds  # noqa: PLC0415 - loads pandas, which most never need

    files = ds.dataset(path, format="parquet", partitioning="hive")
    return files.count_rows(), files.to_batches(batch_size=_ROWS, batch_readahead=1, fragment_readahead=1)


def _file_batches(path: Path) -> tuple[int, Iterator[pa.RecordBatch]]:
    file = pq.ParquetFile(path)
    return file.metadata.num_rows, file.iter_batches(_ROWS)


def _is_one_object(stream: StreamSettings) -> bool:
    """Whether a JSON file that is no array is one value, and not one a line."""
    options = stream.source.options() if stream.source else {}
    return bool(json.loads(options.get("multiLine", "false").lower()))


def _is_array(path: Path) -> bool:
    with path.open("rb") as packed, open_unpacked(path.name, packed) as file:
        return file.read(_BYTES).lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"[")


def _array_batches(path: Path, stream: StreamSettings, on_read: OnRead) -> Iterator[RawBatch]:
    """The items of an array, as many at once as a block of text holds; of one that breaks off those before its end."""
    encoding, before = text_encoding(stream.source), 0
    with path.open("rb") as packed, open_unpacked(path.name, packed) as file:
        decoder = codecs.getincrementaldecoder("utf-8-sig")(errors="backslashreplace")
        rest, ended = decoder.decode(text_as_utf8(file.read(_BYTES), encoding)).lstrip().removeprefix("["), False
        while not ended:
            items, rest, ended = leading_items(rest)
            on_read(packed.tell())
            origin = RecordOrigin.of(str(path), "{name}, item {number}", before)
            if items:
                yield reshape(parse_json_lines(pa.array(items, pa.string()), origin, stream.time.attribute), stream)
                before += len(items)
            # An item that is larger than a block is looked through as often as its size doubles.
            block = b"" if ended else file.read(max(_BYTES, len(rest)))
            if not ended and not block:
                yield _no_item(rest, "the file breaks off before its array ends", origin, len(items))
                return
            rest += decoder.decode(text_as_utf8(block, encoding))
        if rest := (rest + decoder.decode(text_as_utf8(file.read(_BYTES), encoding))).strip():
            yield _no_item(rest, "there is more behind the end of the array", origin, len(items))


def _no_item(text: str, reason: str, origin: RecordOrigin, number: int) -> RawBatch:
    """What is no item of an array, which has so many before in its batch."""
    return RawBatch(table_of_dicts([]), (Malformed(text[:_SHOWN], f"no JSON: {reason}", origin.place(number)),), origin)


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
        if len(rest) > _LONGEST:
            raise ValueError(f"a line is longer than {_LONGEST:,} bytes")
        whole, end, rest = (rest + block).rpartition(b"\n")
        if end:
            yield whole + end
    if rest:
        yield rest
