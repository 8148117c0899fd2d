"""One segment of the event log: the events of one stream in one batch, as a Parquet file."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ..errors import ArchiveError, Place
from .layout import make_folder, replacing

TIME = pa.timestamp("us", tz="UTC")
_NAME = re.compile(r"(\d+)-(\d+)\.parquet")
_ROWS_PER_GROUP = 131_072
_INTERNAL = frozenset({"_row"})


@dataclass(frozen=True, slots=True, order=True)
class Position:
    """A batch of a checkpoint generation; positions are ordered as the batches were written."""

    generation: int
    batch: int

    def __str__(self) -> str:
        return f"{self.generation:06d}-{self.batch:012d}"


@dataclass(frozen=True, slots=True)
class SegmentFacts:
    """What a segment's footer says: number of events, least and greatest `_time`."""

    rows: int
    first: datetime
    last: datetime


def file_name(position: Position) -> str:
    """Name the segment's file."""
    return f"{position}.parquet"


def position_of(path: Path) -> Position | None:
    """Return the position that a file's name says, `None` when it is no segment."""
    found = _NAME.fullmatch(path.name)
    return Position(int(found[1]), int(found[2])) if found else None


def plain(events: pa.Table) -> pa.Table:
    """Cast to types that every Parquet reader shares: plain strings, µs UTC; `_row` and untyped columns go.

    A column of type null holds nothing: left out, it reads as null again beside segments that have it.

    Raises:
        ArchiveError: no `_time`, no `_id`, or a null among them.
    """
    for name in ("_time", "_id"):
        if name not in events.column_names:
            raise ArchiveError(
                f"an event table without a column '{name}' cannot be archived", hint="archive what the annotator gives"
            )
        if events[name].null_count:
            raise ArchiveError(f"an event without '{name}' cannot be archived", hint="archive what the annotator gives")
    kept = [f for f in events.schema if f.name not in _INTERNAL and not pa.types.is_null(f.type)]
    return pa.table(
        [events[f.name].cast(_plain_type(f.type)) for f in kept],
        schema=pa.schema([pa.field(f.name, _plain_type(f.type)) for f in kept]),
    )


def write(path: Path, events: pa.Table) -> None:
    """Write a segment of plain events, durably and at once.

    Raises:
        ArchiveError: the file system refuses.
    """
    times = {f.name: "DELTA_BINARY_PACKED" for f in events.schema if pa.types.is_timestamp(f.type)}
    # Ids never repeat and doubles seldom do: a dictionary of them costs three times the time and space.
    repetitive = [f.name for f in events.schema if pa.types.is_string(f.type) and f.name != "_id"]
    try:
        make_folder(path.parent)
        with replacing(path) as temporary:
            pq.write_table(
                events,
                temporary,
                compression="zstd",
                row_group_size=_ROWS_PER_GROUP,
                store_schema=False,
                use_dictionary=repetitive,
                column_encoding=times,
            )
    except OSError as error:
        raise ArchiveError(
            f"cannot write a log segment: {error.strerror or error}",
            place=Place(str(path)),
            hint="free some space or choose another path under [archive]; nothing of it was kept",
        ) from error


def facts(path: Path) -> SegmentFacts:
    """Read the segment's facts from its footer.

    Raises:
        ArchiveError: the file is broken.
    """
    try:
        footer = pq.read_metadata(path)
        column = footer.schema.names.index("_time")
        statistics = [footer.row_group(i).column(column).statistics for i in range(footer.num_row_groups)]
        return SegmentFacts(footer.num_rows, min(s.min for s in statistics), max(s.max for s in statistics))
    except (pa.ArrowException, OSError, ValueError, AttributeError, TypeError) as error:
        raise _broken(path, error) from error


def read(path: Path, start: datetime | None, end: datetime | None, columns: frozenset[str] | None) -> pa.Table:
    """Read the segment's events with start <= `_time` < end, in order; only row groups that can hold some are read.

    Raises:
        ArchiveError: the file is broken.
    """
    try:
        with pq.ParquetFile(path) as file:
            names = [n for n in file.schema_arrow.names if columns is None or n in columns]
            column = file.schema_arrow.names.index("_time")
            groups = [
                i
                for i in range(file.num_row_groups)
                if _may_hold(file.metadata.row_group(i).column(column).statistics, start, end)
            ]
            table = file.read_row_groups(groups, columns=names)
    except (pa.ArrowException, OSError, ValueError) as error:
        raise _broken(path, error) from error
    return within(table, start, end)


def within(events: pa.Table, start: datetime | None, end: datetime | None) -> pa.Table:
    """Keep the events with start <= `_time` < end."""
    if start is not None:
        events = events.filter(pc.greater_equal(events["_time"], pa.scalar(start, TIME)))
    if end is not None:
        events = events.filter(pc.less(events["_time"], pa.scalar(end, TIME)))
    return events


def _may_hold(statistics: pq.Statistics | None, start: datetime | None, end: datetime | None) -> bool:
    if statistics is None or not statistics.has_min_max:
        return True
    return (start is None or statistics.max >= start) and (end is None or statistics.min < end)


def _plain_type(kind: pa.DataType) -> pa.DataType:
    if pa.types.is_dictionary(kind):
        return _plain_type(kind.value_type)
    if pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
        return pa.string()
    if pa.types.is_timestamp(kind):
        return TIME
    return kind


def _broken(path: Path, error: Exception) -> ArchiveError:
    reason = str(error).split("\n", maxsplit=1)[0].rstrip(".")
    return ArchiveError(
        f"the log segment is broken: {reason}",
        place=Place(str(path)),
        hint="restore it from a backup, or move it away to go on without its events",
    )
