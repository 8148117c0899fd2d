"""Verification: what is wrong with log and store, and what to do."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pyoxigraph as ox
import pytest
from kaicep.archive import Archive, Health, verify
from kaicep.archive.store.graphs import graph_of, match_graph_of
from kaicep.archive.sync import CompactionResult, Lag, compact_archive
from kaicep.cli import app
from kaicep.config import Settings
from support.archives import NINE, PROJECT, STREAM, archived_project, opened, readings
from support.found import QUERY, fill_with_matches
from typer.testing import CliRunner

STORE_HINT = "sets it aside, and builds it again from the log"


@pytest.fixture(name="settings")
def _settings(tmp_path: Path) -> Settings:
    return archived_project(tmp_path)


def segments(root: Path) -> list[Path]:
    return sorted((root / "var/archive/log" / STREAM).iterdir())


def call(*arguments: object) -> tuple[int, str, str]:
    found = CliRunner().invoke(app, [str(a) for a in arguments])
    return found.exit_code, found.stdout, found.stderr


def test_a_sound_archive(settings: Settings) -> None:
    assert verify(settings) == Health({STREAM: 150}, 5, Lag(0, 0), (), ())
    assert compact_archive(settings) == CompactionResult(4, 1)
    assert verify(settings) == Health({STREAM: 150}, 2, Lag(0, 0), (), ())


def test_a_broken_segment_is_named(settings: Settings, tmp_path: Path) -> None:
    broken = segments(tmp_path)[2]
    broken.write_bytes(broken.read_bytes()[:-20])
    code, _, said = call("verify", tmp_path)
    assert code == 1
    assert said.startswith(f"{broken}: the log segment is broken: ")
    assert "`kaicep repair` brings them back" in said


def test_a_log_that_has_lost_its_last_segments(settings: Settings, tmp_path: Path) -> None:
    segments(tmp_path)[-1].unlink()
    said = "the store holds batch 000000-000000000004, the log none behind 000000-000000000003"
    found = verify(settings)
    assert found.store_faults == (f"{said}: segments of the log are lost",)
    assert found.log_lacks


def test_a_store_that_lacks_events_may_be_built_again(settings: Settings, tmp_path: Path) -> None:
    store = ox.Store(tmp_path / "var/archive/store")
    store.remove_graph(ox.NamedNode(graph_of(STREAM, NINE)))
    store.flush()
    del store
    found = verify(settings)
    assert len(found.store_faults) == 1
    assert not found.log_lacks


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
        "`kaicep repair` brings back what the log has lost\n"
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
    said = f"{tmp_path / 'var/archive'}: the archive has format 99, and this kaicep knows 4"
    assert (code, wrong) == (1, f"{said}: upgrade kaicep, or choose another path under [archive]\n")


def test_a_store_that_lags_is_sound(settings: Settings, tmp_path: Path) -> None:
    with opened(tmp_path, store=False) as archive:
        archive.append(5, {STREAM: readings(7, first=150)})
    assert verify(settings) == Health({STREAM: 157}, 6, Lag(1, 7), (), ())


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Archive]:
    with opened(tmp_path) as archive:
        yield archive


def command(*arguments: object) -> tuple[int, str, str]:
    found = CliRunner().invoke(app, [str(a) for a in arguments])
    return found.exit_code, found.stdout, found.stderr


def test_faults_of_matches_are_named(tmp_path: Path) -> None:
    (tmp_path / "kaicep.toml").write_text(PROJECT)
    with opened(tmp_path) as archive:
        fill_with_matches(archive)
        archive.flush()
    store = ox.Store(tmp_path / "var/archive/store")
    graph = match_graph_of(QUERY, NINE)
    store.remove_graph(ox.NamedNode(graph))
    store.flush()
    del store
    code, _, wrong = command("verify", tmp_path)
    assert (code, wrong.splitlines()[0]) == (3, f"<{graph}> has 0 matches, the log 60")
    (lost,) = (tmp_path / "var/archive/origins").glob("[!.]*")
    for path in lost.parent.iterdir():
        path.unlink()
    code, _, wrong = command("verify", tmp_path)
    said = f"[Errno 2] No such file or directory: '{lost}'"
    assert (code, wrong) == (1, f"{lost}: what matches come from cannot be read: {said}: restore it from a backup\n")
