"""Recorded events in files, or as a program has them, read without Spark."""

from __future__ import annotations

import gzip
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet

from ...config import StreamSettings
from ...errors import PipelineError
from .csv_source import CsvDialect, parse_csv_lines
from .json_source import parse_json_documents, parse_json_text
from .memory_source import RawTuples, raw_table
from .records import RawBatch, RecordOrigin
from .text_lines import text_encoding

__all__ = ["RecordedEvents", "read_file", "read_recording"]

RecordedEvents: TypeAlias = "RawTuples | str | os.PathLike[str] | Sequence[str | os.PathLike[str]]"

_FORMATS = {
    ".csv": "csv", ".tsv": "csv", ".json": "json", ".jsonl": "json", ".ndjson": "json", ".parquet": "parquet",
}  # fmt: skip


def read_recording(recording: RecordedEvents, stream: StreamSettings) -> tuple[RawBatch, ...]:
    """Read the raw tuples of a stream in whatever form a program has them.

    Args:
        recording: dictionaries; anything with `__arrow_c_stream__` or `__dataframe__` (data frames of Polars and
            pandas, relations of DuckDB, tables and readers of pyarrow), or a dataset of pyarrow; the path of a JSON,
            CSV or Parquet file, or several, which follow one another.
        stream: says how files are read.

    Returns:
        One batch, or one for each file.

    Raises:
        PipelineError: it is none of these, or a file cannot be read.
    """
    match recording:
        case str() | os.PathLike():
            return (read_file(Path(recording), stream),)
        case Sequence() if paths := [Path(part) for part in recording if isinstance(part, str | os.PathLike)]:
            return tuple(read_file(path, stream) for path in paths)
        case _:
            return (RawBatch(raw_table(recording)),)


def read_file(path: Path, stream: StreamSettings) -> RawBatch:
    """Read the raw records of a file: JSON lines, a JSON array, CSV or Parquet, also compressed by gzip (`.gz`).

    The file's ending tells which; where it says nothing, the format of the stream's source.

    Raises:
        PipelineError: the file cannot be read, or not in this format.
    """
    name = path.name.removesuffix(".gz")
    declared = stream.source.format if stream.source else "json"
    file_format = _FORMATS.get(Path(name).suffix.lower(), declared)
    try:
        if file_format not in _TEXTS:
            return _read_table(path, file_format)
        content = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    except (OSError, EOFError, pa.ArrowInvalid) as error:
        reason = getattr(error, "strerror", None) or str(error).splitlines()[0]
        raise PipelineError(f"cannot read {path}: {reason}", hint="name a JSON, CSV or Parquet file") from error
    encoding = text_encoding(stream.source)
    if encoding != "utf-8":
        content = content.decode(encoding, errors="backslashreplace").encode()
    return _TEXTS[file_format](content, path, stream)


def _read_table(path: Path, file_format: str) -> RawBatch:
    if file_format == "parquet":
        return RawBatch(pyarrow.parquet.read_table(path), origin=RecordOrigin.of(str(path)))
    with path.open("rb"):
        raise PipelineError(
            f"cannot read {path}: files of the format '{file_format}' need Spark",
            hint="name a JSON, CSV or Parquet file",
        )


def _read_json(content: bytes, path: Path, stream: StreamSettings) -> RawBatch:
    if content.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"["):
        return parse_json_documents([content], lambda: (str(path),))
    return parse_json_text(_lines(content), RecordOrigin.of(str(path), "{name}:{number}"), stream)


def _read_csv(content: bytes, path: Path, stream: StreamSettings) -> RawBatch:
    origin = RecordOrigin.of(str(path), "{name}:{number}")
    return parse_csv_lines(_lines(content), origin, CsvDialect.of(stream))


_TEXTS: Mapping[str, Callable[[bytes, Path, StreamSettings], RawBatch]] = {"json": _read_json, "csv": _read_csv}


def _lines(content: bytes) -> pa.Array:
    content = content.removesuffix(b"\n")
    lines = pc.split_pattern(pa.array([content], pa.large_binary()), b"\n").values
    if b"\r" in content:
        lines = pc.if_else(pc.ends_with(lines, b"\r"), pc.binary_slice(lines, 0, -1), lines)
    return lines.cast(pa.binary()).view(pa.string())  # not yet known to be UTF-8
