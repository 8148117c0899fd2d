"""The folder of a store: damage and locks are explained."""

from __future__ import annotations

import errno
import os
from datetime import timedelta
from pathlib import Path

import pyoxigraph as ox
import pytest
from kaicep.archive.store import OxigraphStore, StoreDamagedError
from kaicep.archive.store.oxigraph_folder import damaged, damaged_folders, set_aside
from kaicep.errors import ArchiveError

MINUTE = timedelta(minutes=1)


def test_another_program_may_have_it_open(tmp_path: Path) -> None:
    held = ox.Store(tmp_path / "store")
    with pytest.raises(ArchiveError) as error:
        OxigraphStore(tmp_path / "store", MINUTE)
    assert len(held) == 0
    assert str(error.value) == (
        f"{tmp_path}/store: another program has the store open: "
        "stop it first; `kaicep sparql` can query the store meanwhile"
    )


@pytest.mark.parametrize(
    ("file", "content", "reason"),
    [
        ("CURRENT", b"junk", "Corruption: CURRENT file does not end with newline"),
        ("CURRENT", b"MANIFEST-999999\n", "IO error: No such file or directory"),
    ],
)
def test_a_damaged_store_says_what_to_do(tmp_path: Path, file: str, content: bytes, reason: str) -> None:
    path = tmp_path / "store"
    OxigraphStore(path, MINUTE).close()
    (path / file).write_bytes(content)
    with pytest.raises(ArchiveError) as error:
        OxigraphStore(path, MINUTE)
    assert error.value.message.startswith(f"the store cannot be used: {reason}")
    assert isinstance(error.value, StoreDamagedError)
    assert error.value.hint == (
        "an engine, or the next `kaicep sparql`, sets it aside, and builds it again from the log"
    )
    assert error.value.place is not None
    assert error.value.place.source == str(path)


@pytest.mark.parametrize(
    "number",
    [errno.EIO, errno.ENOSPC, errno.EROFS, errno.EFBIG, errno.EDQUOT, errno.EACCES, errno.EMFILE, errno.ENOMEM],
)
def test_what_is_wrong_with_the_machine_is_no_damage(tmp_path: Path, number: int) -> None:
    """Oxigraph tells it in words alone."""
    said = f"IO error: {os.strerror(number)}: While open a file for appending: store/000012.sst: {os.strerror(number)}"
    found = damaged(tmp_path, RuntimeError(said))
    assert str(found) == f"{tmp_path}: the store cannot be used: {said}: see to the disk"


def test_a_file_in_the_way_is_named(tmp_path: Path) -> None:
    (tmp_path / "store").write_text("a file")
    with pytest.raises(ArchiveError) as error:
        OxigraphStore(tmp_path / "store", MINUTE)
    assert error.value.message.startswith("the store cannot be used: [Errno 17] File exists")


def test_one_damaged_folder_is_kept_unless_the_log_lacks_something(tmp_path: Path) -> None:
    store = tmp_path / "store"
    for number, keep in enumerate((False, False, True, True, False), 1):
        store.mkdir()
        (store / "CURRENT").write_text(str(number))
        assert set_aside(store, keep=keep) == tmp_path / f"store.damaged-{number}"
        kept = [int((folder / "CURRENT").read_text()) for folder in damaged_folders(store)]
        assert kept == {1: [1], 2: [2], 3: [2, 3], 4: [2, 3, 4], 5: [5]}[number]
        assert not store.exists()
