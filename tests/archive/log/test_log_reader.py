"""The event log as it is read: in order of arrival, by anyone, each id once."""

from __future__ import annotations

import tempfile
from datetime import UTC, datetime
from pathlib import Path

import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kaicep.archive.log import BrokenSegmentError, EventLog, Position
from kaicep.archive.log.log_reader import LogReader
from support.archives import NINE, SECOND, STREAM, TIME, numbers, readings


@pytest.fixture
def log(tmp_path: Path) -> EventLog:
    return EventLog(tmp_path / "log")


def test_events_come_back_in_order_of_arrival(log: EventLog) -> None:
    log.append(STREAM, 0, readings(3, first=10))
    log.append(STREAM, 2, readings(2, first=5))
    log.append(STREAM, 1, readings(2, first=20))
    assert numbers(log.read(STREAM)) == [10, 11, 12, 20, 21, 5, 6]
    assert log.count(STREAM) == 7
    assert log.time_range(STREAM) == (NINE + 5 * SECOND, NINE + 21 * SECOND)
    assert log.positions() == [Position(0, 0), Position(0, 1), Position(0, 2)]
    assert log.positions(after=Position(0, 1)) == [Position(0, 2)]


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


def test_a_batch_is_read_as_it_was_appended(log: EventLog) -> None:
    log.append("b", 0, readings(2))
    log.append("a", 0, readings(3))
    batch = log.read_batch(Position(0, 0))
    assert {stream: numbers(table) for stream, table in batch.items()} == {"a": [0, 1, 2], "b": [0, 1]}
    assert list(batch) == ["a", "b"]
    assert log.batch_rows(Position(0, 0)) == 5
    assert log.batch_rows(Position(0, 1)) == 0


def test_what_is_appended_later_is_seen_by_a_reader_without_a_lock(log: EventLog) -> None:
    reader = LogReader(log.path)
    assert (reader.first, reader.last, reader.extent()) == (None, None, None)
    log.append(STREAM, 3, readings(2))
    log.append("other", 5, readings(4, first=7))
    assert (reader.first, reader.last) == (Position(0, 3), Position(0, 5))
    assert reader.extent() == (NINE, NINE + 10 * SECOND)
    assert list(reader.rows_by_batch()) == [(Position(0, 3), 2), (Position(0, 5), 4)]


def test_a_reader_leaves_a_broken_segment_where_it_is(log: EventLog) -> None:
    log.append(STREAM, 0, readings(2))
    (path,) = (log.path / STREAM).glob("*.parquet")
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(BrokenSegmentError):
        LogReader(log.path).read(STREAM)
    assert path.exists()
