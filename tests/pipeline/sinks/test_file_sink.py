"""What others have written for a sink takes its place, also from another disk, and again."""

from __future__ import annotations

import errno
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from kaicep.pipeline.sinks.file_sink import FileSink, take_over
from kaicep.pipeline.sinks.json_lines_sink import JsonLinesSink
from kaicep.pipeline.sinks.parquet_sink import ParquetSink
from support.match_rows import matches


def written(sink: FileSink, folder: Path, *values: float) -> Path:
    """A file that a task has written for a sink."""
    target = sink.target("Q")
    assert target is not None
    target.write(matches(*values), folder / "written")
    return folder / "written"


def test_a_batch_that_comes_again_replaces_its_file(tmp_path: Path) -> None:
    sink = ParquetSink(tmp_path / "sink")
    for values in ((1.0, 2.0), (3.0,)):
        sink.take(7, "Q", written(sink, tmp_path, *values))
        sink.flush()
    (path,) = tmp_path.rglob("*.parquet")
    assert pq.read_table(path)["rate"].to_pylist() == [3.0]
    assert not (tmp_path / "written").exists()
    sink.write(7, "Q", matches(4.0))
    sink.take(7, "Q", written(sink, tmp_path, 5.0))
    sink.flush()
    assert pq.read_table(path)["rate"].to_pylist() == [5.0]


def test_lines_are_appended_and_cut_off(tmp_path: Path) -> None:
    sink, given = JsonLinesSink(tmp_path / "rows.jsonl"), JsonLinesSink(tmp_path / "given.jsonl")
    sink.take(1, "Q", written(sink, tmp_path, 1.0))
    sink.flush()
    state = sink.snapshot()
    sink.take(2, "Q", written(sink, tmp_path, 2.0, 3.0))
    sink.restore(state)
    sink.take(2, "Q", written(sink, tmp_path, 4.0))
    sink.close()
    given.write(1, "Q", matches(1.0))
    given.write(2, "Q", matches(4.0))
    given.close()
    assert (tmp_path / "rows.jsonl").read_bytes() == (tmp_path / "given.jsonl").read_bytes()
    assert JsonLinesSink("-").target("Q") is None


def test_a_file_on_another_disk_is_copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source, target = tmp_path / "source", tmp_path / "target"
    source.write_bytes(b"rows")
    replace = Path.replace

    def refuse(self: Path, other: Path) -> Path:
        if self == source:
            raise OSError(errno.EXDEV, "Invalid cross-device link")
        return replace(self, other)

    monkeypatch.setattr(Path, "replace", refuse)
    take_over(source, target)
    assert target.read_bytes() == b"rows"
    assert [path.name for path in tmp_path.iterdir()] == ["target"]
