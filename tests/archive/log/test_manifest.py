"""The manifest: which segments a stream has now, each batch in one of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from kaicep.archive.log import EventLog, Position
from kaicep.archive.log.manifest import Manifest
from kaicep.archive.sync.compaction import compact
from kaicep.storage import folder_name
from support.archives import STREAM, readings
from support.small_logs import ALL, contents, files, small_log


@pytest.fixture
def log(tmp_path: Path) -> EventLog:
    return small_log(tmp_path)


def test_killed_before_the_old_segments_go_each_event_is_there_once(log: EventLog) -> None:
    before = contents(log)
    folder = log.path / folder_name(STREAM)
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
    other = Manifest(tmp_path / folder_name(STREAM))
    for batch in range(30):
        log.append(STREAM, batch, readings(1, first=batch))
        assert len(list(other.rows_by_batch())) == batch + 1


def test_what_is_known_of_files_is_forgotten_with_them(log: EventLog) -> None:
    manifest = log.manifest(STREAM)
    for batch in range(6, 60):
        log.append(STREAM, batch, readings(1, first=100 + batch))
        if batch % 10 == 0:
            compact(log, ALL)
            list(manifest.rows_by_batch())
    compact(log, ALL)
    files = {one.path for one in manifest.segments()}
    assert len(files) < 10
    assert set(manifest._facts) <= files


def test_segments_of_the_same_columns_share_what_is_known_of_them(log: EventLog) -> None:
    manifest = log.manifest(STREAM)
    assert len({id(manifest.facts(one.path).schema) for one in manifest.segments()}) == 1


def test_a_file_that_takes_the_place_of_another_is_read_anew(log: EventLog) -> None:
    manifest = log.manifest(STREAM)
    first = manifest.segments()[0]
    assert manifest.facts(first.path).rows == 3
    log.append(STREAM, 0, readings(4))
    assert manifest.facts(first.path).rows == 4


def test_a_batch_is_found_in_the_segment_that_holds_it_or_would(log: EventLog) -> None:
    compact(log, ALL)
    manifest = log.manifest(STREAM)
    together, newest = manifest.segments()
    assert [manifest.holder(Position(0, batch)) for batch in range(7)] == [*5 * [together], newest, None]
    assert [one.path for one in manifest.behind(Position(0, 4))] == [newest.path]
    assert list(manifest.rows_by_batch(Position(0, 3))) == [(Position(0, 4), 3), (Position(0, 5), 3)]
