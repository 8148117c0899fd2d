"""The first records of files that nobody has declared, as columns that can be looked at."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from ...config import SourceSettings, StreamSettings, TimeSettings
from ...errors import PipelineError
from ...pipeline.sources import (
    decimal_points,
    file_format,
    list_files,
    read_batches,
    sniff_separator,
)

__all__ = ["EventSample"]

_LINES = 10


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
    """

    path: Path
    files: tuple[Path, ...]
    form: str
    table: pa.Table
    separator: str | None
    whole: bool

    @classmethod
    def of(cls, path: Path) -> EventSample:
        """Read it.

        Raises:
            PipelineError: the file cannot be read, or has no records.
        """
        files = list_files(path)
        stream = undeclared_stream()
        batches = read_batches(files[0], stream)
        first = next((batch for batch in batches if batch.table.num_rows), None)
        if first is None:
            raise PipelineError(f"{files[0]} has no records", hint="name a file of events: JSON, CSV or Parquet")
        form = file_format(files[0], stream)
        lines = [] if first.texts is None else [line for line in first.texts[:_LINES].to_pylist() if line]
        separator = sniff_separator(lines, '"', frozenset()) if form == "csv" else None
        table = decimal_points(first.table, separator) if separator is not None else first.table
        return cls(path, tuple(files), form, table, separator, next(batches, None) is None)


def undeclared_stream(form: str = "json") -> StreamSettings:
    """The settings of a stream of which nothing is known but its format."""
    source = SourceSettings(format=form)
    return StreamSettings(event_type="<urn:kaicep:Event>", time=TimeSettings(attribute=""), source=source)
