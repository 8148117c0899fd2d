"""Parquet files: one per query and batch, whole or not there."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
import pytest
from kaicep.errors import PipelineError
from kaicep.pipeline.sinks.parquet_sink import ParquetSink
from support.match_rows import matches


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


@pytest.mark.parametrize("label", ["..", "../../x", "."])
def test_a_label_does_not_leave_the_folder(tmp_path: Path, label: str) -> None:
    sink = ParquetSink(tmp_path / "sink")
    sink.write(0, label, matches(1))
    sink.flush()
    (file,) = tmp_path.rglob("*.parquet")
    assert file.parents[1] == tmp_path / "sink"


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


def test_a_place_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(PipelineError) as refused:
        ParquetSink(tmp_path / "file")
    assert str(refused.value) == (
        f"cannot write matches to {tmp_path / 'file'}: File exists: name a place that can be written"
    )
