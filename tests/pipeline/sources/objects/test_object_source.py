"""Objects are read as files of their format are; of one that is broken, or gone, there is a note."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from kaicep.pipeline.sources import source_streams
from kaicep.pipeline.sources.objects.object_source import ObjectSource
from kaicep.pipeline.sources.records import RawBatch
from kaicep.storage import BucketFile, BucketFolder
from support.buckets import ObjectStorage
from support.object_streams import settings_of


def parquet(values: list[int]) -> bytes:
    sink = pa.BufferOutputStream()
    pq.write_table(pa.table({"v": values}), sink)
    return bytes(sink.getvalue())


CASES: dict[str, dict[str, bytes]] = {
    "json": {"1.json": b'{"v": 1}\n{"v": 2}\r\nno\n', "2.json.gz": gzip.compress(b'{"v": 3}\n'), "3.json": b""},
    "csv": {"1.csv": b"v\n1\n2\n3,4\n", "2.csv": b"v\n3\n"},
    "parquet": {"1.parquet": parquet([1, 2]), "2.parquet": parquet([3])},
}


@pytest.fixture(name="folder")
def _folder(object_storage: ObjectStorage) -> BucketFolder:
    return object_storage.folder("in")


def source_of(root: Path, storage: ObjectStorage, folder: BucketFolder, kind: str, **more: Any) -> ObjectSource:
    found = source_streams(settings_of(root, str(folder), storage, format=kind, **more))["air"]
    assert isinstance(found, ObjectSource)
    return found


def told(batch: RawBatch, place: str) -> tuple[Any, ...]:
    letters = [(one.text, one.reason, one.place.replace(place, "")) for one in batch.malformed]
    places = [batch.place(row).replace(place, "") for row in range(batch.table.num_rows)]
    return batch.table.to_pydict(), letters, places


@pytest.mark.parametrize("kind", CASES)
def test_objects_are_read_as_files(
    tmp_path: Path, object_storage: ObjectStorage, folder: BucketFolder, kind: str
) -> None:
    """Together, as a driver reads them, and one by one, as tasks do."""
    source = source_of(tmp_path, object_storage, folder, kind)
    local = source_streams(settings_of(tmp_path, str(tmp_path), format=kind))["air"]
    files = []
    for name, content in CASES[kind].items():
        folder.write(name, [content])
        (tmp_path / name).write_bytes(content)
        own, expected = source.read([BucketFile(folder, name)]), local.files([str(tmp_path / name)])
        assert told(own, str(folder)) == told(expected, str(tmp_path))
        files.append(BucketFile(folder, name))
    both = source.read(files)
    values = both.table["v"].to_pylist()
    assert [int(value) for value in values] == [1, 2, 3]
    assert both.place(2).startswith(f"{folder}/2.")
    assert len(both.malformed) == (kind != "parquet")


@pytest.mark.parametrize("kind", CASES)
def test_of_what_cannot_be_read_there_is_a_note(
    tmp_path: Path, object_storage: ObjectStorage, folder: BucketFolder, kind: str
) -> None:
    source = source_of(tmp_path, object_storage, folder, kind)
    (name, content), *_ = CASES[kind].items()
    broken = "broken.parquet" if kind == "parquet" else f"broken.{kind}.gz"
    folder.write(name, [content])
    folder.write(broken, [b"\x1f\x8b\x08 and nothing more"])
    found = source.read([BucketFile(folder, each) for each in ("gone.json", name, broken)])
    assert found.table.num_rows == 2
    notes = {one.place.removeprefix(f"{folder}/"): one.reason for one in found.malformed}
    assert "it was gone before it was read" in notes["gone.json"]
    assert notes[broken].startswith("the object cannot be read: ")
    assert source.read([BucketFile(folder, "gone.json")]).table.num_rows == 0
    assert source.read([]).table.num_rows == 0
