"""Copies of the store for other processes: made on request, and gone with their readers."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pyoxigraph as ox
import pytest
from kaicep.archive.store import OxigraphStore, copy_requests
from kaicep.archive.store.copy_requests import copy_store
from kaicep.archive.store.oxigraph_folder import open_read_only
from kaicep.errors import ArchiveError
from support.archives import SECOND, STREAM, opened, readings
from support.processes import process

COUNT = "SELECT (COUNT(?e) AS ?n) { ?e a e:AirflowReport }"
EVENTS, MATCHES = 300, 20


def ask(reader: subprocess.Popen[str], text: str) -> str:
    assert reader.stdin is not None
    assert reader.stdout is not None
    reader.stdin.write(f"{text}\n")
    reader.stdin.flush()
    return reader.stdout.readline().strip()


@pytest.mark.slow
def test_another_process_reads_while_the_engine_writes(tmp_path: Path) -> None:
    with opened(tmp_path) as archive, process("archive_reader", tmp_path) as reader:
        for batch in range(3):
            archive.append(batch, {STREAM: readings(EVENTS, first=EVENTS * batch)})
            archive.flush()
            assert ask(reader, COUNT) == f"[({EVENTS * (batch + 1)},)]"
    assert list((tmp_path / "var/archive/snapshots").iterdir()) == []


def test_an_engine_that_does_not_answer_is_named(tmp_path: Path) -> None:
    with opened(tmp_path) as archive:
        archive.flush()
    path = tmp_path / "var/archive/store"
    store = OxigraphStore(path, SECOND)
    with pytest.raises(ArchiveError) as error, copy_store(tmp_path / "var/archive", timeout=0.1):
        pass
    store.close()
    assert str(error.value) == (
        f"{path}: process {os.getpid()} has the store open and does not answer: try again, or stop it"
    )
    assert list((tmp_path / "var/archive/snapshots").iterdir()) == []


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """An archive with a few events, which nobody has open."""
    with opened(tmp_path) as archive:
        archive.append(0, {STREAM: readings(5)})
        archive.flush()
    return tmp_path / "var" / "archive"


@pytest.fixture
def killed(tmp_path: Path) -> Path:
    """The archive of a writer that was killed: of 2,001 quads that it has written one is in RocksDB's log alone."""
    writes = """
import os, sys
import pyoxigraph as ox
store = ox.Store(sys.argv[1])
quads = b"".join(b"<urn:s:%d> <urn:p> <urn:o> <urn:g> .\\n" % number for number in range(2000))
store.bulk_load(quads, format=ox.RdfFormat.N_QUADS)
store.load(b"<urn:s> <urn:p> <urn:o> <urn:g> .\\n", format=ox.RdfFormat.N_QUADS)
os._exit(9)
"""
    with opened(tmp_path):
        pass
    root = tmp_path / "var" / "archive"
    shutil.rmtree(root / "store")
    assert subprocess.run([sys.executable, "-c", writes, str(root / "store")], check=False).returncode == 9
    return root


def test_what_a_killed_writer_has_left_is_copied_as_it_lies_there(killed: Path) -> None:
    """Also what is in RocksDB's log alone; the store is not opened, and its files stay as they are."""
    before = {file.name: file.stat().st_mtime_ns for file in (killed / "store").iterdir()}
    with copy_store(killed) as copy:
        assert len(ox.Store.read_only(str(copy))) == 2001
        linked = [file for file in copy.glob("*.sst") if file.stat().st_nlink > 1]
        assert linked
    assert not copy.exists()
    assert {file.name: file.stat().st_mtime_ns for file in (killed / "store").iterdir()} == before


def test_a_backup_has_all_that_a_killed_writer_has_left(killed: Path, tmp_path: Path) -> None:
    copy_requests.backup_store(killed, tmp_path / "backup", timeout=1.0)
    assert len(ox.Store.read_only(str(tmp_path / "backup"))) == 2001


def test_half_a_copy_that_a_killed_writer_has_left_is_made_anew(root: Path, tmp_path: Path) -> None:
    """By whoever has asked, who finds the store free then, and by another writer."""
    half = root / "snapshots" / "x.unfinished"

    def leave_half() -> None:
        half.mkdir(parents=True)
        (half / "CURRENT").write_text("half of it", encoding="utf-8")

    leave_half()
    with copy_store(root) as copy:
        assert len(ox.Store.read_only(str(copy))) == len(ox.Store.read_only(str(root / "store")))
    for ending in (".request", ".alive"):
        half.with_suffix(ending).touch()
    with opened(tmp_path):
        copy_requests.answer_requests(root, lambda folder: folder.mkdir())
    assert half.with_suffix("").is_dir()


def test_an_engine_that_starts_while_files_are_copied_has_the_store(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The copy is made anew, and has what the engine has written; it was alone for that, so as to come to an end."""
    quads, copied, refused = b"<urn:s> <urn:p> <urn:o> <urn:g> .\n", copy_requests._copy_file, []

    def disturbed(file: Path, to: Path) -> None:
        try:
            engine = OxigraphStore(root / "store", SECOND, timeout=0.0)
        except ArchiveError:
            refused.append(file)
        else:
            engine.add(quads)
            engine.close()
        copied(file, to)

    monkeypatch.setattr(copy_requests, "_copy_file", disturbed)
    with copy_store(root) as copy:
        assert list(ox.Store.read_only(str(copy)).quads_for_pattern(ox.NamedNode("urn:s"), None, None))
        assert len(refused) == len(list(copy.iterdir()))
    assert list((root / "snapshots").iterdir()) == []


def test_damage_that_is_met_while_an_engine_starts_is_met_again_or_none(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tries = []

    def beside_a_writer(path: Path) -> ox.Store:
        tries.append(path)
        if len(tries) == 1:
            OxigraphStore(path, SECOND, timeout=0.0).close()
            raise ArchiveError("a file is gone")
        return open_read_only(path)

    monkeypatch.setattr(copy_requests, "open_read_only", beside_a_writer)
    with copy_store(root) as copy:
        assert len(ox.Store.read_only(str(copy))) > 5
    assert len(tries) == 2


def test_copies_of_killed_readers_are_removed(tmp_path: Path) -> None:
    opened(tmp_path).close()
    folder = tmp_path / "var/archive/snapshots"
    (folder / "orphan").mkdir(parents=True)
    alive = folder / "dead.alive"
    alive.touch()
    os.utime(alive, (0, 0))
    (folder / "dead").mkdir()
    (folder / "young.alive").write_text("999999")  # it had its lock, a moment ago
    (folder / "young").mkdir()
    with opened(tmp_path) as archive:
        archive.flush()
    assert list(folder.iterdir()) == []
