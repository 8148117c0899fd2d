"""Objects of buckets under the names of `Path`: both say the same."""

from __future__ import annotations

import errno
import pickle
from pathlib import Path
from typing import Any

import obstore
import pytest
from kaicep.storage import BucketPath, StoragePath, is_transient, path_at
from kaicep.storage.shared import bucket_client
from support.buckets import ObjectStorage


@pytest.fixture(name="place")
def _place(object_storage: ObjectStorage) -> BucketPath:
    return path_at(str(object_storage.folder("lake")), object_storage.options)


def told(root: StoragePath) -> list[Any]:
    """What the names of `Path` say."""
    file = root / "log" / "a" / "1.parquet"
    below = {path.name: (path.is_dir(), path.exists()) for path in (root / "log").iterdir()}
    patterns = ("*/*/*.parquet", "*/*", "none/*")
    globbed = [sorted(path.name for path in root.glob(each) if not path.is_dir()) for each in patterns]
    parts = [file.name, file.stem, file.parent.name, file.with_name("x").name, file.match("*.parquet")]
    read = [file.read_bytes(), file.read_text(encoding="utf-8"), file.stat().st_size]
    with file.open("rb") as opened:
        read += [opened.read(2), opened.seek(1), opened.tell(), opened.read(), opened.seek(-2, 2), opened.read()]
    there = [(root / name).exists() for name in ("log", "log/a", "none", "log/a/1.parquet", "log/a/1")]
    return [below, globbed, parts, read, there, (root / "none").is_dir()]


def test_it_says_what_a_path_says(place: BucketPath, tmp_path: Path) -> None:
    for name in ("log/a/1.parquet", "log/a/2.parquet", "log/b/1.json", "log/top.json"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(name.encode())
        (place / name).write_bytes(name.encode())
    assert told(place) == told(tmp_path)
    place.own()
    assert told(place) == told(tmp_path)
    sent = pickle.loads(pickle.dumps(place))  # noqa: S301 - as tasks are sent it
    assert told(sent) == told(tmp_path)
    assert str(place / "log").endswith("/lake/log")
    assert place / "log" == place.anew() / "log"
    assert place / "log" != place / "other"
    for root in (place, tmp_path):
        (root / "log/b/1.json").unlink()
        (root / "log/b/1.json").unlink(missing_ok=True)
        with pytest.raises(FileNotFoundError):
            (root / "log/b/1.json").unlink()
        gone = root / "log/b/1.json"
        for read in (gone.read_bytes, gone.stat, lambda file=gone: file.open("rb")):
            with pytest.raises(FileNotFoundError, match=r"log/b/1.json"):
                read()


def test_what_is_put_where_something_is(place: BucketPath) -> None:
    one, other = place / "a" / "one", place / "a" / "other"
    one.create(b"mine")
    one.create(b"mine")
    with pytest.raises(FileExistsError):
        one.create(b"another's")
    other.write_bytes(b"other")
    with pytest.raises(FileExistsError):
        one.become(other, first=True)
    one.rename(place / "a" / "new")
    (place / "a" / "new").become(other, first=False)
    assert other.read_bytes() == b"mine"
    assert [path.name for path in (place / "a").iterdir()] == ["other"]
    assert place.size == 4


def test_a_copy_whose_answer_was_lost_is_no_other_one(place: BucketPath, monkeypatch: pytest.MonkeyPatch) -> None:
    one, copy, lost = place / "one", obstore.copy, [obstore.exceptions.GenericError("kind: Timeout")]
    one.write_bytes(b"mine")

    def losing(*args: Any, **options: Any) -> None:
        copy(*args, **options)
        if lost:
            raise lost.pop()

    monkeypatch.setattr(obstore, "copy", losing)
    one.become(place / "two", first=True)
    assert (place / "two").read_bytes() == b"mine"
    assert not one.exists()


def test_what_goes_wrong_is_told_as_of_files(
    place: BucketPath, object_storage: ObjectStorage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bucket_client, "PATIENCE_S", 0.1)
    file = place / "file"
    file.write_bytes(b"content")
    reader = file.open("rb")
    object_storage.stop()
    questions = (file.read_bytes, file.stat, file.exists, file.is_dir, lambda: file.write_bytes(b""), place.iterdir)
    for question in questions:
        with pytest.raises(OSError, match="does not answer") as away:
            question()
        assert away.value.errno == errno.ETIMEDOUT
        assert is_transient(away.value)
    assert reader.read() == b"content"
    object_storage.start()
    assert file.read_bytes() == b"content"
