"""Rows as files of Parquet: typed, each row once."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from kaicep.pipeline.actions import DeliveryError
from kaicep.pipeline.sinks.outgoing.parquet_action import ParquetAction
from support.row_calls import row_call, spec_of


def read(folder: Path) -> list[pa.Table]:
    return [pq.read_table(file) for file in sorted(folder.glob("*.parquet"))]


def test_rows_are_columns_with_types(tmp_path: Path) -> None:
    sink = ParquetAction(spec_of(tmp_path), "rows")
    sink.send([row_call(1, flow=1), row_call(2, flow=None, seen=True)])
    (found,) = read(tmp_path / "rows/warm")
    assert found.select(["_id", "flow", "seen"]).to_pylist() == [
        {"_id": "a1", "flow": 1, "seen": None},
        {"_id": "a2", "flow": None, "seen": True},
    ]
    assert found["_time"].to_pylist() == [datetime(2026, 1, 1, tzinfo=UTC)] * 2


def test_later_files_have_the_types_of_those_before_or_wider_ones(tmp_path: Path) -> None:
    sink = ParquetAction(spec_of(tmp_path), "rows")
    sink.send([row_call(1, flow=1.5, room="B1")])
    sink.send([row_call(2, flow=2)])
    sink.send([row_call(3, flow="none")])
    first, second, third = read(tmp_path / "rows/warm")
    assert second.schema == first.schema
    assert second.select(["flow", "room"]).to_pylist() == [{"flow": 2.0, "room": None}]
    assert third["flow"].to_pylist() == ["none"]


def test_what_a_killed_one_has_written_does_not_come_again(tmp_path: Path) -> None:
    """Half a file is gone, a whole one stands; the next piece may be larger."""
    ParquetAction(spec_of(tmp_path), "rows").send([row_call(1), row_call(2)])
    (tmp_path / "rows/warm/.tmp-1-000000000002.parquet.part").touch()
    (tmp_path / "rows/warm/mine.parquet").touch()
    next_one = ParquetAction(spec_of(tmp_path), "rows")
    next_one.send([row_call(1), row_call(2)])
    next_one.send([row_call(2), row_call(3)])
    (tmp_path / "rows/warm/mine.parquet").unlink()
    assert [row["_id"] for found in read(tmp_path / "rows/warm") for row in found.to_pylist()] == ["a1", "a2", "a3"]
    assert sorted(file.name for file in (tmp_path / "rows/warm").iterdir()) == [
        "000000000001.parquet",
        "000000000002.parquet",
    ]


def test_files_may_be_taken_away(tmp_path: Path) -> None:
    """The next one is numbered behind them, and has their types."""
    sink = ParquetAction(spec_of(tmp_path), "rows")
    sink.send([row_call(1, flow=1.5)])
    (tmp_path / "rows/warm/000000000001.parquet").unlink()
    sink.send([row_call(2, flow=2)])
    (found,) = read(tmp_path / "rows/warm")
    assert found["flow"].to_pylist() == [2.0]
    assert (tmp_path / "rows/warm/000000000002.parquet").exists()


def test_what_is_no_column_is_refused_and_what_passes_tried_again(tmp_path: Path) -> None:
    sink = ParquetAction(spec_of(tmp_path), "rows")
    with pytest.raises(DeliveryError, match="rows of warm do not go into a file: ") as refused:
        sink.send([row_call(1, flow=1), row_call(2, flow="x")])
    assert refused.value.refused
    sink.send([row_call(1, flow=1)])
    (tmp_path / "full").touch()
    with pytest.raises(DeliveryError, match="full/warm cannot be written: ") as away:
        ParquetAction(spec_of(tmp_path), "full").send([row_call(1)])
    assert not away.value.refused
