"""The background writer: it goes on where the store is, and what stops it surfaces."""

from __future__ import annotations

import errno
import os
import resource
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from kaicep.archive import Archive, open_read_view
from kaicep.archive.store import OxigraphStore, StoreDamagedError
from kaicep.archive.store.store_copy import StoreCopy
from kaicep.archive.sync import Lag, store_writer
from kaicep.errors import ArchiveError
from support.archives import STREAM, opened, project, readings, rows
from support.receivers import eventually

COUNT = "SELECT (COUNT(?e) AS ?n) { ?e a e:AirflowReport }"


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Archive]:
    with opened(tmp_path) as archive:
        yield archive


@pytest.mark.slow
def test_what_the_store_lacks_it_gets_when_the_archive_is_opened_again(tmp_path: Path) -> None:
    with opened(tmp_path, store=False) as archive:
        archive.append(0, {STREAM: readings(5)})
        archive.append(1, {STREAM: readings(15_000, first=5)})
        assert archive.lag == Lag(0, 0)
    assert not (tmp_path / "var/archive/store").exists()
    with opened(tmp_path) as archive:
        archive.flush()
        assert rows(archive, COUNT) == [(15_005,)]
        assert archive.lag == Lag(0, 0)
    with opened(tmp_path) as archive:
        assert archive.lag == Lag(0, 0)


def test_some_thousand_events_wait_for_more(archive: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    """A few are added at once, as are many; who waits for the store has all of them at once."""
    monkeypatch.setattr(store_writer, "_APART_S", 3600.0)
    monkeypatch.setattr(store_writer, "_MOST_APART_S", 3600.0)
    archive.append(0, {STREAM: readings(1_000)})
    assert eventually(lambda: archive.lag.events == 0)  # the first ones wait for nobody
    archive.append(1, {STREAM: readings(1_000, first=1_000)})
    time.sleep(0.3)
    assert archive.lag.events == 1_000
    archive.flush()
    assert archive.lag.events == 0
    archive.append(2, {STREAM: readings(100, first=2_000)})
    assert eventually(lambda: archive.lag.events == 0)
    archive.append(3, {STREAM: readings(45_000, first=2_100)})
    assert eventually(lambda: archive.lag.events < 40_000)
    assert archive.flush(60.0)
    assert rows(archive, COUNT) == [(47_100,)]


def test_after_a_load_that_took_long_more_wait_for_the_next(archive: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    """Many times as long, and no longer than the longest."""
    monkeypatch.setattr(store_writer, "_APART_S", 0.0)
    archive.append(0, {STREAM: readings(1_000)})
    assert eventually(lambda: archive.lag.events == 0)
    archive.append(1, {STREAM: readings(1_000, first=1_000)})
    assert eventually(lambda: archive.lag.events == 0)
    monkeypatch.setattr(store_writer, "_TIMES", 1e6)
    monkeypatch.setattr(store_writer, "_MOST_APART_S", 3.0)
    archive.append(2, {STREAM: readings(1_000, first=2_000)})
    assert eventually(lambda: archive.lag.events == 0)
    archive.append(3, {STREAM: readings(1_000, first=3_000)})
    time.sleep(0.3)
    assert archive.lag.events == 1_000
    assert eventually(lambda: archive.lag.events == 0)


def test_what_stops_the_writer_surfaces_and_the_log_goes_on(tmp_path: Path) -> None:
    archive = opened(tmp_path)
    archive.append(0, {STREAM: readings(3)})
    archive.flush()
    broken = readings(2, first=3).set_column(1, "_id", pa.array(["urn:> broken", "urn:x"]))
    archive.append(1, {STREAM: broken})
    with pytest.raises(ArchiveError) as error:
        archive.flush()
    assert error.value.message.startswith("events cannot be written to the store: ")
    assert error.value.hint == "check the individual templates and datatypes of the annotation"
    with pytest.raises(ArchiveError):
        archive.append(2, {STREAM: readings(2, first=5)})
    assert archive.log.count(STREAM) == 7
    assert rows(archive, COUNT) == [(3,)]
    archive.close()


def test_a_failure_that_nobody_was_told_surfaces_at_close(tmp_path: Path) -> None:
    archive = opened(tmp_path)
    archive.append(0, {STREAM: readings(2).set_column(1, "_id", pa.array(["urn:> broken", "urn:x"]))})
    while archive._writer is not None and archive._writer._failure is None:
        time.sleep(0.01)
    with pytest.raises(ArchiveError):
        archive.close()
    opened(tmp_path, store=False).close()


@contextmanager
def no_file_longer_than(size: int) -> Iterator[None]:
    """Let the file system refuse whatever is longer, as a full disk does."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


def said_within(caplog: pytest.LogCaptureFixture, text: str) -> str:
    """What is logged with a text, which is waited for."""
    while not (found := [record.getMessage() for record in caplog.records if text in record.getMessage()]):
        time.sleep(0.01)
    return found[0]


def test_the_log_goes_on_while_the_store_cannot_be_written(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with opened(tmp_path) as archive:
        archive.append(0, {STREAM: readings(10)})
        assert archive.flush()
        with no_file_longer_than(20_000):
            for batch in range(1, 4):
                archive.append(batch, {STREAM: readings(600, first=600 * batch)})
            said = said_within(caplog, "the store cannot be used")
            assert said.startswith(f"{tmp_path}/var/archive/store: the store cannot be used: ")
            assert said.endswith("; the log goes on, and the store catches up later")
            assert archive.log.count(STREAM) == 1810
            assert archive.lag.events == 1800
        assert archive.flush(60)
        assert rows(archive, COUNT) == [(1810,)]
        assert said_within(caplog, "the store answers again; it is ")


def test_a_damaged_store_stops_nothing_and_is_built_again(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """It is renamed, which is said once, and whoever asks gets all when it has caught up."""
    with opened(tmp_path) as archive:
        archive.append(0, {STREAM: readings(50)})
        assert archive.flush()
    store = tmp_path / "var/archive/store"
    for number in (1, 2):
        (store / "CURRENT").write_bytes(b"junk")
        caplog.clear()
        with opened(tmp_path) as archive:
            archive.append(number, {STREAM: readings(50, first=50 * number)})
            assert archive.flush(60)
            assert rows(archive, COUNT) == [(50 + 50 * number,)]
            aside = tmp_path / f"var/archive/store.damaged-{number}"
            assert (aside / "CURRENT").read_bytes() == b"junk"
            said = [record.getMessage() for record in caplog.records if "damaged" in record.getMessage()]
            assert [line.startswith("the store cannot be used: Corruption: ") for line in said] == [True]
            assert said[0].endswith(f"; it lies in {aside} now, and is built again from the log")
            while archive.rebuilding:
                time.sleep(0.01)
    assert [path.name for path in store.parent.glob("store.damaged-*")] == ["store.damaged-2"]


def test_of_a_log_that_lacks_something_no_damaged_store_is_removed(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """It may be the only one that has it."""
    with opened(tmp_path) as archive:
        for batch in (0, 1):
            archive.append(batch, {STREAM: readings(50, first=50 * batch)})
        assert archive.flush()
    root = tmp_path / "var/archive"
    first = min((root / "log" / STREAM).glob("*.parquet"))
    first.write_bytes(first.read_bytes()[:100])
    for number in (1, 2):
        (root / "store/CURRENT").write_bytes(b"junk")
        with opened(tmp_path) as archive:
            assert archive.flush(60)
            assert rows(archive, COUNT) == [(50,)]
        assert (root / f"store.damaged-{number}").is_dir()
        said = said_within(caplog, f"damaged-{number}")
        assert said.endswith(", which has lost segments: try `kaicep repair`, which asks both, before you remove it")
    assert len(list(root.glob("store.damaged-*"))) == 2


def test_damage_that_a_reader_meets_twice_is_mended(tmp_path: Path) -> None:
    """Once may have been a moment's fault; whoever writes sees nothing of it."""
    with opened(tmp_path) as archive:
        archive.append(0, {STREAM: readings(50)})
        assert archive.flush()
        store = archive.store
        assert isinstance(store, OxigraphStore)
        for number in (1, 2):
            with pytest.raises(StoreDamagedError, match="block checksum"), store._using():
                raise RuntimeError("Corruption: block checksum mismatch in 000012.sst")
            while store._damage is not None:
                time.sleep(0.01)
            while number == 2 and not (tmp_path / "var/archive/store.damaged-1").exists():
                time.sleep(0.01)  # it is looked at, and not set aside yet
            assert archive.flush(60)
            assert (tmp_path / "var/archive/store.damaged-1").exists() is (number == 2)
        assert rows(archive, COUNT) == [(50,)]


@pytest.mark.parametrize("timeout", [None, 30.0], ids=["here", "in a process of its own"])
def test_damage_that_only_other_processes_meet_is_passed_on(tmp_path: Path, timeout: float | None) -> None:
    """The engine has read all blocks and looks at none of them; readers have copies made of the same files."""
    settings, store = project(tmp_path), tmp_path / "var/archive/store"
    with opened(tmp_path) as archive:
        archive.append(0, {STREAM: readings(50)})
        assert archive.flush()
        settled(archive)
        with open_read_view(settings) as view:
            assert rows(view, COUNT) == [(50,)]
        damage(store)
        with pytest.raises(StoreDamagedError) as met, open_read_view(settings) as view:
            view.query(COUNT, timeout=timeout)
        assert str(met.value).startswith(f"{store}: the store cannot be used: ")
        assert "Corruption: block checksum mismatch" in met.value.message
        assert f"{store}/" in met.value.message
        assert met.value.hint == (
            "it is passed on to the engine, which builds the store again when that is met twice; ask again"
        )
        while not (store.parent / "store.damaged-1").exists():
            with suppress(ArchiveError), open_read_view(settings) as view:  # as it was told to
                view.query(COUNT, timeout=timeout)
        assert archive.flush(60)
        with open_read_view(settings) as view:
            assert rows(view, COUNT) == [(50,)]


def test_who_asks_for_a_copy_of_what_is_damaged_is_answered_by_what_is_built_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings, store = project(tmp_path), tmp_path / "var/archive/store"
    whole = OxigraphStore.backup

    def backup(of: OxigraphStore, target: Path) -> None:
        if not (store.parent / "store.damaged-1").exists():
            raise StoreDamagedError("the store cannot be used: Corruption: block checksum mismatch in 000016.sst")
        whole(of, target)

    with opened(tmp_path) as archive:
        archive.append(0, {STREAM: readings(50)})
        assert archive.flush()
        monkeypatch.setattr(OxigraphStore, "backup", backup)
        with open_read_view(settings) as view:
            assert archive.flush(60)
            assert rows(view, COUNT) in ([(0,)], [(50,)])  # of what was built by then
        assert (store.parent / "store.damaged-1").is_dir()
        with open_read_view(settings) as view:
            assert rows(view, COUNT) == [(50,)]


def settled(archive: Archive) -> None:
    """Have all files of the store put together, so that nothing is done to them in the background."""
    assert isinstance(archive.store, OxigraphStore)
    archive.store.reclaim()


def damage(store: Path) -> None:
    for table in store.glob("*.sst"):
        with table.open("r+b") as file:
            file.seek(20)
            file.write(b"\xff" * 20)


def test_what_another_process_meets_once_is_no_damage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Twice in the same words it is, although each copy lies elsewhere."""

    def corrupt(copy: StoreCopy, *_: object) -> None:
        raise ArchiveError(f"the query cannot be answered: Corruption: block checksum mismatch in {copy.path}/12.sst")

    settings, root = project(tmp_path), tmp_path / "var/archive"
    with opened(tmp_path) as archive:
        assert archive.flush()
        with monkeypatch.context() as patched:
            patched.setattr(StoreCopy, "evaluated", corrupt)
            for number in (1, 2):
                with pytest.raises(StoreDamagedError), open_read_view(settings) as view:
                    view.query(COUNT)
                while list((root / "snapshots").glob("*.damage")):
                    time.sleep(0.01)
                while number == 2 and not (root / "store.damaged-1").exists():
                    time.sleep(0.01)  # it is looked at, and not set aside yet
                assert archive.flush(60)
                assert (root / "store.damaged-1").exists() is (number == 2)


def test_an_error_of_the_disk_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The store is not set aside for it, however often it comes."""
    with opened(tmp_path) as archive:
        assert archive.flush()
        store = archive.store
        assert isinstance(store, OxigraphStore)
        left = [1, 2, 3]
        loaded = store.add

        def add(*arguments: Any) -> None:
            if left:
                left.pop()
                with store._using():
                    raise RuntimeError(f"IO error: While fsync: {os.strerror(errno.EIO)}")
            loaded(*arguments)

        monkeypatch.setattr(store, "add", add)
        archive.append(0, {STREAM: readings(50)})
        assert archive.flush(60)
        assert rows(archive, COUNT) == [(50,)]
    assert (left, list((tmp_path / "var/archive").glob("store.damaged-*"))) == ([], [])


def test_a_segment_that_cannot_be_read_now_is_waited_for(
    archive: Archive, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refuse(path: Path) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO), str(path))

    monkeypatch.setattr("kaicep.archive.log.segment.check_file", refuse)
    archive.append(0, {STREAM: readings(5)})
    assert "the log segment cannot be read: Input/output error" in said_within(caplog, "the log segment")
    monkeypatch.undo()
    assert archive.flush(60)
    assert rows(archive, COUNT) == [(5,)]
