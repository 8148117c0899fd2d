"""The first records of files that nobody has declared, as columns that can be looked at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from ...annotator.recognition import ColumnRoles, recognise_columns
from ...config import SourceSettings, StreamSettings, TimeSettings
from ...errors import PipelineError
from ...pipeline.sources import (
    conversion,
    decimal_points,
    file_format,
    list_files,
    read_batches,
    sniff_separator,
)
from ...storage import UNPACKING_ERRORS, open_unpacked, uncompressed_name
from .recorded_source import near

__all__ = ["EventSample", "roles_of", "undeclared_stream"]

_LINES = 10
_SHOWN = 12
_LOOKED_AT = 1 << 26
"""Bytes of text that show its encoding."""
_WINDOWS = "windows-1252"
"""Holds ISO-8859-1 as well."""


@dataclass(frozen=True, slots=True)
class EventSample:
    """Records of a file that nobody has declared.

    Attributes:
        path: as it was named.
        files: that it means, in order.
        form: `json`, `csv` or `parquet`.
        table: the records of the first batch of the first file, columns as they are; texts of numbers with points.
        separator: between values, of CSV.
        whole: whether the batch is all of the file.
        encoding: of the texts, where it is not UTF-8.
    """

    path: Path
    files: tuple[Path, ...]
    form: str
    table: pa.Table
    separator: str | None
    whole: bool
    encoding: str | None = None

    @classmethod
    def of(cls, path: Path) -> EventSample:
        """Read it.

        Raises:
            PipelineError: the file cannot be read, or has no records.
        """
        files = list_files(path)
        if not files[0].exists():
            raise PipelineError(f"cannot read {path}: No such file or directory", hint=near(path))
        encoding = _encoding_of(files)
        stream = undeclared_stream(encoding=encoding)
        batches = read_batches(files[0], stream)
        first = next((batch for batch in batches if batch.table.num_rows), None)
        if first is None:
            raise PipelineError(f"{files[0]} has no records", hint="name a file of events: JSON, CSV or Parquet")
        form = file_format(files[0], stream)
        raw = [] if first.texts is None else first.texts[:_LINES].cast(pa.binary()).to_pylist()
        lines = [line.decode(errors="replace") for line in raw if line]
        separator = sniff_separator(lines, '"', frozenset()) if form == "csv" else None
        table = decimal_points(first.table, separator) if separator is not None else first.table
        return cls(path, tuple(files), form, table, separator, next(batches, None) is None, encoding)


def roles_of(sample: EventSample, time: str | None = None, *, hint: str) -> ColumnRoles:
    """What the columns of a sample are for.

    Args:
        sample: of a file.
        time: the column of the time stamps, if it is known.
        hint: what to do where none is found.

    Raises:
        PipelineError: none of the columns holds time stamps, or two hold them together.
    """
    roles = recognise_columns(sample.table, time)
    if roles is None:
        names = ", ".join(repr(name) for name in sample.table.column_names[:_SHOWN])
        more = f" and {len(sample.table.column_names) - _SHOWN} more" if len(sample.table.column_names) > _SHOWN else ""
        message = f"none of the columns of {sample.files[0]} holds time stamps: the columns are {names}{more}"
        raise PipelineError(message, hint=hint)
    if roles.time_of_day is not None:
        raise PipelineError(
            f"{sample.files[0]} has the day in '{roles.time}' and the time of day in '{roles.time_of_day}'",
            hint="put both into one column, such as 2026-03-02 08:15: a time stamp is one value",
        )
    return roles


def undeclared_stream(form: str = "json", encoding: str | None = None) -> StreamSettings:
    """The settings of a stream of which nothing is known but its format and encoding."""
    source = SourceSettings.model_validate({"format": form} | ({"encoding": encoding} if encoding else {}))
    return StreamSettings(event_type="<urn:kaicep:Event>", time=TimeSettings(attribute=""), source=source)


def _encoding_of(files: Sequence[Path]) -> str | None:
    """The encoding of texts, if it is not UTF-8; the first bytes of all files together are looked at.

    Raises:
        PipelineError: they have several encodings, or hold no text.
    """
    found: dict[str, Path] = {}
    rest = _LOOKED_AT
    for file in files:
        text = _first_bytes(file, rest) if rest > 0 and file.is_file() else b""
        rest -= len(text)
        if b"\0" in text or not text.isascii():
            found.setdefault(_encoding(text, file), file)
    if len(found) > 1:
        raise PipelineError(
            f"{found['UTF-8']} is UTF-8, and {found[_WINDOWS]} is not", hint="save them in one encoding, at best UTF-8"
        )
    return _WINDOWS if _WINDOWS in found else None


def _first_bytes(path: Path, most: int) -> bytes:
    """Those of a text, unpacked; nothing of Parquet, and where they cannot be read, which whoever reads them tells."""
    try:
        if file_format(path, undeclared_stream()) == "parquet":
            return b""
        with path.open("rb") as packed, open_unpacked(path.name, packed) as file:
            return file.read(most)
    except UNPACKING_ERRORS:
        return b""


def _encoding(text: bytes, path: Path) -> str:
    """What most of the letters outside of ASCII are: a byte that was damaged does not make UTF-8 another encoding."""
    if 4 * text.count(b"\0") > len(text):
        hint = f"if it is UTF-16, save it as UTF-8, as by {conversion(uncompressed_name(path.name))}"
        raise PipelineError(f"cannot read {path}: it is no text", hint=hint)
    read = text.decode(errors="ignore")
    understood = len(read.encode())
    if len(text) - understood <= understood - len(read):
        return "UTF-8"
    if b"\0" in text:
        raise PipelineError(f"cannot read {path}: it is no text", hint="name a file of events: JSON, CSV or Parquet")
    return _WINDOWS
