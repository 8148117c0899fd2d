"""The background writer: it goes on where the store is, and what stops it surfaces."""

from __future__ import annotations

import errno
import os
import resource
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pytest
from kaicep.archive import Archive
from kaicep.archive.sync import Lag
from kaicep.errors import ArchiveError
from support.archives import STREAM, opened, readings, rows

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


def test_a_damaged_store_stops_nothing_and_is_built_again_once_it_is_moved_away(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with opened(tmp_path) as archive:
        archive.append(0, {STREAM: readings(50)})
        assert archive.flush()
    store = tmp_path / "var/archive/store"
    (store / "CURRENT").write_bytes(b"junk")
    with opened(tmp_path) as archive:
        said = said_within(caplog, "the store cannot be used")
        assert "move the folder away; it is built again from the log" in said
        archive.append(1, {STREAM: readings(50, first=50)})
        assert archive.log.count(STREAM) == 100
        with pytest.raises(ArchiveError, match="the store cannot be used"):
            archive.flush()
        store.rename(tmp_path / "away")
        assert archive.flush(60)
        assert rows(archive, COUNT) == [(100,)]


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
