"""The manifest: which segments a stream has now, each batch in one of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from kaicep.archive.folder_layout import folder_of_stream
from kaicep.archive.log import EventLog
from kaicep.archive.log.manifest import Manifest
from kaicep.archive.sync.compaction import CompactionPolicy, compact
from support.archives import NINE, SECOND, STREAM, readings

ALL = CompactionPolicy(files=2)


@pytest.fixture
def log(tmp_path: Path) -> EventLog:
    log = EventLog(tmp_path / "log")
    for batch in range(6):
        log.append(STREAM, batch, readings(3, first=3 * batch))
    return log


def files(log: EventLog) -> list[str]:
    return sorted(path.name for path in (log.path / folder_of_stream(STREAM)).iterdir())


def contents(log: EventLog) -> list[object]:
    positions = log.positions()
    return [
        log.read(STREAM).to_pylist(),
        log.read(STREAM, NINE + 4 * SECOND, NINE + 11 * SECOND).to_pylist(),
        positions,
        [log.read_batch(p)[STREAM].to_pylist() for p in positions],
        [log.batch_rows(p) for p in positions],
        [log.read_slices(log.slices(STREAM, after=p)).to_pylist() for p in positions],
        [log.read_slices(log.slices(STREAM, upto=p)).to_pylist() for p in positions],
        log.count(STREAM),
        log.time_range(STREAM),
    ]


def test_killed_before_the_old_segments_go_each_event_is_there_once(log: EventLog) -> None:
    before = contents(log)
    folder = log.path / folder_of_stream(STREAM)
    old = {path.name: path.read_bytes() for path in folder.iterdir()}
    compact(log, ALL)
    for name, content in old.items():
        (folder / name).write_bytes(content)
    log.close()
    again = EventLog(log.path)
    assert contents(again) == before
    again.lock()
    assert len(files(again)) == 2
    assert contents(again) == before


def test_a_listing_is_never_out_of_date(tmp_path: Path) -> None:
    log = EventLog(tmp_path)
    other = Manifest(tmp_path / folder_of_stream(STREAM))
    for batch in range(30):
        log.append(STREAM, batch, readings(1, first=batch))
        assert len(other.positions()) == batch + 1
