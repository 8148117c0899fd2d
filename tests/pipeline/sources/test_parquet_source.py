"""Parquet files that the driver reads: in the order of arrival, with the places of their rows."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from kaicep import PipelineError
from kaicep.pipeline.sources.parquet_source import read_files

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def listing(*files: tuple[Path, int]) -> pa.Table:
    return pa.table({"path": [f"file:{path}" for path, _ in files], "modificationTime": [time for _, time in files]})


def test_rows_come_by_modification_time_then_path(tmp_path: Path) -> None:
    for name, values in (("b", [1, 2]), ("a", [3]), ("c", [4])):
        pq.write_table(pa.table({"x": values}), tmp_path / f"{name}.parquet")
    found = read_files(
        listing((tmp_path / "c.parquet", 2), (tmp_path / "b.parquet", 1), (tmp_path / "a.parquet", 2)), tmp_path
    )
    assert found.table["x"].to_pylist() == [1, 2, 3, 4]
    assert [found.place(row).rpartition("/")[2] for row in (1, 2, 3)] == [
        "b.parquet, row 2",
        "a.parquet, row 1",
        "c.parquet, row 1",
    ]


def test_folders_of_partitions_are_columns(tmp_path: Path) -> None:
    folder = tmp_path / "day=2026-01-01"
    folder.mkdir()
    pq.write_table(pa.table({"x": [1]}), folder / "a.parquet")
    assert read_files(listing((folder / "a.parquet", 1)), tmp_path).table.column_names == ["x", "day"]
    assert read_files(listing((folder / "a.parquet", 1)), folder).table.column_names == ["x"]


def test_a_file_that_is_no_parquet_is_set_aside_and_the_others_are_read(tmp_path: Path) -> None:
    """Also one with a column of more levels than Arrow reads."""
    (tmp_path / "a.parquet").write_text("no table, no table at all", encoding="utf-8")
    deep = pa.array([1])
    for _ in range(300):
        deep = pa.StructArray.from_arrays([deep], ["in"])
    pq.write_table(pa.table({"x": deep}), tmp_path / "b.parquet")
    pq.write_table(pa.table({"x": [1, 2]}), tmp_path / "c.parquet")
    paths = [tmp_path / f"{name}.parquet" for name in "abc"]
    found = read_files(listing(*((path, 1) for path in paths)), tmp_path)
    assert found.table["x"].to_pylist() == [1, 2]
    assert [found.place(row) for row in (0, 1)] == [f"{paths[2]}, row 1", f"{paths[2]}, row 2"]
    assert [(m.text, m.place) for m in found.malformed] == [(str(path), str(path)) for path in paths[:2]]
    assert [m.reason[:60] for m in found.malformed] == [
        "the file cannot be read: Parquet magic bytes not found in fo",
        "the file cannot be read: Parquet schema too deeply nested, c",
    ]
    alone = read_files(listing((paths[0], 1)), tmp_path)
    assert (alone.table.num_rows, len(alone.malformed)) == (0, 1)


def test_a_file_that_has_gone_is_named_with_the_way_out(tmp_path: Path) -> None:
    with pytest.raises(PipelineError) as refused:
        read_files(listing((tmp_path / "a.parquet", 1)), tmp_path)
    assert str(refused.value).startswith(f"cannot read {tmp_path / 'a.parquet'}: ")
    assert refused.value.hint == "see that it is there and may be read; the batch is read again at the next start"
