"""A shared folder that is a prefix in a bucket."""

from __future__ import annotations

from typing import Any

import obstore
import pytest
from kaicep.errors import PipelineError
from kaicep.storage import BucketFolder
from kaicep.storage.shared import bucket_client
from support.buckets import ObjectStorage


def test_what_is_large_goes_in_parts(object_storage: ObjectStorage) -> None:
    folder = object_storage.folder("p")
    pieces = [bytes([number]) * 3_000_000 for number in range(7)]
    folder.write("large", pieces)
    assert bytes(folder.read("large")) == b"".join(pieces)
    assert [len(part) for part in folder.open("large").read([(0, 3_000_001), (20_999_999, 21_000_000)])] == [
        3_000_001,
        1,
    ]


def test_a_lost_answer_is_no_other_one(object_storage: ObjectStorage, monkeypatch: pytest.MonkeyPatch) -> None:
    """The object is there, and who has put it was not told."""
    folder, put = object_storage.folder(), obstore.put
    lost = [obstore.exceptions.GenericError("kind: Timeout")]

    def losing(*args: Any, **options: Any) -> Any:
        found = put(*args, **options)
        if lost:
            raise lost.pop()
        return found

    monkeypatch.setattr(obstore, "put", losing)
    assert folder.create("manifest", b"mine")
    assert not lost
    assert not folder.create("manifest", b"other")


def test_two_that_are_under_way_at_once_are_asked_again(
    object_storage: ObjectStorage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """S3 then answers 409, and neither may be there."""
    folder, put = object_storage.folder(), obstore.put
    conflicts = [obstore.exceptions.AlreadyExistsError("409")]

    def conflicting(*args: Any, **options: Any) -> Any:
        if conflicts:
            raise conflicts.pop()
        return put(*args, **options)

    monkeypatch.setattr(obstore, "put", conflicting)
    assert folder.create("manifest", b"mine")
    assert bytes(folder.read("manifest")) == b"mine"


def test_a_bucket_that_is_not_there_is_told(object_storage: ObjectStorage) -> None:
    folder = BucketFolder("no-such-bucket", "a", object_storage.options)
    for ask in (lambda: folder.write("x", [b"1"]), lambda: folder.create("x", b"1"), folder.names):
        with pytest.raises(
            PipelineError, match=r"there is no bucket for s3://no-such-bucket/a.*make it, or name another"
        ):
            ask()


def test_what_is_beside_a_prefix_stays(object_storage: ObjectStorage) -> None:
    folder = object_storage.folder("job")
    beside = BucketFolder(folder.bucket, "job-2", folder.options)
    beside.write("a", [b"1"])
    folder.inside("deep").write("b", [b"2"])
    folder.write("c", [b"3"])
    assert folder.names() == ["c"]
    folder.clear()
    assert (folder.names(), folder.inside("deep").names(), beside.names()) == ([], [], ["a"])


def test_what_cannot_be_cleared_is_told_at_once(
    object_storage: ObjectStorage, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    folder = object_storage.folder("job")
    folder.write("a", [b"1"])
    object_storage.stop()
    monkeypatch.setattr(bucket_client, "PATIENCE_S", 600.0)
    folder.clear()
    assert f"what lies in {folder} is left there" in caplog.text
