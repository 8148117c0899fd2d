"""Parquet files that the driver reads: in the order of arrival, with the places of their rows."""

from __future__ import annotations

import errno
import os
from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from kaicep import PipelineError
from kaicep.pipeline.sources.parquet_source import read_files
from kaicep.pipeline.sources.unreadable import GONE, file_state
from kaicep.storage import is_transient

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def test_rows_come_file_by_file(tmp_path: Path) -> None:
    for name, values in (("b", [1, 2]), ("a", [3]), ("c", [4])):
        pq.write_table(pa.table({"x": values}), tmp_path / f"{name}.parquet")
    found, _ = read_files([str(tmp_path / f"{name}.parquet") for name in "bac"], tmp_path)
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
    assert read_files([str(folder / "a.parquet")], tmp_path)[0].table.column_names == ["x", "day"]
    assert read_files([str(folder / "a.parquet")], folder)[0].table.column_names == ["x"]


def test_a_file_that_is_no_parquet_is_set_aside_and_the_others_are_read(tmp_path: Path) -> None:
    """Also one with a column of more levels than Arrow reads."""
    (tmp_path / "a.parquet").write_text("no table, no table at all", encoding="utf-8")
    deep = pa.array([1])
    for _ in range(300):
        deep = pa.StructArray.from_arrays([deep], ["in"])
    pq.write_table(pa.table({"x": deep}), tmp_path / "b.parquet")
    pq.write_table(pa.table({"x": [1, 2]}), tmp_path / "c.parquet")
    paths = [tmp_path / f"{name}.parquet" for name in "abc"]
    found, broken = read_files([str(path) for path in paths], tmp_path)
    assert found.table["x"].to_pylist() == [1, 2]
    assert [found.place(row) for row in (0, 1)] == [f"{paths[2]}, row 1", f"{paths[2]}, row 2"]
    assert [(file.path, file.state) for file in broken] == [(str(path), file_state(path)) for path in paths[:2]]
    assert [file.reason[:35] for file in broken] == [
        "Parquet magic bytes not found in fo",
        "Parquet schema too deeply nested, c",
    ]
    alone, broken = read_files([str(paths[0])], tmp_path)
    assert (alone.table.num_rows, len(broken)) == (0, 1)


@pytest.mark.parametrize("folder", ["", "day=2026-01-01"])
def test_a_file_whose_texts_are_no_utf8_is_set_aside(folder: str, tmp_path: Path) -> None:
    (tmp_path / folder).mkdir(exist_ok=True)
    path = tmp_path / folder / "a.parquet"
    pq.write_table(pa.table({"x": pa.array([b"a", b"\xff"], pa.binary()).view(pa.string())}), path)
    found, (broken,) = read_files([str(path)], tmp_path)
    assert (found.table.num_rows, broken.path, broken.state) == (0, str(path), file_state(path))
    assert broken.reason == "Column 0: In chunk 0: Invalid: Invalid UTF8 sequence at string index 1"


def test_a_file_that_has_gone_is_said_and_the_others_are_read(tmp_path: Path) -> None:
    pq.write_table(pa.table({"x": [1, 2]}), tmp_path / "b.parquet")
    found, (gone,) = read_files([str(tmp_path / f"{name}.parquet") for name in "ab"], tmp_path)
    assert found.table["x"].to_pylist() == [1, 2]
    assert (gone.path, gone.reason, gone.state) == (str(tmp_path / "a.parquet"), GONE, None)


@pytest.mark.parametrize("number", [errno.EACCES, errno.EIO, errno.EMFILE])
def test_a_file_that_may_not_be_read_for_now_is_waited_for(
    tmp_path: Path, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"x": [1, 2]}), path)

    def refuse(*_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(pq, "ParquetFile", refuse)
    with pytest.raises(PipelineError, match=f"cannot read {path}: .*{os.strerror(number)}") as refused:
        read_files([str(path)], tmp_path)
    assert is_transient(refused.value)
