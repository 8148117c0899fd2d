"""Sinks: what they write, and that a batch delivered again changes nothing."""

from __future__ import annotations

import io
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from kaicep.errors import PipelineError
from kaicep.pipeline.sinks.rows import json_lines, rows
from kaicep.pipeline.sinks.sink import CallbackSink, ConsoleSink, JsonLinesSink, ParquetSink
from rich.console import Console

START = datetime(2026, 1, 1, tzinfo=UTC)
MOMENT = pa.timestamp("us", "UTC")


def matches(*values: float | None) -> pa.Table:
    times = [START + timedelta(milliseconds=500 * i) for i in range(len(values))]
    window = pa.struct([("start", MOMENT), ("end", MOMENT)])
    return pa.table(
        {
            "rate": pa.array(values, pa.float64()),
            "seen": pa.array([[time] for time in times], pa.list_(MOMENT)),
            "_time": pa.array(times, MOMENT),
            "_events": pa.array([{"e": ["urn:a"]} for _ in values], pa.struct([("e", pa.list_(pa.string()))])),
            "_window": pa.array([{"start": START, "end": time} for time in times], window),
            "_id": pa.array([f"{i:032x}" for i in range(len(values))], pa.string()),
        }
    )


def test_rows_have_python_s_values() -> None:
    (row,) = rows(matches(1.5))
    assert row == {
        "rate": 1.5,
        "seen": [START],
        "_time": START,
        "_events": {"e": ["urn:a"]},
        "_window": {"start": START, "end": START},
        "_id": "0" * 32,
    }
    assert row["_time"].utcoffset() == timedelta(0)


def test_json_rows_have_iso_times_at_every_depth() -> None:
    first, second = json_lines(matches(float("nan"), None), "Q").splitlines()
    assert json.loads(first) == {
        "rate": None,
        "seen": ["2026-01-01T00:00:00Z"],
        "_query": "Q",
        "_time": "2026-01-01T00:00:00Z",
        "_events": {"e": ["urn:a"]},
        "_window": {"start": "2026-01-01T00:00:00Z", "end": "2026-01-01T00:00:00Z"},
        "_id": "0" * 32,
    }
    assert list(json.loads(first)) == ["rate", "seen", "_query", "_time", "_events", "_window", "_id"]
    assert json.loads(second)["_window"]["end"] == "2026-01-01T00:00:00.500Z"


def test_json_lines_are_cut_back_to_the_snapshot(tmp_path: Path) -> None:
    path = tmp_path / "new" / "out.jsonl"
    sink = JsonLinesSink(path)
    sink.write(0, "Q", matches(1))
    sink.flush()
    state = json.loads(json.dumps(sink.snapshot()))
    whole = path.read_bytes()
    sink.write(1, "Q", matches(2, 3))
    sink.close()
    again = JsonLinesSink(path)
    again.restore(state)
    assert path.read_bytes() == whole
    again.write(1, "Q", matches(2, 3))
    again.close()
    assert [json.loads(line)["rate"] for line in path.read_text().splitlines()] == [1, 2, 3]


def test_json_lines_go_on_in_a_file_that_was_moved_away(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    sink = JsonLinesSink(path)
    sink.restore({"file": str(path.resolve()), "bytes": 1000})
    sink.write(5, "Q", matches(1))
    assert sink.snapshot()["bytes"] == len(path.read_bytes())
    assert path.read_bytes() == json_lines(matches(1), "Q")


def test_json_lines_of_the_standard_output(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    sink = JsonLinesSink("-")
    sink.write(0, "Q", matches(1))
    sink.flush()
    assert sink.snapshot() == {}
    assert capfdbinary.readouterr().out == json_lines(matches(1), "Q")


def test_a_place_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PipelineError) as caught:
        JsonLinesSink(tmp_path)
    assert str(caught.value) == (
        f"cannot write matches to {tmp_path}: Is a directory: name a place that can be written"
    )
    (tmp_path / "file").touch()
    with pytest.raises(PipelineError) as refused:
        ParquetSink(tmp_path / "file")
    assert str(refused.value) == (
        f"cannot write matches to {tmp_path / 'file'}: File exists: name a place that can be written"
    )


def test_parquet_has_one_file_per_query_and_batch(tmp_path: Path) -> None:
    sink = ParquetSink(tmp_path)
    sink.write(0, "a/b", matches(1))
    sink.write(0, "none", matches())
    sink.write(1, "a/b", matches(2))
    sink.write(1, "a/b", matches(2))
    sink.flush()
    files = sorted(path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file())
    assert files == ["a%2Fb/000000000000.parquet", "a%2Fb/000000000001.parquet"]
    assert pq.read_table(tmp_path / "a%2Fb")["rate"].to_pylist() == [1, 2]


def test_a_batch_without_matches_removes_what_it_had(tmp_path: Path) -> None:
    sink = ParquetSink(tmp_path)
    sink.write(0, "Q", matches(1))
    sink.write(0, "Q", matches())
    sink.flush()
    assert not list(tmp_path.rglob("*.parquet"))


def test_what_a_killed_engine_left_of_a_parquet_file_goes(tmp_path: Path) -> None:
    (tmp_path / "Q").mkdir()
    left = tmp_path / "Q" / ".tmp-1-000000000000.parquet.part"
    left.write_text("half")
    sink = ParquetSink(tmp_path)
    sink.write(0, "Q", matches(1))
    sink.flush()
    assert [path.name for path in (tmp_path / "Q").iterdir()] == ["000000000000.parquet"]


def test_the_console_shows_a_table_on_a_terminal() -> None:
    text = io.StringIO()
    sink = ConsoleSink(Console(file=text, force_terminal=True, width=60, color_system=None), limit=1)
    sink.write(0, "Q", matches(1.25, 2))
    assert "│ 1.25 │" in text.getvalue()
    assert text.getvalue().endswith("… and 1 more\n")


def test_the_console_writes_plain_lines_elsewhere() -> None:
    text = io.StringIO()
    sink = ConsoleSink(Console(file=text), limit=1)
    sink.write(0, "Q", matches(1, 2))
    sink.write(0, "Q", matches())
    assert text.getvalue().encode() == json_lines(matches(1, 2), "Q")


def test_a_callback_gets_each_row() -> None:
    seen: list[tuple[str, dict[str, Any]]] = []
    CallbackSink(lambda query, row: seen.append((query, row))).write(0, "Q", matches(1, 2))
    assert [(query, row["rate"]) for query, row in seen] == [("Q", 1), ("Q", 2)]
