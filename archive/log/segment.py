"""One segment of the event log: the events of one stream in one batch, or in several, as a Parquet file."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from itertools import chain
from pathlib import Path
from typing import Any, cast

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ...errors import ArchiveError, Place
from ...storage import BucketPath, StoragePath, make_folder, write_atomically
from .batch_index import BatchFacts, BatchIndex, Position
from .segment_digest import DIGESTED, SegmentFile, add_digest, check_file, check_footer, digested

TIME = pa.timestamp("us", tz="UTC")
_NAME = re.compile(r"(\d+)-(\d+)(?:_(\d+)-(\d+))?\.parquet")
_BATCHES = b"kaicep.batches"
_ROWS_PER_GROUP = 131_072
_INTERNAL = frozenset({"_row"})


Put = Callable[[BucketPath, bytes], None]
"""Writes an object of a bucket."""


class BrokenSegmentError(ArchiveError):
    """A segment is not as it was written."""


class UnreadableSegmentError(ArchiveError):
    """A segment cannot be read at the moment; it may be sound."""


@dataclass(frozen=True, slots=True)
class SegmentFacts:
    """What a segment's footer says, but which batches it holds.

    Attributes:
        rows: number of events.
        first: least `_time`.
        last: greatest `_time`.
        size: bytes of the file; 0 for a part of one.
        schema: the columns; `None` for a part of one.
    """

    rows: int
    first: datetime
    last: datetime
    size: int = 0
    schema: pa.Schema | None = None


def segment_name(first: Position, last: Position | None = None) -> str:
    """Name the segment's file: of one batch, or of all from `first` to `last`."""
    return f"{first}.parquet" if last is None else f"{first}_{last}.parquet"


def first_batch(path: StoragePath) -> Position:
    """Return the first batch that the name of a segment's file says.

    Raises:
        ValueError: it is no segment.
    """
    found = batch_range(path)
    if found is None:
        raise ValueError(path)
    return found[0]


def batch_range(path: StoragePath) -> tuple[Position, Position] | None:
    """Return the first and last batch that a file's name says, `None` when it is no segment."""
    found = _NAME.fullmatch(path.name)
    if found is None:
        return None
    first = Position(int(found[1]), int(found[2]))
    return first, first if found[3] is None else Position(int(found[3]), int(found[4]))


def plain_table(events: pa.Table) -> pa.Table:
    """Cast to types that every Parquet reader shares: plain strings and lists, µs UTC; `_row` and untyped columns go.

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


def write_segment(
    path: StoragePath,
    events: pa.Table,
    batches: Sequence[BatchFacts] = (),
    more: Iterable[pa.Table] = (),
    *,
    put: Put = BucketPath.write_bytes,
) -> None:
    """Write a segment of plain events, durably and at once.

    Args:
        path: its file.
        events: in order of arrival.
        batches: which they are, in order, when they are of several.
        more: those behind them, piece by piece: the file is then written as they come.
        put: writes an object of a bucket.

    Raises:
        ArchiveError: the file system refuses.
    """
    facts = {DIGESTED: b"sha256"} | ({_BATCHES: BatchIndex.of(batches).to_bytes()} if batches else {})
    others = iter(more)
    second = next(others, None)
    try:
        make_folder(path.parent)
        if second is None:
            written = pa.BufferOutputStream()
            _write_parquet(written, (events,), facts)
            content = digested(memoryview(written.getvalue()))
            if isinstance(path, BucketPath):
                put(path, b"".join(content))
                return
            with write_atomically(path) as temporary, temporary.open("wb") as file:
                file.writelines(content)
        else:
            with write_atomically(path, put=put) as temporary:
                _write_parquet(temporary, chain((events, second), others), facts)
                add_digest(temporary)
    except OSError as error:
        raise ArchiveError(
            f"cannot write a log segment: {error.strerror or error}",
            place=Place(str(path)),
            hint="free some space or choose another path under [archive]; nothing of it was kept",
        ) from error


def _write_parquet(target: Any, pieces: Iterable[pa.Table], facts: dict[bytes, bytes]) -> None:
    """Write a file of Parquet.

    Args:
        target: what the library writes to.
        pieces: one at least, all with the same columns.
        facts: what its footer says beside.
    """
    waiting = iter(pieces)
    first = next(waiting)
    times = {f.name: "DELTA_BINARY_PACKED" for f in first.schema if pa.types.is_timestamp(f.type)}
    # Ids never repeat and doubles seldom do: a dictionary of them costs three times the time and space.
    repetitive = [f.name for f in first.schema if pa.types.is_string(f.type) and f.name != "_id"]
    writer = pq.ParquetWriter(
        target,
        first.schema,
        compression="zstd",
        store_schema=False,
        use_dictionary=repetitive,
        column_encoding=times,
        write_page_checksum=True,
    )
    with writer:
        for piece in chain((first,), waiting):
            writer.write_table(piece, row_group_size=_ROWS_PER_GROUP)
        writer.add_key_value_metadata(facts)


def segment_facts(path: StoragePath) -> SegmentFacts:
    """Read the segment's facts from its footer.

    Raises:
        FileNotFoundError: it is gone.
        BrokenSegmentError: the file is broken.
        ArchiveError: it cannot be read.
    """
    with _checked(path) as file:
        footer = pq.read_metadata(file)
        column = footer.schema.names.index("_time")
        statistics = [footer.row_group(i).column(column).statistics for i in range(footer.num_row_groups)]
        first, last = min(s.min for s in statistics), max(s.max for s in statistics)
        schema = footer.schema.to_arrow_schema().remove_metadata()
        return SegmentFacts(footer.num_rows, first, last, path.stat().st_size, schema)


def segment_batches(path: StoragePath) -> BatchIndex:
    """Read from the segment's footer which batches it holds, if it is of several; errors as of `segment_facts`."""
    with _checked(path) as file:
        return BatchIndex.from_bytes((pq.read_metadata(file).metadata or {}).get(_BATCHES, b"[]"))


def read_segment(
    path: StoragePath,
    start: datetime | None = None,
    end: datetime | None = None,
    columns: frozenset[str] | None = None,
    rows: range | None = None,
) -> pa.Table:
    """Read the segment's events with start <= `_time` < end, in order; only row groups that can hold some are read.

    Args:
        path: its file.
        start: aware.
        end: aware.
        columns: names; `None`: all.
        rows: only these; `None`: all.

    Raises:
        FileNotFoundError: it is gone.
        BrokenSegmentError: the file is broken.
        ArchiveError: it cannot be read.
    """
    # Whoever reads all of it may write it again, with a new digest.
    whole = columns is None and rows is None
    with _checked(path, whole=whole) as source, _parquet_file(source) as file:
        names = [n for n in file.schema_arrow.names if columns is None or n in columns]
        groups = _groups(file, start, end, rows)
        table = file.read_row_groups([i for i, _ in groups], columns=names).replace_schema_metadata(None)
    return _within(table if rows is None else _sliced(table, [held for _, held in groups], rows), start, end)


def check_segment(path: StoragePath) -> None:
    """Read all of a segment, and compare it with its digest; errors as of `read_segment`."""
    segment_facts(path)
    read_segment(path)


def _parquet_file(source: Any) -> pq.ParquetFile:
    """What is read of a segment; of one in a bucket, what lies near each other comes at one go."""
    return pq.ParquetFile(source, page_checksum_verification=True, pre_buffer=not isinstance(source, Path))


def _groups(
    file: pq.ParquetFile, start: datetime | None, end: datetime | None, rows: range | None
) -> list[tuple[int, range]]:
    """The row groups that can hold wanted events, and which rows of the file they are."""
    column = file.metadata.schema.names.index("_time")
    found, offset = [], 0
    for i in range(file.num_row_groups):
        group = file.metadata.row_group(i)
        held = range(offset, offset := offset + group.num_rows)
        wanted = rows is None or (held.start < rows.stop and rows.start < held.stop)
        if wanted and _may_hold(group.column(column).statistics, start, end):
            found.append((i, held))
    return found


def _sliced(table: pa.Table, groups: Sequence[range], rows: range) -> pa.Table:
    """Keep some rows of the file from a table of some of its row groups."""
    pieces, offset = [table.slice(0, 0)], 0
    for held in groups:
        first, last = max(held.start, rows.start), min(held.stop, rows.stop)
        pieces.append(table.slice(offset + first - held.start, last - first))
        offset += len(held)
    return pa.concat_tables(pieces)


def _within(events: pa.Table, start: datetime | None, end: datetime | None) -> pa.Table:
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
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return pa.list_(_plain_type(kind.value_type))
    return kind


@contextmanager
def _checked(path: StoragePath, *, whole: bool = False) -> Iterator[Any]:
    """Compare a file, or its footer, with its digest; tell what is broken from what cannot be read now.

    What it gives, the library for Parquet reads: a path, since that is fastest, or an object of a bucket, opened once.
    """
    check = check_file if whole else check_footer
    try:
        with path.open("rb") as file:
            opened = pa.BufferReader(file.read()) if whole and isinstance(path, BucketPath) else file
            check(cast("SegmentFile", opened))
            if isinstance(path, BucketPath):
                opened.seek(0)
                yield opened
                return
        yield path
    except (FileNotFoundError, MemoryError):
        raise
    except (pa.ArrowException, OSError, ValueError, AttributeError, TypeError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise UnreadableSegmentError(
                f"the log segment cannot be read: {error.strerror or error}",
                place=Place(str(path)),
                hint="see to its disk; it is left as it is, and read again",
            ) from error
        reason = str(error).split("\n", maxsplit=1)[0].rstrip(".")
        raise BrokenSegmentError(
            f"the log segment is broken: {reason}",
            place=Place(str(path)),
            hint="an engine sets it aside and goes on without its events; `kaicep repair` brings them back",
        ) from error
