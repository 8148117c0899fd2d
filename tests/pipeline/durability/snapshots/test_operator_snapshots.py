"""Snapshots are durable, whole or absent, and few."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path
from zipfile import ZipFile

import pytest
from kaicep.errors import PipelineError
from kaicep.pipeline.durability.snapshots.operator_snapshots import OperatorSnapshots


def test_a_snapshot_comes_back_as_it_was(tmp_path: Path) -> None:
    snapshots = OperatorSnapshots(tmp_path)
    snapshots.write(7, {"stream/a": b"\x00\x01", "query/q": b""})
    assert snapshots.newest(7) == (7, {"stream/a": b"\x00\x01", "query/q": b""})
    assert snapshots.newest(6) is None
    assert snapshots.latest() == 7


def test_only_the_last_ones_are_kept(tmp_path: Path) -> None:
    snapshots = OperatorSnapshots(tmp_path)
    for batch in range(6):
        snapshots.write(batch, {"a": b"x"})
    assert [snapshots.newest(b) is not None for b in range(6)] == [False, False, False, True, True, True]


def test_an_unfinished_file_is_no_snapshot(tmp_path: Path) -> None:
    (tmp_path / "000000000004.part").write_bytes(b"half")
    assert OperatorSnapshots(tmp_path).latest() is None


@pytest.mark.parametrize("damage", [lambda _: b"", lambda whole: whole[:-30], lambda whole: whole.replace(b"x", b"y")])
def test_a_damaged_file_is_told_and_put_aside_for_the_one_before(
    tmp_path: Path, damage: Callable[[bytes], bytes]
) -> None:
    told: list[str] = []
    snapshots = OperatorSnapshots(tmp_path, told.append)
    for batch in (2, 3):
        snapshots.write(batch, {"a": b"x" * batch})
    path = tmp_path / "000000000003.snapshot"
    path.write_bytes(damage(path.read_bytes()))
    assert snapshots.newest(3) == (2, {"a": b"xx"})
    (line,) = told
    assert line.startswith("recovery: the snapshot of batch 3 is damaged (")
    assert line.endswith("), and is put aside as 000000000003.damaged")
    assert snapshots.latest() == 2
    assert snapshots.newest(3) == (2, {"a": b"xx"})
    assert told == [line]


@pytest.mark.parametrize(("number", "older"), [(errno.EIO, True), (errno.EMFILE, False)])
def test_one_on_a_bad_sector_is_damaged_and_one_that_cannot_be_opened_now_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, *, older: bool
) -> None:
    snapshots = OperatorSnapshots(tmp_path)
    for batch in (2, 3):
        snapshots.write(batch, {"a": b"x" * batch})
    read = ZipFile.read

    def fail(archive: ZipFile, name: str) -> bytes:
        if str(archive.filename).endswith("3.snapshot"):
            raise OSError(number, os.strerror(number))
        return read(archive, name)

    monkeypatch.setattr(ZipFile, "read", fail)
    if older:
        assert snapshots.newest(3) == (2, {"a": b"xx"})
    else:
        with pytest.raises(OSError, match="Too many open files"):
            snapshots.newest(3)
    monkeypatch.undo()
    assert snapshots.latest() == (2 if older else 3)


def test_a_folder_that_cannot_be_made_is_refused(tmp_path: Path) -> None:
    (tmp_path / "state").touch()
    with pytest.raises(PipelineError) as caught:
        OperatorSnapshots(tmp_path / "state" / "snapshots")
    assert str(caught.value) == (
        f"{tmp_path}/state/snapshots: cannot make the engine's state: Not a directory: "
        "choose another path with state under [engine]"
    )
