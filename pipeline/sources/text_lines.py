"""Columns of text lines: what every line-based format needs before its own parser."""

from __future__ import annotations

import codecs
import re
import shlex
from collections.abc import Iterable
from typing import TYPE_CHECKING, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ...config import SourceSettings, StreamSettings
from ...errors import PipelineError
from .records import Malformed, RecordOrigin

if TYPE_CHECKING:
    from pyspark.sql import Column

__all__ = [
    "HALVES",
    "checked_text",
    "column_as_utf8",
    "conversion",
    "declared_columns",
    "has_halves",
    "join",
    "lines_of",
    "split_off_invalid_text",
    "text_as_utf8",
    "text_encoding",
    "without_blank_lines",
]

HALVES = "no text: half of a surrogate pair"

# By Python's names; what the Encoding Standard of the WHATWG calls windows-1252 holds ISO-8859-1 as well.
_ENCODINGS = {"utf-8": "utf-8", "cp1252": "windows-1252", "iso8859-1": "windows-1252", "ascii": "us-ascii"}
_LATIN = "iso-8859-1"
_LETTERS = {byte: bytes([byte]).decode("windows-1252", "ignore") or chr(byte) for byte in range(0x80, 0xA0)}
"""What windows-1252 has where ISO-8859-1 has control characters; five of them have no letter and stay."""
_OF_WINDOWS = re.compile(rb"[\x80-\x9f]")
_NO_TEXT = """no UTF-8: if it is windows-1252 or ISO-8859-1, add encoding = "windows-1252" to the stream's source"""
_BYTE_ORDER_MARK = "\ufeff"
_ZERO = "\0"


_Columns = TypeVar("_Columns", pa.Table, pa.RecordBatch)


def checked_text(columns: _Columns) -> _Columns:
    """Return columns as they are, if they hold what their types say: files and other libraries need not keep to it.

    Raises:
        pa.ArrowInvalid: a text, or the name of a column, is no UTF-8.
    """
    try:
        _names(columns.schema)
    except UnicodeDecodeError as error:
        raise pa.ArrowInvalid(f"the name of a column is no UTF-8: {error.object!r}") from error
    columns.validate(full=True)
    return columns


def _names(fields: Iterable[pa.Field]) -> list[str]:
    """Return the names of fields, and of those within them: each is decoded when it is asked for."""
    return [name for f in fields for name in (f.name, *_names(map(f.type.field, range(f.type.num_fields))))]


def text_encoding(source: SourceSettings | None) -> str:
    """Return the encoding that a source's options name, `utf-8` by default.

    Raises:
        PipelineError: lines cannot be told apart in it, or it is none.
    """
    options = source.options() if source else {}
    name = options.get("encoding", options.get("charset", "utf-8"))
    try:
        return _ENCODINGS[codecs.lookup(name).name]
    except LookupError as error:
        known = ", ".join(dict.fromkeys(_ENCODINGS.values()))
        raise PipelineError(
            f"files in the encoding '{name}' cannot be read",
            hint=f"these can: {known}; to convert others: {conversion('FILE', name)}",
        ) from error


def conversion(path: str, encoding: str = "UTF-16") -> str:
    """The command that makes a file in UTF-8 of one in another encoding."""
    return f"iconv -f {encoding} -t UTF-8 {shlex.quote(path)} > utf8.txt"


def text_as_utf8(content: bytes, encoding: str) -> bytes:
    """Return a text in one of the encodings as UTF-8; a byte that means nothing there is written as an escape."""
    if encoding == "utf-8":
        return content
    if encoding != "windows-1252":
        return content.decode(encoding, errors="backslashreplace").encode()
    text = content.decode(_LATIN)
    return (text.translate(_LETTERS) if _OF_WINDOWS.search(content) else text).encode()


def column_as_utf8(lines: Column, encoding: str) -> Column:
    """The same of a column of Spark."""
    from pyspark.sql import functions as F  # noqa: N812, PLC0415 - as PySpark's own documentation has it; likewise

    if encoding == "utf-8":
        return lines
    if encoding != "windows-1252":
        return F.decode(lines.cast("binary"), encoding)
    return F.translate(F.decode(lines.cast("binary"), _LATIN), "".join(map(chr, _LETTERS)), "".join(_LETTERS.values()))


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
    if _are_text(lines):
        return lines, numbers, []
    raw = lines.cast(pa.binary()).to_pylist()
    valid = np.array([_is_text(line) for line in raw])
    kept = pa.array([line.decode() for line, good in zip(raw, valid, strict=True) if good], lines.type)
    wrong = [
        Malformed(raw[i].decode(errors="backslashreplace"), _complaint(raw[i]), origin.place(first + int(i)))
        for i in np.flatnonzero(~valid)
    ]
    return kept, numbers[valid], wrong


def without_blank_lines(lines: pa.Array, numbers: np.ndarray) -> tuple[pa.Array, np.ndarray]:
    """Return the lines that say something, without a byte order mark, and their numbers."""
    if pc.any(pc.starts_with(lines, _BYTE_ORDER_MARK)).as_py():
        lines = pc.utf8_ltrim(lines, _BYTE_ORDER_MARK)
    said = pc.not_equal(pc.utf8_ltrim_whitespace(lines), "")
    if pc.all(said).as_py() is not False:
        return lines, numbers
    return lines.filter(said), numbers[said.to_numpy(zero_copy_only=False)]


def lines_of(content: bytes) -> pa.Array:
    """Return the lines of a text, without their line breaks; not yet known to be UTF-8."""
    content = content.removesuffix(b"\n")
    lines = pc.split_pattern(pa.array([content], pa.large_binary()), b"\n").values
    if b"\r" in content:
        lines = pc.if_else(pc.ends_with(lines, b"\r"), pc.binary_slice(lines, 0, -1), lines)
    return lines.cast(pa.binary()).view(pa.string())


def join(lines: pa.Array) -> pa.Buffer:
    """Return the lines as one text, a line break between them."""
    together = pa.ListArray.from_arrays(pa.array([0, len(lines)], pa.int32()), lines)
    return pc.binary_join(together, "\n")[0].as_buffer()


def has_halves(text: str) -> bool:
    """Whether halves of surrogate pairs are in a text, as escapes of JSON may say: it cannot be written anywhere."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False


def _are_text(lines: pa.Array) -> bool:
    try:
        lines.validate(full=True)
    except pa.ArrowInvalid:
        return False
    return not pc.any(pc.match_substring(lines, _ZERO)).as_py()


def _is_text(line: bytes) -> bool:
    try:
        return _ZERO not in line.decode()
    except UnicodeDecodeError:
        return False


def _complaint(line: bytes) -> str:
    return f"zero bytes: if it is UTF-16, convert the file: {conversion('FILE')}" if b"\0" in line else _NO_TEXT
