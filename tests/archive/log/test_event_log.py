"""The event log: durable, idempotent, in order of arrival, readable by anyone."""

from __future__ import annotations

import tempfile
from datetime import UTC, datetime
from pathlib import Path

import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kaicep.archive.log import EventLog, Position
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


@pytest.mark.slow
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


texts = st.none() | st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
doubles = st.none() | st.floats()
integers = st.none() | st.integers(-(2**63), 2**63 - 1)
moments = st.datetimes(datetime(1600, 1, 1), datetime(2600, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001  # zone given


@pytest.mark.slow
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
