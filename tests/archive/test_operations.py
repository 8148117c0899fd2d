"""Compact, back up, verify: also beside an engine, with messages that say what to do."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pyoxigraph as ox
import pytest
from kaicep.archive import Health, backup, restore, verify
from kaicep.archive.sparql import Solutions
from kaicep.archive.store.graphs import graph_of
from kaicep.archive.sync import CompactionResult, Lag, compact_archive
from kaicep.cli import app
from kaicep.config import Settings
from kaicep.errors import ArchiveError
from support.archives import NINE, PROJECT, STREAM, opened, readings
from typer.testing import CliRunner

STORE_HINT = "move the folder away; the next start builds it again from the log"


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """A project with an archive of five batches."""
    (tmp_path / "kaicep.toml").write_text(PROJECT)
    with opened(tmp_path) as archive:
        for batch in range(5):
            archive.append(batch, {STREAM: readings(30, first=30 * batch)})
        archive.flush()
    return Settings.load(tmp_path)


def segments(root: Path) -> list[Path]:
    return sorted((root / "var/archive/log" / STREAM).iterdir())


def call(*arguments: object) -> tuple[int, str, str]:
    found = CliRunner().invoke(app, [str(a) for a in arguments])
    return found.exit_code, found.stdout, found.stderr


def test_a_sound_archive(settings: Settings) -> None:
    assert verify(settings) == Health({STREAM: 150}, 5, Lag(0, 0), (), ())
    assert compact_archive(settings) == CompactionResult(4, 1)
    assert verify(settings) == Health({STREAM: 150}, 2, Lag(0, 0), (), ())


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


def test_an_archive_that_is_written_is_not_compacted_from_outside(settings: Settings, tmp_path: Path) -> None:
    with opened(tmp_path), pytest.raises(ArchiveError, match="writes this archive: stop it first"):
        compact_archive(settings)


def test_a_broken_segment_is_named(settings: Settings, tmp_path: Path) -> None:
    broken = segments(tmp_path)[2]
    broken.write_bytes(broken.read_bytes()[:-20])
    code, _, said = call("verify", tmp_path)
    assert code == 1
    assert said.startswith(f"{broken}: the log segment is broken: ")
    assert "restore it from a backup" in said


def test_a_log_that_has_lost_its_last_segments(settings: Settings, tmp_path: Path) -> None:
    segments(tmp_path)[-1].unlink()
    said = "the store holds batch 000000-000000000004, the log none behind 000000-000000000003"
    assert verify(settings).store_faults == (f"{said}: segments of the log are lost",)


def test_a_store_that_lacks_events_or_has_others(settings: Settings, tmp_path: Path) -> None:
    store = ox.Store(tmp_path / "var/archive/store")
    graph = graph_of(STREAM, NINE)
    store.remove_graph(ox.NamedNode(graph))
    event = ox.NamedNode("urn:kaicep:event:airflowReport/s9/1")
    other = graph_of(STREAM, NINE.replace(hour=11))
    store.add(ox.Quad(event, event, event, ox.NamedNode(other)))
    store.flush()
    del store
    code, said, wrong = call("verify", tmp_path)
    assert code == 3
    assert said == f"{STREAM}: 150 events\nlog: 5 segments\nstore: 0 events of 0 batches behind the log\n"
    assert wrong == (
        f"<{graph}> has 0 events, the log 60\n<{other}> has 1 events, the log only 0\n"
        "move the store's folder away; the next start builds it again from the log\n"
    )


def test_a_corrupt_store_says_what_to_do_and_is_built_again(settings: Settings, tmp_path: Path) -> None:
    store = tmp_path / "var/archive/store"
    (store / "CURRENT").write_text("nonsense")
    code, _, wrong = call("verify", tmp_path)
    assert code == 3
    assert STORE_HINT in wrong
    shutil.rmtree(store)
    with opened(tmp_path) as archive:
        archive.flush()
    assert verify(settings) == Health({STREAM: 150}, 5, Lag(0, 0), (), ())


def test_a_newer_archive_is_refused(settings: Settings, tmp_path: Path) -> None:
    (tmp_path / "var/archive/format.json").write_text(json.dumps({"format": 99}))
    code, _, wrong = call("verify", tmp_path)
    said = f"{tmp_path / 'var/archive'}: the archive has format 99, and this kaicep knows 3"
    assert (code, wrong) == (1, f"{said}: upgrade kaicep, or choose another path under [archive]\n")


def test_a_store_that_lags_is_sound(settings: Settings, tmp_path: Path) -> None:
    with opened(tmp_path, store=False) as archive:
        archive.append(5, {STREAM: readings(7, first=150)})
    assert verify(settings) == Health({STREAM: 157}, 6, Lag(1, 7), (), ())


def test_commands_say_what_they_did(settings: Settings, tmp_path: Path) -> None:
    assert call("compact", tmp_path) == (0, "4 segments became 1\n", "")
    assert call("backup", tmp_path, tmp_path / "copy") == (0, f"150 events in {tmp_path / 'copy'}\n", "")
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty/kaicep.toml").write_text(PROJECT)
    for command in (("compact",), ("verify",), ("backup", tmp_path / "other")):
        code, _, wrong = call(command[0], tmp_path / "empty", *command[1:])
        assert (code, wrong) == (1, f"{tmp_path / 'empty/var/archive'}: there is no archive: run the project first\n")
    assert settings.streams
