"""Copies of the store for other processes: made on request, and gone with their readers."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from kaicep.archive.store import OxigraphStore
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
