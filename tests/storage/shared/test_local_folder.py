"""A shared folder that is a path."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest
from kaicep.storage import LocalFolder


def test_nothing_half_written_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = LocalFolder(tmp_path)
    (tmp_path / ".tmp-7-a.part").write_bytes(b"killed")

    def refuse(*_: object) -> None:
        raise OSError(errno.ENOSPC, "full")

    monkeypatch.setattr("kaicep.storage.shared.local_folder.fsync", refuse)
    with pytest.raises(OSError, match="full"):
        folder.create("manifest", b"1")
    assert folder.names() == []
    assert [path.name for path in tmp_path.iterdir()] == [".tmp-7-a.part"]


def test_without_links_the_last_one_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As with file systems of Windows and some of FUSE."""

    def refuse(*_: object) -> None:
        raise OSError(errno.EOPNOTSUPP, "no links")

    monkeypatch.setattr(Path, "hardlink_to", refuse)
    folder = LocalFolder(tmp_path)
    assert folder.create("manifest", b"1")
    assert folder.create("manifest", b"2")
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [b"2"]


def test_a_folder_within_is_its_user_s_alone(tmp_path: Path) -> None:
    inner = LocalFolder(tmp_path).inside("a")
    assert inner.path.stat().st_mode & 0o777 == 0o700
    assert LocalFolder(tmp_path).inside("a") == inner


def test_what_was_read_stays_when_the_file_goes(tmp_path: Path) -> None:
    folder = LocalFolder(tmp_path)
    folder.write("a", [b"12345"])
    (part,) = folder.open("a").read([(1, 3)])
    folder.remove(["a"])
    assert bytes(part) == b"23"
