"""A folder that machines share does the same wherever it is."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest
from kaicep.errors import PipelineError
from kaicep.storage import BucketFolder, LocalFolder, S3Options, SharedFolder, folder_at, temporary_folder
from support.buckets import ObjectStorage


@pytest.fixture(params=["local", "bucket"])
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> SharedFolder:
    if request.param == "local":
        return LocalFolder(tmp_path)
    storage: ObjectStorage = request.getfixturevalue("object_storage")
    return storage.folder("jobs/one")


def test_what_is_written_is_read(folder: SharedFolder) -> None:
    folder.write("a", [b"12", memoryview(b"345"), b""])
    folder.write("empty", [], sync=False)
    assert bytes(folder.read("a")) == b"12345"
    assert bytes(folder.read("empty")) == b""
    assert sorted(folder.names()) == ["a", "empty"]
    folder.write("a", [b"9"])
    assert bytes(folder.read("a")) == b"9"


def test_places_are_read(folder: SharedFolder) -> None:
    """Those at the end, and those so far before it that they do not come with it; also in any order, and twice."""
    content = bytes(range(256)) * 2_000
    folder.write("a", [content])
    file = folder.open("a")
    assert file.size == len(content)
    ranges = [(511_990, 512_000), (3, 7), (0, 0), (3, 7), (100_000, 300_000), (512_000, 512_000)]
    assert [bytes(part) for part in file.read(ranges)] == [content[start:end] for start, end in ranges]


def test_what_is_not_there_is_told(folder: SharedFolder) -> None:
    for ask in (folder.read, folder.open):
        with pytest.raises(FileNotFoundError):
            ask("missing")
    folder.remove(["missing"])


def test_one_comes_first(folder: SharedFolder) -> None:
    assert folder.create("manifest", b"of one")
    assert not folder.create("manifest", b"of another")
    assert bytes(folder.read("manifest")) == b"of one"
    assert folder.names() == ["manifest"]
    folder.remove(["manifest"])
    assert folder.create("manifest", b"of another")


def test_folders_lie_in_each_other(folder: SharedFolder) -> None:
    inner = folder.inside("inner")
    inner.write("a", [b"1"])
    folder.write("b", [b"2"])
    assert (inner.names(), folder.names()) == (["a"], ["b"])
    assert str(inner) == f"{folder}/inner"
    inner.clear()
    assert folder.names() == ["b"]
    with temporary_folder(folder, "job") as own:
        own.write("c", [b"3"])
        assert str(own).startswith(f"{folder}/job-")
        kept = own
    with pytest.raises(FileNotFoundError):
        kept.read("c")


def test_tasks_are_sent_it(folder: SharedFolder) -> None:
    sent: SharedFolder = pickle.loads(pickle.dumps(folder))  # noqa: S301 - our own
    sent.write("a", [b"1"])
    assert sent == folder
    assert folder.names() == ["a"]


def test_a_place_is_a_path_or_a_bucket(tmp_path: Path) -> None:
    assert folder_at(str(tmp_path)) == folder_at(tmp_path) == LocalFolder(tmp_path)
    options = S3Options(region="eu-central-1")
    bucket = BucketFolder("lake", "a/b", options)
    for url in ("s3://lake/a/b", "s3://lake/a/b/", "s3a://lake/a/b"):
        assert folder_at(url, options) == bucket
    assert folder_at(Path("s3://lake/a/b"), options) == bucket  # which eats a slash
    assert folder_at(bucket) is bucket
    assert str(bucket) == "s3://lake/a/b"
    assert folder_at("s3://lake") == BucketFolder("lake", "", S3Options())
    with pytest.raises(PipelineError, match=r"'s3://' names no bucket: write s3://bucket/prefix"):
        folder_at("s3://")
