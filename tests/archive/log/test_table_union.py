"""Tables one after the other: the columns of all, and types that go together."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from kaicep.archive.log import EventLog
from kaicep.archive.log.table_union import concatenated, first_of_each_id, select_columns
from kaicep.errors import ArchiveError
from support.archives import STREAM, TIME, readings


@pytest.fixture
def log(tmp_path: Path) -> EventLog:
    return EventLog(tmp_path / "log")


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


def test_no_tables_are_one_without_events() -> None:
    assert concatenated().schema == pa.schema([("_time", TIME), ("_id", pa.string())])


def test_of_an_id_the_first_event_stays() -> None:
    twice = pa.concat_tables([readings(3), readings(3, first=1)])
    kept = first_of_each_id(twice)
    assert kept["flowrate"].to_pylist() == [0.0, 0.5, 1.0, 1.5]
    assert first_of_each_id(kept) is kept


def test_columns_are_in_the_order_that_was_asked_for() -> None:
    chosen = select_columns(readings(1), ["nowhere", "flowrate", "_id"])
    assert chosen.to_pylist() == [{"nowhere": None, "flowrate": 0.0, "_id": readings(1)["_id"][0].as_py()}]
