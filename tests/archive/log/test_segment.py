"""A segment: plain Parquet that anybody reads, whole or not there."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from kaicep.archive.log import EventLog, read_segment
from kaicep.archive.log.segment import BrokenSegmentError, check_segment
from kaicep.errors import ArchiveError
from support.archives import NINE, SECOND, STREAM, TIME, numbers, readings


@pytest.fixture
def log(tmp_path: Path) -> EventLog:
    return EventLog(tmp_path / "log")


def test_only_segments_of_the_range_are_opened(log: EventLog) -> None:
    for batch in range(3):
        log.append(STREAM, batch, readings(10, first=10 * batch))
    assert log.count(STREAM) == 30
    for batch in (0, 2):
        path = Path(str(log.path)) / STREAM / f"000000-00000000000{batch}.parquet"
        before = path.stat()
        path.write_bytes(b"PAR1 overwritten".ljust(before.st_size))
        os.utime(path, ns=(before.st_mtime_ns, before.st_mtime_ns))
    assert numbers(log.read(STREAM, NINE + 12 * SECOND, NINE + 14 * SECOND)) == [12, 13]


def test_every_string_type_is_kept_as_plain_strings(log: EventLog) -> None:
    kinds = {
        "large": pa.large_string(),
        "view": pa.string_view(),
        "coded": pa.dictionary(pa.int32(), pa.large_string()),
        "nothing": pa.null(),
    }
    table = readings(2)
    for name, kind in kinds.items():
        column = pa.nulls(2) if kind == pa.null() else pa.array(["a", None], pa.string()).cast(kind)
        table = table.append_column(name, column)
    log.append(STREAM, 0, table.append_column("_row", pa.array([0, 1])))
    found = log.read(STREAM)
    assert {name: found.schema.field(name).type for name in ("large", "view", "coded", "sensorID")} == dict.fromkeys(
        ("large", "view", "coded", "sensorID"), pa.string()
    )
    assert "_row" not in found.column_names
    assert "nothing" not in found.column_names


def test_others_read_the_segments(log: EventLog) -> None:
    log.append(STREAM, 0, readings(5))
    query = f"SELECT count(*), max(sensorID), epoch_us(max(_time)) FROM '{log.path}/{STREAM}/*.parquet'"  # ours
    last = (NINE + 4 * SECOND).timestamp() * 1e6
    with duckdb.connect() as connection:
        found = connection.execute(query).fetchall()
    assert found == [(5, "s3", last)]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "it does not end as a Parquet file"),
        (b"PAR1 and then nothing of the kind", "it does not end as a Parquet file"),
        (b"PAR1 and a footer \xff\xff\0\0PAR1", "its footer is longer than the file"),
    ],
)
def test_a_broken_segment_says_which_and_what_to_do(log: EventLog, content: bytes, reason: str) -> None:
    log.append(STREAM, 0, readings(1))
    path = log.path / STREAM / "000000-000000000000.parquet"
    path.write_bytes(content)
    with pytest.raises(ArchiveError) as error:
        EventLog(log.path).read(STREAM)
    assert str(error.value) == (
        f"{path}: the log segment is broken: {reason}: an engine sets it aside and goes on without its events; "
        "`kaicep repair` brings them back"
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("no _id", "an event table without a column '_id' cannot be archived: archive what the annotator gives"),
        ("null _time", "an event without '_time' cannot be archived: archive what the annotator gives"),
    ],
)
def test_what_is_no_event_table_is_refused(log: EventLog, change: str, message: str) -> None:
    table = readings(2)
    table = table.drop(["_id"]) if change == "no _id" else table.set_column(0, "_time", pa.nulls(2, TIME))
    with pytest.raises(ArchiveError) as error:
        log.append(STREAM, 0, table)
    assert str(error.value) == message
    assert log.count(STREAM) == 0


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "log").mkdir()
    (tmp_path / "log" / STREAM).write_text("in the way")
    with pytest.raises(ArchiveError) as error:
        EventLog(tmp_path / "log").append(STREAM, 0, readings(1))
    assert str(error.value) == (
        f"{tmp_path}/log/{STREAM}/000000-000000000000.parquet: cannot write a log segment: File exists: "
        "free some space or choose another path under [archive]; nothing of it was kept"
    )


def test_rows_in_pieces_are_the_same_segment(log: EventLog) -> None:
    """With the digests of its pages and of its footer, and pieces for row groups."""
    whole, first = readings(30), readings(10)
    log.append(STREAM, 0, whole)
    log.append(STREAM, 1, first, (whole.slice(start, 10) for start in (10, 20)))
    one, other = (log.path / STREAM / f"000000-00000000000{batch}.parquet" for batch in (0, 1))
    assert read_segment(other).equals(read_segment(one))
    assert pq.read_metadata(other).num_row_groups == 3
    assert pq.read_metadata(other).metadata == pq.read_metadata(one).metadata
    content = bytearray(other.read_bytes())
    for place in (10, len(content) // 2, len(content) - 100, len(content) - 9):
        other.write_bytes(bytes([*content[:place], content[place] ^ 1, *content[place + 1 :]]))
        with pytest.raises(BrokenSegmentError):
            check_segment(other)


def test_of_pieces_that_fail_nothing_is_kept(log: EventLog) -> None:
    def pieces() -> Iterator[pa.Table]:
        yield readings(10)
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with pytest.raises(ArchiveError, match="No space left on device"):
        log.append(STREAM, 0, readings(10), pieces())
    assert not list((log.path / STREAM).iterdir())


def test_pieces_may_belong_to_an_earlier_batch(log: EventLog) -> None:
    log.append(STREAM, 1, readings(10))
    log.append(STREAM, 0, readings(10), (readings(10, first=10),))
    assert [log.batch_rows(position) for position in log.positions()] == [20, 10]
