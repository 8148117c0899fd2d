"""Objects, read as files are."""

from __future__ import annotations

import pickle

import pytest
from kaicep.errors import PipelineError
from kaicep.storage import BucketFile, BucketFolder, bucket_files
from support.buckets import ObjectStorage


@pytest.fixture
def lake(object_storage: ObjectStorage) -> BucketFolder:
    folder = object_storage.folder("in")
    for name in ("b.json", "a.json", "c.csv"):
        folder.write(name, [name.encode()])
    folder.inside("deep").write("d.json", [b"d"])
    return folder


@pytest.mark.parametrize(
    ("place", "names"),
    [
        ("in", ["a.json", "b.json", "c.csv"]),
        ("in/", ["a.json", "b.json", "c.csv"]),
        ("in/a.json", ["a.json"]),
        ("in/*.json", ["a.json", "b.json"]),
        ("in/deep/*", ["d.json"]),
    ],
)
def test_a_url_means_objects(lake: BucketFolder, place: str, names: list[str]) -> None:
    found = bucket_files(f"s3://{lake.bucket}/{place}", lake.options)
    assert [file.name for file in found] == names
    assert all(str(file).startswith(f"s3://{lake.bucket}/in/") for file in found)


def test_what_is_not_there_is_told(lake: BucketFolder) -> None:
    for place in ("in/missing.json", "in/*.xml", "elsewhere/"):
        with pytest.raises(PipelineError, match="there is nothing at s3://"):
            bucket_files(f"s3://{lake.bucket}/{place}", lake.options)


def test_an_object_is_read(lake: BucketFolder) -> None:
    file = BucketFile(lake, "a.json")
    assert (file.read_bytes(), file.open("rb").read(), file.suffix, file.stem) == (b"a.json", b"a.json", ".json", "a")
    assert not file.is_dir()
    sent = pickle.loads(pickle.dumps(file))  # noqa: S301 - our own
    assert sent == file
    assert "_content" not in vars(sent)
    assert sent.read_bytes() == b"a.json"
