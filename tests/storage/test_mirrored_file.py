"""Mirrored files: one damaged file loses nothing, and two are told."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from kaicep.storage import (
    DamagedFileError,
    is_damaged,
    is_intact,
    mirrored_files,
    read_mirrored,
    remove_mirrored,
    write_mirrored,
)


def flip(path: Path, at: int) -> None:
    content = bytearray(path.read_bytes())
    content[at] ^= 1
    path.write_bytes(bytes(content))


HARM: dict[str, Callable[[Path], object]] = {
    "missing": lambda path: path.unlink(),
    "empty": lambda path: path.write_bytes(b""),
    "truncated": lambda path: path.write_bytes(path.read_bytes()[:-3]),
    "digest": lambda path: flip(path, 5),
    "number": lambda path: flip(path, 65),
    "line": lambda path: flip(path, 66),
    "content": lambda path: flip(path, -1),
}


@pytest.fixture(name="file")
def _file(tmp_path: Path) -> Path:
    path = tmp_path / "new" / "x.json"
    write_mirrored(path, b"first")
    write_mirrored(path, b"second")
    return path


@pytest.mark.parametrize("harm", HARM)
@pytest.mark.parametrize("mirror", [False, True])
def test_one_of_the_two_is_enough(file: Path, harm: str, caplog: pytest.LogCaptureFixture, *, mirror: bool) -> None:
    HARM[harm](file.with_name(".x.json.copy") if mirror else file)
    assert is_damaged(file)
    assert not is_intact(file)
    assert read_mirrored(file) == b"second"
    assert mirrored_files(file.parent, "[a-z]*.json") == [file]
    said = [record.getMessage() for record in caplog.records]
    assert said == ([] if mirror else [f"{file} is lost or damaged: its mirror is used"])
    write_mirrored(file, b"third")
    assert read_mirrored(file) == b"third"
    assert is_intact(file)
    assert not is_damaged(file)


def unreadable(monkeypatch: pytest.MonkeyPatch, *bad: Path) -> None:
    """Let files lie on bad sectors."""
    plain = Path.read_bytes

    def read_bytes(path: Path) -> bytes:
        if path in bad:
            raise OSError(errno.EIO, os.strerror(errno.EIO), str(path))
        return plain(path)

    monkeypatch.setattr(Path, "read_bytes", read_bytes)


@pytest.mark.parametrize("mirror", [False, True])
def test_one_that_can_be_read_is_enough(file: Path, monkeypatch: pytest.MonkeyPatch, *, mirror: bool) -> None:
    unreadable(monkeypatch, file.with_name(".x.json.copy") if mirror else file)
    assert read_mirrored(file) == b"second"
    assert is_damaged(file)
    write_mirrored(file, b"third")
    monkeypatch.undo()
    assert read_mirrored(file) == b"third"
    assert is_intact(file)


def test_that_neither_can_be_read_is_an_error_of_the_machine(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    unreadable(monkeypatch, file, file.with_name(".x.json.copy"))
    with pytest.raises(OSError, match="Input/output error"):
        read_mirrored(file)


@pytest.mark.parametrize("mirror", [False, True])
def test_an_older_version_of_one_does_not_count(file: Path, *, mirror: bool) -> None:
    one = file.with_name(".x.json.copy") if mirror else file
    before = one.read_bytes()
    write_mirrored(file, b"third")
    one.write_bytes(before)
    assert read_mirrored(file) == b"third"


@pytest.mark.parametrize("harm", ["empty", "truncated", "digest", "content"])
def test_damage_of_both_is_told(file: Path, harm: str) -> None:
    HARM[harm](file)
    HARM[harm](file.with_name(".x.json.copy"))
    with pytest.raises(DamagedFileError):
        read_mirrored(file)


def test_files_of_earlier_versions_are_read(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text("{}")
    assert not is_damaged(path)
    assert read_mirrored(path) == b"{}"
    write_mirrored(path, b"[]")
    assert read_mirrored(path) == b"[]"


def test_what_is_removed_is_gone(file: Path) -> None:
    remove_mirrored(file)
    assert list(file.parent.iterdir()) == []
    with pytest.raises(FileNotFoundError):
        read_mirrored(file)


@pytest.mark.parametrize(("sync_mirror", "count"), [(True, 3), (False, 2)])
def test_how_often_the_disk_is_waited_for(
    file: Path, monkeypatch: pytest.MonkeyPatch, *, sync_mirror: bool, count: int
) -> None:
    synced: list[Path] = []
    monkeypatch.setattr("kaicep.storage.atomic_write.fsync", synced.append)
    write_mirrored(file, b"third", sync_mirror=sync_mirror)
    assert (len(synced), synced[-1]) == (count, file.parent)
    assert read_mirrored(file) == file.with_name(".x.json.copy").read_bytes().partition(b"\n")[2] == b"third"
