"""The layout of an archive's folder, and its version."""

from __future__ import annotations

from pathlib import Path

import pytest
from kaicep.archive import ArchivePlace, intake_of
from kaicep.config import Settings
from kaicep.errors import ArchiveError
from support.archives import opened


def test_an_archive_of_a_newer_version_is_left_alone(tmp_path: Path) -> None:
    folder = tmp_path / "var/archive"
    folder.mkdir(parents=True)
    (folder / "format.json").write_text('{"format": 5}')
    with pytest.raises(ArchiveError) as error:
        opened(tmp_path)
    assert str(error.value) == (
        f"{folder}: the archive has format 5, and this kaicep knows 4: "
        "upgrade kaicep, or choose another path under [archive]"
    )


def test_an_unreadable_version_is_named(tmp_path: Path) -> None:
    folder = tmp_path / "var/archive"
    folder.mkdir(parents=True)
    (folder / "format.json").write_text("?")
    with pytest.raises(ArchiveError) as error:
        opened(tmp_path)
    assert str(error.value) == (
        f"{folder}/format.json: the archive's version cannot be read: "
        'write {"format": 4} into it if a kaicep of this version made the archive'
    )


def test_an_archive_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "var").write_text("a file")
    with pytest.raises(ArchiveError) as error:
        opened(tmp_path)
    assert str(error.value) == (
        f"{tmp_path}/var/archive: cannot make the archive: Not a directory: choose another path under [archive]"
    )


def test_an_archive_may_be_there(tmp_path: Path) -> None:
    """Of logs in a bucket nobody asks."""
    settings = Settings.parse({}, root=tmp_path)
    assert not ArchivePlace.of(settings).is_likely
    assert intake_of(tmp_path / "var/archive") is None
    (tmp_path / "var/archive/intake").mkdir(parents=True)
    assert ArchivePlace.of(settings).is_likely
    assert intake_of(tmp_path / "var/archive") == tmp_path / "var/archive/intake"
    elsewhere = Settings.parse({"archive": {"log": "s3://lake/campus", "path": "nowhere"}}, root=tmp_path)
    assert ArchivePlace.of(elsewhere).is_likely
