"""The background writer: it goes on where the store is, and what stops it surfaces."""

from __future__ import annotations

import time
from collections.abc import Iterator
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
