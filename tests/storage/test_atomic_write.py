"""Files that are whole or not there, whoever looks and whenever the writer ends."""

from __future__ import annotations

import errno
import os
import resource
from pathlib import Path

import pytest
from kaicep.storage.atomic_write import append_durably, remove_temporaries, write_atomically


def test_the_old_file_is_there_until_the_new_one_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text("old")
    with write_atomically(path) as temporary:
        temporary.write_text("new")
        assert path.read_text() == "old"
        assert list(tmp_path.glob("*.json")) == [path], "others find no half file by its ending"
    assert path.read_text() == "new"
    assert list(tmp_path.iterdir()) == [path]


def test_an_error_leaves_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text("old")
    with pytest.raises(ZeroDivisionError), write_atomically(path) as temporary:
        temporary.write_text(str(1 / 0))
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_what_a_killed_writer_left_is_removed(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text("old")
    writing = write_atomically(tmp_path / "b.json")
    writing.__enter__().write_text("half")
    assert len(list(tmp_path.iterdir())) == 2
    remove_temporaries(tmp_path)
    assert list(tmp_path.iterdir()) == [path]


def test_of_an_append_that_fails_nothing_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither where there is no room for all of it, nor where it cannot be synced: the next one begins a line."""
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"one\n")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    for room in (0, 3):
        resource.setrlimit(resource.RLIMIT_FSIZE, (4 + room, hard))
        try:
            with pytest.raises(OSError, match=r"No space left|File too large"):
                append_durably(path, b"two two\n")
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        assert path.read_bytes() == b"one\n"
    with monkeypatch.context() as failing:
        failing.setattr(os, "fsync", _refuse)
        with pytest.raises(OSError, match="Input/output error"):
            append_durably(path, b"two\n")
    assert path.read_bytes() == b"one\n"
    append_durably(path, b"three\n")
    assert path.read_bytes() == b"one\nthree\n"


def _refuse(_: int) -> None:
    raise OSError(errno.EIO, os.strerror(errno.EIO))
