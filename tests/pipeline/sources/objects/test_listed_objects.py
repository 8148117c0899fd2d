"""Which objects a stream has: each is noted once, in the order of the names."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from kaicep.errors import PipelineError
from kaicep.pipeline.sources.objects.listed_objects import ListedObjects, is_object_source, listings_of, objects_in
from kaicep.storage import BucketFolder
from support.buckets import ObjectStorage
from support.object_streams import put, settings_of


def listed(listing: ListedObjects) -> list[list[str]]:
    """The keys of each file."""
    files = sorted(listing.folder.iterdir())
    assert sorted(files, key=lambda file: file.stat().st_mtime_ns // 1_000_000) == files
    return [[json.loads(line) for line in file.read_text().splitlines()] for file in files]


@pytest.fixture(name="folder")
def _folder(object_storage: ObjectStorage) -> BucketFolder:
    return object_storage.folder("in")


def test_each_is_noted_once_also_by_the_next_engine(
    tmp_path: Path, object_storage: ObjectStorage, folder: BucketFolder
) -> None:
    settings = settings_of(tmp_path, f"{folder}/", object_storage)
    listing = listings_of(settings)["air"]
    assert listing.find() == 0
    put(folder, "b.json", "a.json", ".hidden", "_SUCCESS", "deeper/c.json")
    assert listing.find() == 2
    put(folder, "0.json")
    assert (listing.find(), listing.find()) == (1, 0)
    assert listed(listing) == [["in/a.json", "in/b.json"], ["in/0.json"]]
    again = listings_of(settings)["air"]
    put(folder, "c.json")
    assert (again.find(), again.find()) == (1, 0)
    assert listed(again)[2:] == [["in/c.json"]]
    (first, *_) = sorted(again.folder.iterdir())
    assert [str(one) for one in objects_in(first, f"{folder}/", object_storage.options)] == [
        f"{folder}/a.json",
        f"{folder}/b.json",
    ]


def test_a_batch_has_so_many_at_the_most(tmp_path: Path, object_storage: ObjectStorage, folder: BucketFolder) -> None:
    settings = settings_of(tmp_path, f"{folder}/*.json", object_storage, maxFilesPerTrigger=2)
    put(folder, *(f"{n}.json" for n in range(5)), "x.csv")
    listing = listings_of(settings)["air"]
    listing.find()
    assert listing.bounded
    assert listed(listing) == [["in/0.json", "in/1.json"], ["in/2.json", "in/3.json"], ["in/4.json"]]


def test_what_is_no_object_source(tmp_path: Path) -> None:
    """Spark's jars have `s3a`; formats that only Spark reads are Spark's as well."""
    for path, kind in (("in/", "json"), ("s3a://lake/in", "json"), ("s3://lake/in", "orc")):
        assert not is_object_source(settings_of(tmp_path, path, format=kind).streams["air"].source)
    with pytest.raises(PipelineError, match="objects in a bucket have no 'cleanSource'"):
        listings_of(settings_of(tmp_path, "s3://lake/in", cleanSource="delete"))
