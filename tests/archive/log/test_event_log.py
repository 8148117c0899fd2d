"""The event log: durable, idempotent, in order of arrival, readable by anyone."""

from __future__ import annotations

import os
import tempfile
from datetime import UTC, datetime
from pathlib import Path

import duckdb
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kaicep.archive.log import EventLog
from kaicep.archive.log.segment import Position
from kaicep.errors import ArchiveError
from support.archives import NINE, SECOND, STREAM, TIME, readings


@pytest.fixture
def log(tmp_path: Path) -> EventLog:
    return EventLog(tmp_path / "log")


def numbers(table: pa.Table) -> list[int]:
    return [int(name.rsplit("/", 1)[1]) for name in table["_id"].to_pylist()]


def test_events_come_back_in_order_of_arrival(log: EventLog) -> None:
    log.append(STREAM, 0, readings(3, first=10))
    log.append(STREAM, 2, readings(2, first=5))
    log.append(STREAM, 1, readings(2, first=20))
    assert numbers(log.read(STREAM)) == [10, 11, 12, 20, 21, 5, 6]
    assert log.count(STREAM) == 7
    assert log.time_range(STREAM) == (NINE + 5 * SECOND, NINE + 21 * SECOND)
    assert log.positions() == [Position(0, 0), Position(0, 1), Position(0, 2)]
    assert log.positions(after=Position(0, 1)) == [Position(0, 2)]


def test_a_batch_that_comes_again_changes_nothing(log: EventLog) -> None:
    for _ in range(2):
        log.append(STREAM, 0, readings(3))
        log.append(STREAM, 1, readings(3, first=3))
    assert numbers(log.read(STREAM)) == [0, 1, 2, 3, 4, 5]
    assert log.count(STREAM) == 6


def test_a_batch_that_comes_again_without_events_is_gone(log: EventLog) -> None:
    log.append(STREAM, 0, readings(3))
    log.append(STREAM, 0, readings(0))
    assert log.count(STREAM) == 0
    assert log.positions() == []


def test_a_later_generation_follows_all_earlier_ones(tmp_path: Path) -> None:
    for generation, first in ((1, 10), (0, 0)):
        log = EventLog(tmp_path, generation)
        log.append(STREAM, 7 - generation, readings(2, first))
        log.close()
    assert numbers(EventLog(tmp_path).read(STREAM)) == [0, 1, 10, 11]


def test_the_first_event_of_an_id_wins(log: EventLog) -> None:
    log.append(STREAM, 0, readings(2))
    again = readings(3)
    log.append(STREAM, 1, again.set_column(3, "flowrate", pa.array([77.0, 88.0, 99.0])))
    assert log.read(STREAM)["flowrate"].to_pylist() == [0.0, 0.5, 99.0]


@given(st.lists(st.lists(st.integers(0, 30), max_size=6), max_size=5), st.integers(-1, 31), st.integers(-1, 31))
@settings(max_examples=40, deadline=None)
def test_a_range_is_what_a_scan_finds(batches: list[list[int]], start: int, end: int) -> None:
    rows = [(b, s) for b, seconds in enumerate(batches) for s in seconds]
    with tempfile.TemporaryDirectory() as folder:
        log = EventLog(Path(folder))
        for batch, seconds in enumerate(batches):
            times = pa.array([NINE + s * SECOND for s in seconds], TIME)
            ids = pa.array([f"{batch}/{i}" for i in range(len(seconds))], pa.string())
            log.append(STREAM, batch, pa.table({"_time": times, "_id": ids}))
        found = log.read(STREAM, NINE + start * SECOND, NINE + end * SECOND)
        log.close()
    expected = [NINE + s * SECOND for _, s in rows if start <= s < end]
    assert found["_time"].to_pylist() == expected


def test_only_segments_of_the_range_are_opened(log: EventLog) -> None:
    for batch in range(3):
        log.append(STREAM, batch, readings(10, first=10 * batch))
    assert log.count(STREAM) == 30
    for batch in (0, 2):
        path = log.path / STREAM / f"000000-00000000000{batch}.parquet"
        before = path.stat().st_mtime_ns
        path.write_bytes(b"PAR1 overwritten")
        os.utime(path, ns=(before, before))
    assert numbers(log.read(STREAM, NINE + 12 * SECOND, NINE + 14 * SECOND)) == [12, 13]


def test_columns_that_a_segment_lacks_are_null_and_integers_become_doubles(log: EventLog) -> None:
    first = readings(2).set_column(3, "flowrate", pa.array([1, 2], pa.int64()))
    log.append(STREAM, 0, first)
    log.append(STREAM, 1, readings(2, first=2).append_column("_late", pa.array([True, False])))
    whole = log.read(STREAM)
    assert whole["flowrate"].to_pylist() == [1.0, 2.0, 1.0, 1.5]
    assert whole["_late"].to_pylist() == [None, None, True, False]
    chosen = log.read(STREAM, columns=["flowrate", "nowhere"])
    assert chosen.column_names == ["flowrate", "nowhere"]
    assert chosen["nowhere"].null_count == 4


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


texts = st.none() | st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
doubles = st.none() | st.floats()
integers = st.none() | st.integers(-(2**63), 2**63 - 1)
moments = st.datetimes(datetime(1600, 1, 1), datetime(2600, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001  # zone given


@given(st.lists(st.tuples(moments, texts, doubles, integers), min_size=1, max_size=8))
@settings(max_examples=50, deadline=None)
def test_values_come_back_as_they_were(values: list[tuple[datetime, str | None, float | None, int | None]]) -> None:
    times, strings, floats, whole = (list(column) for column in zip(*values, strict=True))
    table = pa.table(
        {
            "_time": pa.array(times, TIME),
            "_id": pa.array([f"urn:{i}" for i in range(len(values))], pa.string()),
            "text": pa.array(strings, pa.string()),
            "double": pa.array(floats, pa.float64()),
            "integer": pa.array(whole, pa.int64()),
        }
    )
    with tempfile.TemporaryDirectory() as folder:
        log = EventLog(Path(folder))
        log.append("a/b ü.", 0, table)
        assert log.streams() == ("a/b ü.",)
        found = log.read("a/b ü.")
        log.close()
    assert pl.DataFrame(found).equals(pl.DataFrame(table))


def test_streams_that_the_log_lacks_have_no_events(log: EventLog) -> None:
    assert log.streams() == ()
    assert log.read("nobody").column_names == ["_time", "_id"]
    assert log.read("nobody", columns=["x"]).num_rows == 0
    assert log.count("nobody") == 0
    assert log.time_range("nobody") is None


def test_others_read_the_segments(log: EventLog) -> None:
    log.append(STREAM, 0, readings(5))
    query = f"SELECT count(*), max(sensorID), epoch_us(max(_time)) FROM '{log.path}/{STREAM}/*.parquet'"  # ours
    last = (NINE + 4 * SECOND).timestamp() * 1e6
    with duckdb.connect() as connection:
        found = connection.execute(query).fetchall()
    assert found == [(5, "s3", last)]


def test_what_a_killed_writer_left_is_ignored_and_cleaned(log: EventLog) -> None:
    log.append(STREAM, 0, readings(1))
    log.close()
    leftover = log.path / STREAM / ".tmp-1-000000-000000000001.parquet"
    leftover.write_bytes(b"half")
    assert EventLog(log.path).count(STREAM) == 1
    assert leftover.exists()
    log.append(STREAM, 1, readings(1, first=1))
    assert not leftover.exists()


def test_a_batch_is_read_as_it_was_appended(log: EventLog) -> None:
    log.append("b", 0, readings(2))
    log.append("a", 0, readings(3))
    batch = log.read_batch(Position(0, 0))
    assert {stream: numbers(table) for stream, table in batch.items()} == {"a": [0, 1, 2], "b": [0, 1]}
    assert list(batch) == ["a", "b"]
    assert log.batch_rows(Position(0, 0)) == 5
    assert log.batch_rows(Position(0, 1)) == 0


def test_one_process_writes(log: EventLog) -> None:
    log.append(STREAM, 0, readings(1))
    other = EventLog(log.path)
    with pytest.raises(ArchiveError) as error:
        other.append(STREAM, 1, readings(1))
    assert str(error.value) == (
        f"{log.path}: process {__import__('os').getpid()} writes this archive: "
        "stop it first, or choose another path under [archive]"
    )
    log.close()
    other.append(STREAM, 1, readings(1, first=1))
    assert other.count(STREAM) == 2


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "Parquet file size is 0 bytes"),
        (b"PAR1 and then nothing of the kind", None),
    ],
)
def test_a_broken_segment_says_which_and_what_to_do(log: EventLog, content: bytes, reason: str | None) -> None:
    log.append(STREAM, 0, readings(1))
    path = log.path / STREAM / "000000-000000000000.parquet"
    path.write_bytes(content)
    with pytest.raises(ArchiveError) as error:
        log.read(STREAM)
    assert error.value.place is not None
    assert error.value.place.source == str(path)
    assert error.value.hint == "restore it from a backup, or move it away to go on without its events"
    assert error.value.message.startswith("the log segment is broken: " + (reason or "Parquet magic bytes not found"))


def test_types_that_do_not_go_together_are_refused(log: EventLog) -> None:
    log.append(STREAM, 0, readings(1))
    log.append(STREAM, 1, readings(1).set_column(3, "flowrate", pa.array(["high"])))
    with pytest.raises(ArchiveError) as error:
        log.read(STREAM)
    folder = log.path / STREAM
    assert str(error.value) == (
        f"{folder}/000000-000000000001.parquet: column 'flowrate' is string here and double in "
        f"{folder}/000000-000000000000.parquet: the attribute's datatype was changed; ask for columns that leave it out"
    )
    assert log.read(STREAM, columns=["sensorID"]).num_rows == 1


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
