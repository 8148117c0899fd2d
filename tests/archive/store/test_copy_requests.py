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


def test_what_a_killed_writer_has_left_is_copied_as_it_lies_there(tmp_path: Path) -> None:
    """Also what is in RocksDB's log alone; the store is not opened, and its files stay as they are."""
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
    before = {file.name: file.stat().st_mtime_ns for file in (root / "store").iterdir()}
    with copy_store(root) as copy:
        assert len(ox.Store.read_only(str(copy))) == 2001
        linked = [file for file in copy.glob("*.sst") if file.stat().st_nlink > 1]
        assert linked
    assert not copy.exists()
    assert {file.name: file.stat().st_mtime_ns for file in (root / "store").iterdir()} == before


def test_half_a_copy_that_a_killed_writer_has_left_is_made_anew(tmp_path: Path) -> None:
    """Whoever asked finds the store free then, and makes its copy itself."""
    with opened(tmp_path) as archive:
        archive.append(0, {STREAM: readings(5)})
        archive.flush()
    store, copy = tmp_path / "var" / "archive" / "store", tmp_path / "copy"
    (tmp_path / "copy.unfinished").mkdir()
    (tmp_path / "copy.unfinished" / "CURRENT").write_text("half of it", encoding="utf-8")
    copy_requests._copy_free(store, copy)
    assert len(ox.Store.read_only(str(copy))) == len(ox.Store.read_only(str(store)))
    assert not (tmp_path / "copy.unfinished").exists()


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
