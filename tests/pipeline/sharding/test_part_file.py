"""Parts in a file: each read by itself, and believed only where the file is whole."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pyarrow as pa
import pytest
from kaicep.errors import PipelineError
from kaicep.pipeline.sharding.part_file import PartFile, table_bytes, write_parts


def test_parts_are_read_by_name(tmp_path: Path) -> None:
    table = pa.table({"x": [1, 2], "text": ["ä", None]})
    path = tmp_path / "one.parts"
    write_parts(path, {("q", "a", 0): table_bytes(table), ("q", "a", 1): b"", ("state", "ö"): b"123"})
    with PartFile(path) as file:
        assert list(file) == [("q", "a", 0), ("q", "a", 1), ("state", "ö")]
        found = file.table(("q", "a", 0))
        assert found is not None
        assert found.equals(table)
        assert file.content(("q", "a", 1)) == b""
        assert file.content(("state", "ö")) == b"123"
        assert file.content(("state", "o")) is None
        assert file.table(("q", "b", 0)) is None
    assert [kept.name for kept in tmp_path.iterdir()] == ["one.parts"]


def test_a_frame_is_a_part_that_arrow_can_filter(tmp_path: Path) -> None:
    """Polars' views of text have no kernels there."""
    path = tmp_path / "one.parts"
    write_parts(path, {("frame",): table_bytes(pl.DataFrame({"text": ["a", "b"], "x": [1, 2]}))})
    with PartFile(path) as file:
        found = file.table(("frame",))
    assert found is not None
    assert found.filter(pa.array([False, True]))["text"].to_pylist() == ["b"]


@pytest.mark.parametrize("content", [b"", b"KCPARTS", b"0" * 100])
def test_what_is_no_such_file_is_told(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "torn.parts"
    path.write_bytes(content)
    with pytest.raises(PipelineError, match=r"torn\.parts"):
        PartFile(path)


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(PipelineError, match=r"missing\.parts cannot be read.*let all executors reach the same folder"):
        PartFile(tmp_path / "missing.parts")
