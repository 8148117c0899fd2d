"""Recorded events in files, or as a program has them, read without Spark."""

from __future__ import annotations

import json
import os
import zipfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

import pyarrow as pa
import pyarrow.parquet

from ...config import StreamSettings
from ...errors import PipelineError
from ...storage import UNPACKING_ERRORS, BucketFile, uncompressed_name, unpack
from .delimited import CsvDialect, parse_csv_lines
from .file_listing import FILE_FORMATS, RecordFile, record_files
from .json_source import parse_json_documents, parse_json_text
from .layouts import reshape, reshape_table
from .memory_source import RawTuples, raw_table
from .payloads import parse_payloads
from .records import RawBatch, RecordOrigin
from .text_lines import checked_text, conversion, lines_of, text_as_utf8, text_encoding

__all__ = ["UNREADABLE", "RecordedEvents", "file_format", "read_file", "read_recording", "unreadable"]

RecordedEvents: TypeAlias = (
    "RawTuples | str | os.PathLike[str] | BucketFile | Sequence[str | os.PathLike[str] | BucketFile]"
)

UNREADABLE = (*UNPACKING_ERRORS, pa.ArrowInvalid)
_HINT = "name a JSON, CSV or Parquet file"
# What the first bytes of files hold, from which place on, that are neither text nor Parquet; what to do with them.
_SIGNATURES = (
    (0, b"\xd0\xcf\x11\xe0", "an Excel workbook", "save its sheet as CSV"),
    (0, b"\x28\xb5\x2f\xfd", "compressed by Zstandard", "unpack it, or compress it by gzip"),
    (0, b"SQLite format 3", "an SQLite database", "export its table as CSV"),
)
_SIGNATURE_BYTES = 16
_COMPRESSED = ((0, b"\x1f\x8b", "gzip", ".gz"), (4, b"1AY&SY", "bzip2", ".bz2"), (0, b"\xfd7zXZ", "xz", ".xz"))
_PARQUET, _ZIP = b"PAR1", b"PK\x03\x04"


def read_recording(recording: RecordedEvents, stream: StreamSettings) -> tuple[RawBatch, ...]:
    """Read the raw tuples of a stream in whatever form a program has them.

    Args:
        recording: dictionaries; anything with `__arrow_c_stream__` or `__dataframe__` (data frames of Polars and
            pandas, relations of DuckDB, tables and readers of pyarrow), or a dataset of pyarrow; the path of a JSON,
            CSV or Parquet file, a folder or glob pattern of them, or several paths; files follow one another.
        stream: says how files are read.

    Returns:
        One batch, or one for each file.

    Raises:
        PipelineError: it is none of these, or a file cannot be read.
    """
    match recording:
        case str() | os.PathLike() | BucketFile():
            return tuple(read_file(path, stream) for path in record_files([recording]))
        case Sequence() if paths := [part for part in recording if isinstance(part, str | os.PathLike | BucketFile)]:
            return tuple(read_file(path, stream) for path in record_files(paths))
        case _:
            return (RawBatch(reshape_table(raw_table(recording), stream)),)


def read_file(path: RecordFile, stream: StreamSettings) -> RawBatch:
    """Read the raw records of a file: JSON lines, a JSON array, CSV or Parquet, also compressed (`.gz`, `.bz2`, `.xz`).

    The file's ending tells which; where it says nothing, the format of the stream's source.

    Raises:
        PipelineError: the file cannot be read, or not in this format.
    """
    path = path.unread() if isinstance(path, BucketFile) else path  # of a recording one file at a time is in memory
    try:
        declared = file_format(path, stream)
        if declared not in _TEXTS:
            return reshape(_read_table(path, declared), stream)
        content = unpack(path.name, path.read_bytes())
    except UNREADABLE as error:
        raise unreadable(path, error) from error
    content = text_as_utf8(content, text_encoding(stream.source))
    return reshape(_TEXTS[declared](content, path, stream), stream)


def file_format(path: RecordFile, stream: StreamSettings) -> str:
    """Return the format of a file: what its first bytes say, else its ending, else that of the stream's source.

    Raises:
        PipelineError: it is a workbook, a database, or packed in a way that is not read.
        OSError: it cannot be read.
    """
    name = uncompressed_name(path.name)
    declared = stream.source.format if stream.source else "json"
    found = FILE_FORMATS.get(Path(name).suffix.lower(), declared)
    if path.is_dir():
        return found
    first, last = _ends(path)
    if first.startswith(_PARQUET) and last == _PARQUET:
        return "parquet"
    if first.startswith(_ZIP):
        raise _foreign(path, *_zipped(path))
    for start, signature, what, suffix in _COMPRESSED:
        if first[start:].startswith(signature) and path.suffix.lower() != suffix:
            raise _foreign(path, f"compressed by {what}", f"rename it to {path.name}{suffix}")
    for start, signature, what, way_out in _SIGNATURES:
        if first[start:].startswith(signature):
            raise _foreign(path, what, way_out)
    if wide := _wide_encoding(first):
        raise _foreign(path, f"text in {wide}", f"save it as UTF-8, as by {conversion(str(path), wide)}")
    if found == "parquet":
        raise _foreign(path, "no Parquet file" if first else "empty", "give it the ending of what it is: .csv, .jsonl")
    return found


def _wide_encoding(first: bytes) -> str | None:
    """Which encoding of two bytes for each character the first bytes of a file are in, by their mark or their zeros."""
    if first.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "UTF-16"
    even, odd = first[::2], first[1::2]
    if len(odd) > 1 and any(even) != any(odd):
        return "UTF-16LE" if any(even) else "UTF-16BE"
    return None


def _ends(path: RecordFile) -> tuple[bytes, bytes]:
    """Return the first bytes of a file, and its last four."""
    with path.open("rb") as file:
        first = file.read(_SIGNATURE_BYTES)
        file.seek(-min(len(_PARQUET), file.seek(0, os.SEEK_END)), os.SEEK_END)
        return first, file.read()


def unreadable(path: RecordFile, error: BaseException) -> PipelineError:
    """Return the error of a file that cannot be read, with its reason and the way out."""
    if isinstance(error, IsADirectoryError):
        way_out = "name one that holds JSON, CSV or Parquet files itself"
        return PipelineError(f"cannot read {path}: the folder holds no file of events", hint=way_out)
    if isinstance(error, EOFError):
        return PipelineError(f"cannot read {path}: it breaks off before its end", hint="copy or pack it once more")
    reason = getattr(error, "strerror", None) or str(error).splitlines()[0]
    return PipelineError(f"cannot read {path}: {reason}", hint=_HINT)


def _foreign(path: RecordFile, what: str, way_out: str) -> PipelineError:
    return PipelineError(f"cannot read {path}: it is {what}", hint=way_out)


def _zipped(path: RecordFile) -> tuple[str, str]:
    """Return what a ZIP archive is, and what to do."""
    try:
        with path.open("rb") as file, zipfile.ZipFile(file) as archive:
            names = archive.namelist()
    except zipfile.BadZipFile:
        names = []
    if any(name.startswith("xl/") for name in names):
        return "an Excel workbook", "save its sheet as CSV"
    if "content.xml" in names:
        return "an OpenDocument spreadsheet", "save its sheet as CSV"
    return "a ZIP archive", "unpack it"


def _read_table(path: RecordFile, file_format: str) -> RawBatch:
    if file_format == "parquet":
        source = path if isinstance(path, Path) else path.open("rb")
        return RawBatch(checked_text(pyarrow.parquet.read_table(source)), origin=RecordOrigin.of(str(path)))
    with path.open("rb"):
        raise PipelineError(
            f"cannot read {path}: files of the format '{file_format}' need Spark",
            hint=_HINT,
        )


def _read_json(content: bytes, path: RecordFile, stream: StreamSettings) -> RawBatch:
    if stream.source is not None and stream.source.payload != "json" and _is_one_document(content):
        text = pa.array([content.decode("utf-8-sig")])
        return parse_payloads(text, RecordOrigin.of(str(path), "{name}"), stream.source.payload)
    if stream.source is not None and stream.source.payload != "json":
        return parse_json_text(lines_of(content), RecordOrigin.of(str(path), "{name}:{number}"), stream)
    if content.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"["):
        return parse_json_documents([content], lambda: (str(path),))
    return parse_json_text(lines_of(content), RecordOrigin.of(str(path), "{name}:{number}"), stream)


def _is_one_document(content: bytes) -> bool:
    """Whether a file is one document, and not one a line."""
    try:
        json.loads(content.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return False
    return True


def _read_csv(content: bytes, path: RecordFile, stream: StreamSettings) -> RawBatch:
    origin = RecordOrigin.of(str(path), "{name}:{number}")
    return parse_csv_lines(lines_of(content), origin, CsvDialect.of(stream))


_TEXTS: Mapping[str, Callable[[bytes, RecordFile, StreamSettings], RawBatch]] = {"json": _read_json, "csv": _read_csv}
