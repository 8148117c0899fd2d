"""Which objects lie below a prefix: whoever owns it, knows."""

from __future__ import annotations

from typing import Any

import obstore
import pytest
from kaicep.storage import BucketFolder
from kaicep.storage.shared.object_listing import ObjectListing
from support.buckets import ObjectStorage

NAMES = ("log/a/1", "log/a/2", "log/b/1", "log/top", "other/x")


@pytest.fixture(name="folder")
def _folder(object_storage: ObjectStorage) -> BucketFolder:
    folder = object_storage.folder("lake")
    for name in NAMES:
        folder.write(name, [name.encode()])
    return folder


def told(listing: ObjectListing) -> list[Any]:
    """What it says of all."""
    children = [{k: v and v.st_size for k, v in listing.children(k).items()} for k in ("", "log", "log/a", "none")]
    return [*children, sorted(listing.names("log")), sorted(listing.names("")), listing.size("log")]


def test_it_says_the_same_whether_it_asks_or_knows(folder: BucketFolder) -> None:
    asking, knowing = ObjectListing(folder), ObjectListing(folder)
    knowing.own("log")
    assert told(asking) == told(knowing)
    assert told(asking)[1] == {"a": None, "b": None, "top": 7}
    knowing.own("")
    assert told(asking) == told(knowing)
    for name in ("log/a/1", "other/x"):
        assert asking.stat(name).st_size == knowing.stat(name).st_size == len(name)
    for listing in (asking, knowing):
        with pytest.raises(FileNotFoundError):
            listing.stat("log/none")


def test_what_is_owned_is_not_asked_for(folder: BucketFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    listing = ObjectListing(folder)
    listing.own("log")
    for name in ("list", "list_with_delimiter", "head"):
        monkeypatch.setattr(obstore, name, None)
    before = listing.mark("log/a"), listing.mark("log/b")
    listing.wrote("log/a/3", 5)
    listing.wrote("log/c/1", 6)
    listing.removed("log/a/1")
    assert {*listing.children("log/a")} == {"2", "3"}
    assert {*listing.children("log")} == {"a", "b", "c", "top"}
    assert listing.stat("log/c/1").st_size == 6
    assert listing.mark("log/a") != before[0]
    assert listing.mark("log/b") == before[1]
    assert listing.mark("other") is None
    first = listing.stat("log/a/3").tag
    listing.wrote("log/a/3", 5)
    assert listing.stat("log/a/3").tag != first


def test_what_is_written_while_it_is_listed_is_there(folder: BucketFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    """By another thread: the list may be older than what that has put."""
    listing, names = ObjectListing(folder), obstore.list
    listing.own("log")
    late = ["log/a/3"]

    def slow(*args: Any, **options: Any) -> Any:
        found = list(names(*args, **options))
        if late:
            folder.write(late[0], [b"late"])
            listing.wrote(late.pop(), 4)
        return found

    monkeypatch.setattr(obstore, "list", slow)
    listing.doubt("log/a/1")
    assert {*listing.children("log/a")} == {"1", "2", "3"}


def test_what_is_in_doubt_is_asked_anew(folder: BucketFolder) -> None:
    listing = ObjectListing(folder)
    listing.own("log")
    folder.remove(["log/a/1"])
    assert "1" in listing.children("log/a")
    listing.doubt("log/a/1")
    assert listing.mark("log/a") is None
    assert {*listing.children("log/a")} == {"2"}
    assert listing.mark("log/a") is not None
    listing.disown("log")
    folder.remove(["log/a/2"])
    assert not listing.children("log/a")
