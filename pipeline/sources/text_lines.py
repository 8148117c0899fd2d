"""Columns of text lines: what every line-based format needs before its own parser."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ...config import SourceSettings, StreamSettings
from ...errors import PipelineError
from .records import Malformed, RecordOrigin

__all__ = ["declared_columns", "join", "split_off_invalid_text", "text_encoding", "without_blank_lines"]

_ENCODINGS = ("utf-8", "iso-8859-1", "us-ascii")
_NO_TEXT = """no UTF-8: if it is ISO-8859-1, add encoding = "ISO-8859-1" to the stream's source"""
_BYTE_ORDER_MARK = "\ufeff"


def text_encoding(source: SourceSettings | None) -> str:
    """Return the encoding that a source's options name, `utf-8` by default.

    Raises:
        PipelineError: lines cannot be told apart in it, or it is none.
    """
    options = source.options() if source else {}
    name = options.get("encoding", options.get("charset", "utf-8")).lower()
    if name not in _ENCODINGS:
        raise PipelineError(f"files in the encoding '{name}' cannot be read", hint=f"use {' or '.join(_ENCODINGS)}")
    return name


def declared_columns(stream: StreamSettings) -> tuple[str, ...]:
    """Return the stream's attributes in declared order; a time attribute that is not among them comes first."""
    return (
        tuple(dict.fromkeys(stream.attributes))
        if stream.time.attribute in stream.attributes
        else (stream.time.attribute, *stream.attributes)
    )


def split_off_invalid_text(
    lines: pa.Array, origin: RecordOrigin, first: int = 0
) -> tuple[pa.Array, np.ndarray, list[Malformed]]:
    """Return the lines that are UTF-8, their numbers in the batch (int64, from `first`), and the others."""
    numbers = np.arange(first, first + len(lines))
    try:
        lines.validate(full=True)
    except pa.ArrowInvalid:
        raw = lines.cast(pa.binary()).to_pylist()
        valid = np.array([_is_text(line) for line in raw])
        kept = pa.array([line.decode() for line, good in zip(raw, valid, strict=True) if good], lines.type)
        wrong = [
            Malformed(raw[i].decode(errors="backslashreplace"), _NO_TEXT, origin.place(first + int(i)))
            for i in np.flatnonzero(~valid)
        ]
        return kept, numbers[valid], wrong
    return lines, numbers, []


def without_blank_lines(lines: pa.Array, numbers: np.ndarray) -> tuple[pa.Array, np.ndarray]:
    """Return the lines that say something, without a byte order mark, and their numbers."""
    if pc.any(pc.starts_with(lines, _BYTE_ORDER_MARK)).as_py():
        lines = pc.utf8_ltrim(lines, _BYTE_ORDER_MARK)
    said = pc.not_equal(pc.utf8_ltrim_whitespace(lines), "")
    if pc.all(said).as_py() is not False:
        return lines, numbers
    return lines.filter(said), numbers[said.to_numpy(zero_copy_only=False)]


def join(lines: pa.Array) -> pa.Buffer:
    """Return the lines as one text, a line break between them."""
    together = pa.ListArray.from_arrays(pa.array([0, len(lines)], pa.int32()), lines)
    return pc.binary_join(together, "\n")[0].as_buffer()


def _is_text(line: bytes) -> bool:
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    return True
