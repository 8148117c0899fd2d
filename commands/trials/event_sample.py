"""The first records of files that nobody has declared, as columns that can be looked at."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from ...annotator.recognition import ColumnRoles, recognise_columns
from ...config import SourceSettings, StreamSettings, TimeSettings
from ...errors import PipelineError
from ...pipeline.sources import (
    decimal_points,
    file_format,
    list_files,
    read_batches,
    sniff_separator,
)

__all__ = ["EventSample", "roles_of", "undeclared_stream"]

_LINES = 10
_SHOWN = 12


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


def undeclared_stream(form: str = "json") -> StreamSettings:
    """The settings of a stream of which nothing is known but its format."""
    source = SourceSettings(format=form)
    return StreamSettings(event_type="<urn:kaicep:Event>", time=TimeSettings(attribute=""), source=source)
