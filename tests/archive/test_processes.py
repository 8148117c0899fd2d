"""Several processes and one archive: killed writers, readers beside a writer."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import pytest
from kaicep.archive import open_read_view
from kaicep.archive.log import EventLog
from kaicep.archive.sparql import Solutions, SparqlRequest
from kaicep.archive.store import OxigraphStore
from kaicep.archive.store.copy_requests import copy_store
from kaicep.archive.store.store_metadata import CommittedOffset
from kaicep.errors import ArchiveError
from support.archives import NINE, SECOND, STREAM, opened, project, readings

COUNT = "SELECT (COUNT(?e) AS ?n) { ?e a e:AirflowReport }"
HERE = Path(__file__).parent
EVENTS, MATCHES = 300, 20


@contextmanager
def process(script: str, folder: Path) -> Iterator[subprocess.Popen[str]]:
    folders = [str(HERE.parent), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(folders)}
    command = [sys.executable, str(HERE / script), str(folder)]
    with subprocess.Popen(
        command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as started:
        try:
            yield started
        finally:
            started.kill()


def ask(reader: subprocess.Popen[str], text: str) -> str:
    assert reader.stdin is not None
    assert reader.stdout is not None
    reader.stdin.write(f"{text}\n")
    reader.stdin.flush()
    return reader.stdout.readline().strip()


def _events_of(progress: CommittedOffset | None) -> int:
    """How many readings a store with this progress holds; in each batch they come before the event of `other`."""
    return 0 if progress is None else EVENTS * progress.position.batch + min(progress.rows, EVENTS)


@pytest.mark.parametrize("seed", range(4))
def test_kill_9_loses_no_acknowledged_batch_and_leaves_none_half_written(tmp_path: Path, seed: int) -> None:
    moment = random.Random(seed)
    with process("writing.py", tmp_path) as writer:
        assert writer.stdout is not None
        acknowledged = int(writer.stdout.readline())
        time.sleep(moment.uniform(0, 0.4))
        writer.kill()
        acknowledged = max([acknowledged, *map(int, writer.stdout.read().split())])
    log = EventLog(tmp_path / "var/archive/log")
    sizes = [log.read_batch(position)[STREAM].num_rows for position in log.positions()]
    assert sizes == [EVENTS] * len(sizes)
    assert len(sizes) in (acknowledged + 1, acknowledged + 2)
    store = OxigraphStore(tmp_path / "var/archive/store", timedelta(minutes=1))
    held, progress = store.answer(SparqlRequest(COUNT), {"e": "http://e/"}), store.committed()
    store.close()
    assert isinstance(held, Solutions)
    assert held.rows == [(_events_of(progress),)]
    with opened(tmp_path) as archive:
        archive.flush()
        whole = archive.query("SELECT (COUNT(?t) AS ?n) (MAX(?t) AS ?last) { ?e a e:AirflowReport ; e:time ?t }")
        assert isinstance(whole, Solutions)
        assert whole.rows == [(EVENTS * len(sizes), NINE + (EVENTS * len(sizes) - 1) * SECOND)]
        matches = archive.matches.log
        kept = [matches.batch_rows(position) for position in matches.positions()]
        assert kept == [MATCHES] * len(kept)
        assert acknowledged + 1 <= len(kept) <= len(sizes)
        found = archive.query("SELECT (COUNT(?m) AS ?n) { ?m a kaicep:Match }")
        assert isinstance(found, Solutions)
        assert found.rows == [(MATCHES * len(kept),)]


def test_another_process_reads_while_the_engine_writes(tmp_path: Path) -> None:
    with opened(tmp_path) as archive, process("reading.py", tmp_path) as reader:
        for batch in range(3):
            archive.append(batch, {STREAM: readings(EVENTS, first=EVENTS * batch)})
            archive.flush()
            assert ask(reader, COUNT) == f"[({EVENTS * (batch + 1)},)]"
    assert list((tmp_path / "var/archive/snapshots").iterdir()) == []


def test_another_process_reads_without_an_engine_and_holds_none_up(tmp_path: Path) -> None:
    with opened(tmp_path) as archive:
        archive.append(0, {STREAM: readings(5)})
        archive.flush()
    with open_read_view(project(tmp_path)) as reader:
        with opened(tmp_path) as archive:
            archive.append(1, {STREAM: readings(5, first=5)})
            archive.flush()
        found = reader.query(COUNT)
        assert isinstance(found, Solutions)
        assert found.rows == [(5,)]
        assert reader.lag.events == 5


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
    with opened(tmp_path) as archive:
        archive.flush()
    assert list(folder.iterdir()) == []


def test_without_an_archive_there_is_nothing_to_read(tmp_path: Path) -> None:
    with pytest.raises(ArchiveError) as error:
        open_read_view(project(tmp_path))
    assert str(error.value) == (
        f"{tmp_path}/var/archive: there is no store: run the project first, with store = true under [archive]"
    )
