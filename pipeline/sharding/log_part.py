"""A batch of a stream as a segment of the log, written where the events are: what counts, and behind it what came late.

A batch of a stream is one file there, whose name is the manifest (docs/log-format.md), and which events are duplicates
or late is known when all splits are read: so one task writes it, hidden, piece by piece, and the driver names it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import polars as pl
import pyarrow as pa

from ...archive.log import concatenated, write_segment
from ...expressions import frame_of
from ...storage import SharedFolder, StoragePath, unfinished_files
from .hosted_queries import HostedQueries
from .identity_part import DROPPED, LATE, ReadSplit
from .part_file import PartFile
from .split_part import LOGGED

__all__ = ["HIDDEN", "LogReport", "LogWork", "log_part", "remove_attempts"]

HIDDEN = ".tmp-segment-"
"""How the names of segments begin that do not count yet."""
_ATTEMPT = re.compile(r"\.tmp-(?:\d+-)?(?:\.tmp-)?(?:segment-)?(\d{9,})-")
"""What a task writes, or was killed over, with its batch."""


@dataclass(frozen=True, slots=True)
class LogWork:
    """A batch of a stream.

    Attributes:
        stream: its name.
        splits: in order of arrival.
        dropped: the files that say which events do not count.
        target: the folder of the stream in the log.
    """

    stream: str
    splits: tuple[ReadSplit, ...]
    dropped: Sequence[str]
    target: StoragePath


@dataclass(frozen=True, slots=True)
class LogReport:
    """What the driver is told.

    Attributes:
        stream: which stream.
        path: the segment; `None`: there are no events.
        rows: how many events it has.
        late: those among them that are marked late.
    """

    stream: str
    path: StoragePath | None
    rows: int
    late: int


def remove_attempts(folders: Iterable[StoragePath], upto: int) -> None:
    """Remove what attempts have written that did not count, or have not finished; others are at work on later batches.

    Args:
        folders: where tasks write.
        upto: the last batch that counts.
    """
    for folder in folders:
        for path in unfinished_files(folder):
            attempt = _ATTEMPT.match(path.name)
            if attempt is not None and int(attempt[1]) <= upto:
                path.unlink(missing_ok=True)


def log_part(queries: HostedQueries, work: LogWork, folder: SharedFolder, name: str) -> LogReport:
    """Write the segment of a batch of a stream.

    Args:
        queries: compiled; nothing is asked of them.
        work: the batch.
        folder: that has the files of parts.
        name: of the segment, behind what hides it; of each attempt another.

    Raises:
        ArchiveError: the log cannot be written.
    """
    del queries
    gone, late = (_ids(work, folder, kind) for kind in (DROPPED, LATE))
    schema = _schema(work, folder)
    pieces = _pieces(work, folder, schema, gone, late)
    first = next(pieces, None)
    if first is None:
        return LogReport(work.stream, None, 0, 0)
    counted = _Counted()
    path = work.target / f"{HIDDEN}{name}"
    write_segment(path, counted.noted(first), more=map(counted.noted, pieces))
    return LogReport(work.stream, path, counted.rows, counted.late)


class _Counted:
    """Counts what is written."""

    def __init__(self) -> None:
        self.rows = self.late = 0

    def noted(self, piece: pa.Table) -> pa.Table:
        self.rows += piece.num_rows
        self.late += piece.num_rows if piece["_late"][0].as_py() else 0
        return piece


def _ids(work: LogWork, folder: SharedFolder, kind: str) -> Mapping[int, pl.Series]:
    """By the place of a split, identities of its events."""
    found: dict[int, list[pl.Series]] = {}
    for name in work.dropped:
        with PartFile(folder, name) as file:
            parts = [part for part in file if part[:2] == (kind, work.stream)]
            for part, table in zip(parts, file.tables(parts), strict=True):
                if table is not None:
                    found.setdefault(int(part[2]), []).append(frame_of(table, ["_id"])["_id"])
    return {place: pl.concat(ids) for place, ids in found.items()}


def _schema(work: LogWork, folder: SharedFolder) -> pa.Schema:
    """The columns of all splits: a writer of Parquet wants to know them beforehand."""
    empty = []
    for split in work.splits:
        with PartFile(folder, split.file) as file:
            table = file.table((LOGGED, work.stream))
            empty += [] if table is None else [table.slice(0, 0)]
    return concatenated(*empty).schema


def _pieces(
    work: LogWork, folder: SharedFolder, schema: pa.Schema, gone: Mapping[int, pl.Series], late: Mapping[int, pl.Series]
) -> Iterator[pa.Table]:
    """The events that count of each split, then those that came late; no piece is empty."""
    for mark in (False, True):
        for split in work.splits:
            if mark and split.place not in late:
                continue
            with PartFile(folder, split.file) as file:
                table = file.table((LOGGED, work.stream))
                if table is None:
                    continue
                kept = _counting(table, late.get(split.place) if mark else gone.get(split.place), mark=mark)
                if kept.num_rows:
                    yield _conformed(kept, schema).append_column("_late", pa.repeat(pa.scalar(mark), kept.num_rows))


def _counting(table: pa.Table, ids: pl.Series | None, *, mark: bool) -> pa.Table:
    """The events of these identities, or the others; each identity stands once in a split."""
    if ids is None:
        return table.slice(0, 0) if mark else table
    among = frame_of(table, ["_id"])["_id"].is_in(ids.implode())
    return table.filter((among if mark else ~among).to_arrow())


def _conformed(table: pa.Table, schema: pa.Schema) -> pa.Table:
    return concatenated(schema.empty_table(), table)
