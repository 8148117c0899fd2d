"""Recorded events in a file, read without Spark."""

from __future__ import annotations

import gzip
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet

from ...config import StreamSettings
from ...errors import PipelineError
from .records import RawBatch, RecordOrigin
from .text_formats import parse_json_documents, parse_lines, text_encoding

__all__ = ["read_file"]

_FORMATS = {
    ".csv": "csv", ".tsv": "csv", ".json": "json", ".jsonl": "json", ".ndjson": "json", ".parquet": "parquet",
}  # fmt: skip


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
        if file_format == "parquet":
            return RawBatch(pyarrow.parquet.read_table(path), origin=RecordOrigin.of(str(path)))
        content = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    except (OSError, EOFError, pa.ArrowInvalid) as error:
        reason = getattr(error, "strerror", None) or str(error).splitlines()[0]
        raise PipelineError(f"cannot read {path}: {reason}", hint="name a JSON, CSV or Parquet file") from error
    if file_format not in {"csv", "json"}:
        raise PipelineError(
            f"cannot read {path}: files of the format '{file_format}' need Spark",
            hint="name a JSON, CSV or Parquet file",
        )
    encoding = text_encoding(stream.source)
    if encoding != "utf-8":
        content = content.decode(encoding, errors="backslashreplace").encode()
    if file_format == "json" and content.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"["):
        return parse_json_documents([content], lambda: (str(path),))
    return parse_lines(_lines(content), RecordOrigin.of(str(path), "{name}:{number}"), file_format, stream)


def _lines(content: bytes) -> pa.Array:
    content = content.removesuffix(b"\n")
    lines = pc.split_pattern(pa.array([content], pa.large_binary()), b"\n").values
    if b"\r" in content:
        lines = pc.if_else(pc.ends_with(lines, b"\r"), pc.binary_slice(lines, 0, -1), lines)
    return lines.cast(pa.binary()).view(pa.string())  # not yet known to be UTF-8
