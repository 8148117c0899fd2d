"""Backups: whole, also beside an engine, and put back only where nothing is."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from kaicep.archive import Archive, Health, backup, restore, verify
from kaicep.archive.sparql import Solutions
from kaicep.archive.sync import Lag, compact_archive
from kaicep.cli import app
from kaicep.config import Settings
from kaicep.errors import ArchiveError
from support.archives import PROJECT, STREAM, archived_project, opened, readings
from support.found import COUNT_MATCHES, QUERY, fill_with_matches, flushed_rows
from typer.testing import CliRunner


@pytest.fixture(name="settings")
def _settings(tmp_path: Path) -> Settings:
    return archived_project(tmp_path)


def test_a_backup_made_beside_an_engine_is_an_archive(settings: Settings, tmp_path: Path) -> None:
    with opened(tmp_path) as archive:
        archive.append(5, {STREAM: readings(30, first=150)})
        archive.flush()
        assert backup(settings, tmp_path / "copy") == 180
        assert verify(settings).events == {STREAM: 180}
    with opened(tmp_path, path="copy") as copy:
        assert copy.flush()
        found = copy.query("SELECT (COUNT(?e) AS ?n) { ?e a e:AirflowReport }")
        assert isinstance(found, Solutions)
        assert found.rows == [(180,)]
        assert copy.lag == Lag(0, 0)


def test_a_backup_overwrites_nothing(settings: Settings, tmp_path: Path) -> None:
    with pytest.raises(ArchiveError) as error:
        backup(settings, tmp_path)
    assert str(error.value) == f"{tmp_path}: the backup's folder is not empty: name a new one"


def test_a_backup_is_put_back_where_no_archive_is(settings: Settings, tmp_path: Path) -> None:
    copy, archive = tmp_path / "copy", tmp_path / "var/archive"
    backup(settings, copy)
    said = (
        f"{archive}: the project has an archive: "
        "stop the engine and move that folder away first, or name another path under [archive]\n"
    )
    assert CliRunner().invoke(app, ["restore", str(copy), str(tmp_path)]).stderr == said
    shutil.rmtree(archive)
    assert CliRunner().invoke(app, ["restore", str(copy), str(tmp_path)]).stdout == f"150 events in {archive}\n"
    assert verify(settings) == Health({STREAM: 150}, 5, Lag(0, 0), (), ())
    assert list(archive.parent.iterdir()) == [archive]
    with pytest.raises(ArchiveError) as error:
        restore(settings, tmp_path / "nothing")
    assert str(error.value) == f"{tmp_path / 'nothing'}: there is no archive: run the project first"


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Archive]:
    with opened(tmp_path) as archive:
        yield archive


def command(*arguments: object) -> tuple[int, str, str]:
    found = CliRunner().invoke(app, [str(a) for a in arguments])
    return found.exit_code, found.stdout, found.stderr


@pytest.mark.slow
def test_they_are_backed_up_compacted_verified_and_restored(tmp_path: Path) -> None:
    (tmp_path / "kaicep.toml").write_text(PROJECT)
    settings = Settings.load(tmp_path)
    with opened(tmp_path) as archive:
        fill_with_matches(archive)
        archive.flush()
        assert backup(settings, tmp_path / "copy") == 120
    said = f"{STREAM}: 120 events\n{QUERY}: 120 matches\nlog: 6 segments\nstore: 0 events of 0 batches behind the log\n"
    assert command("verify", tmp_path) == (0, said, "")
    assert (compact_archive(settings).before, compact_archive(settings).before) == (4, 0)
    assert verify(settings).matches == {QUERY: 120}
    shutil.rmtree(tmp_path / "var")
    restore(settings, tmp_path / "copy")
    assert command("verify", tmp_path) == (0, said, "")
    shutil.rmtree(tmp_path / "var/archive/store")
    with opened(tmp_path) as archive:
        assert flushed_rows(archive, COUNT_MATCHES) == [(120,)]
    with opened(tmp_path, store=False) as archive:
        fill_with_matches(archive, range(3, 5))
    assert verify(settings).lag == Lag(2, 80, 80)
    assert "store: 80 events and 80 matches of 2 batches behind the log" in command("verify", tmp_path)[1]
    assert command("sparql", COUNT_MATCHES, "-p", tmp_path, "--format", "csv") == (0, "n\n200\n", "")
    assert verify(settings).lag == Lag(0, 0)
