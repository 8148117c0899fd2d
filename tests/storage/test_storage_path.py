"""What is written as a whole, be it a file or an object."""

from __future__ import annotations

from pathlib import Path

import pytest
from kaicep.storage import (
    StoragePath,
    fsync,
    make_folder,
    path_at,
    remove_temporaries,
    sorted_files,
    unfinished_files,
    write_atomically,
)
from support.buckets import ObjectStorage


@pytest.fixture(name="places")
def _places(object_storage: ObjectStorage, tmp_path: Path) -> tuple[StoragePath, ...]:
    return tmp_path / "folder", path_at(str(object_storage.folder("lake")), object_storage.options)


def _fail(file: Path) -> None:
    file.write_bytes(b"two")
    message = "it is full"
    raise OSError(message)


def test_files_and_objects_are_there_as_a_whole(places: tuple[StoragePath, ...]) -> None:
    for place in places:
        make_folder(place)
        fsync(place)
        file = place / "file"
        with write_atomically(file) as temporary:
            temporary.write_bytes(b"one")
            assert not file.exists()
        with pytest.raises(OSError, match="full"), write_atomically(file) as temporary:
            _fail(temporary)
        assert file.read_bytes() == b"one"
        assert [path.name for path in place.iterdir()] == ["file"]


def test_what_is_being_written_is_found_anew(places: tuple[StoragePath, ...]) -> None:
    """Also what another process has begun since."""
    for place in places:
        assert unfinished_files(place / "nowhere") == []
        make_folder(place)
        for name in ("b.json", ".tmp-1-a.json.part", ".writer-1", "a.json"):
            (place / name).write_bytes(b"")
        make_folder(place / "below")
        (place / "below" / ".tmp-2").write_bytes(b"")
        assert [path.name for path in unfinished_files(place)] == [".tmp-1-a.json.part"]


def test_what_a_killed_writer_left_is_removed(places: tuple[StoragePath, ...]) -> None:
    for place in places:
        make_folder(place)
        for name in ("b.json", ".tmp-1-a.json.part", "a.json"):
            (place / name).write_bytes(b"")
        remove_temporaries(place)
        assert [path.name for path in sorted_files(place, "*")] == ["a.json", "b.json"]
