"""Parts in a file: each read by itself, and believed only where the file is whole."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pyarrow as pa
import pytest
from kaicep.errors import PipelineError
from kaicep.pipeline.sharding.part_file import PartFile, write_parts
from kaicep.storage import LocalFolder, SharedFolder
from support.buckets import ObjectStorage


@pytest.fixture(params=["local", "bucket"])
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> SharedFolder:
    if request.param == "local":
        return LocalFolder(tmp_path)
    storage: ObjectStorage = request.getfixturevalue("object_storage")
    return storage.folder("parts")


def test_parts_are_read_by_name(folder: SharedFolder) -> None:
    table = pa.table({"x": [1, 2], "text": ["ä", None]})
    parts = {
        ("q", "a", 0): table,
        ("q", "a", 1): b"",
        ("state", "ö"): b"123",
        ("q", "b", 1): bytes(400_000),
    }
    write_parts(folder, "one.parts", parts)
    with PartFile(folder, "one.parts") as file:
        assert list(file) == list(parts)
        found = file.table(("q", "a", 0))
        assert found is not None
        assert found.equals(table)
        assert file.content(("q", "a", 1)) == b""
        assert file.content(("state", "ö")) == b"123"
        assert file.content(("state", "o")) is None
        assert file.table(("q", "b", 0)) is None
        file.hold([("q", "a", 1), ("missing",), ("state", "ö")])
        assert file.contents([("state", "ö"), ("missing",), ("q", "b", 1)]) == [b"123", None, bytes(400_000)]
    assert folder.names() == ["one.parts"]


def test_a_frame_is_a_part_that_arrow_can_filter(tmp_path: Path) -> None:
    """Polars' views of text have no kernels there."""
    folder = LocalFolder(tmp_path)
    write_parts(folder, "one.parts", {("frame",): pl.DataFrame({"text": ["a", "b"], "x": [1, 2]})})
    with PartFile(folder, "one.parts") as file:
        found = file.table(("frame",))
    assert found is not None
    assert found.filter(pa.array([False, True]))["text"].to_pylist() == ["b"]


@pytest.mark.parametrize("content", [b"", b"KCPARTS", b"0" * 100])
def test_what_is_no_such_file_is_told(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "torn.parts").write_bytes(content)
    with pytest.raises(PipelineError, match=r"torn\.parts"):
        PartFile(LocalFolder(tmp_path), "torn.parts")


def test_a_file_that_is_not_there_is_told(folder: SharedFolder) -> None:
    with pytest.raises(PipelineError, match=r"missing\.parts cannot be read.*let all executors reach the same folder"):
        PartFile(folder, "missing.parts")
