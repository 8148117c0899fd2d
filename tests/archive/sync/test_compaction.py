"""Segments put together: the same log, in fewer files, at any moment."""

from __future__ import annotations

import tempfile
from datetime import timedelta
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kaicep.archive.log import EventLog, Position, manifest, segment
from kaicep.archive.sparql import Solutions
from kaicep.archive.sync.compaction import CompactionPolicy, CompactionResult, compact, compact_archive
from kaicep.config import Settings
from kaicep.errors import ArchiveError
from support.archives import STREAM, archived_project, opened, readings
from support.small_logs import ALL, contents, files, small_log


@pytest.fixture
def log(tmp_path: Path) -> EventLog:
    return small_log(tmp_path)


def test_all_but_the_newest_batch_are_put_together_and_nothing_else_changes(log: EventLog) -> None:
    before = contents(log)
    assert compact(log, ALL) == CompactionResult(5, 1)
    assert files(log) == ["000000-000000000000_000000-000000000004.parquet", "000000-000000000005.parquet"]
    assert contents(log) == before
    assert contents(EventLog(log.path)) == before
    assert compact(log, ALL) == CompactionResult(0, 0)


def test_what_was_put_together_is_put_together_again_when_it_is_small(log: EventLog) -> None:
    compact(log, ALL)
    for batch in range(6, 14):
        log.append(STREAM, batch, readings(3, first=3 * batch))
    before = contents(log)
    assert compact(log, ALL) == CompactionResult(9, 1)
    assert len(files(log)) == 2
    assert contents(log) == before


def test_a_large_segment_is_not_rewritten_for_a_few_events(log: EventLog) -> None:
    compact(log, ALL)
    log.append(STREAM, 6, readings(1, first=18))
    assert compact(log, ALL) == CompactionResult(0, 0)


def test_segments_stay_within_their_limits(log: EventLog) -> None:
    assert compact(log, CompactionPolicy(files=2, rows=6)) == CompactionResult(4, 2)
    assert compact(log, CompactionPolicy(files=2, span=timedelta(seconds=2))) == CompactionResult(0, 0)
    assert compact(log, CompactionPolicy(files=2, size=1)) == CompactionResult(0, 0)


def test_columns_of_other_types_are_not_put_together(log: EventLog) -> None:
    other = readings(3, first=18)
    log.append(STREAM, 6, other.set_column(3, "flowrate", pa.array([1, 2, 3], pa.int64())))
    log.append(STREAM, 7, readings(3, first=21).drop_columns("flowrate"))
    log.append(STREAM, 8, readings(3, first=24))
    before = contents(log)
    assert compact(log, ALL) == CompactionResult(8, 2)
    assert [r.pop("flowrate") for r in log.read_batch(Position(0, 7))[STREAM].to_pylist()] == [None] * 3
    assert contents(log)[0] == before[0]


def test_a_batch_that_comes_again_changes_nothing(log: EventLog) -> None:
    before = contents(log)
    compact(log, ALL)
    names = files(log)
    for batch in range(6):
        log.append(STREAM, batch, readings(3, first=3 * batch))
    assert files(log) == names
    assert contents(log) == before


def test_a_batch_that_comes_again_with_other_events_replaces_them(log: EventLog) -> None:
    compact(log, ALL)
    log.append(STREAM, 2, readings(1, first=6))
    log.append(STREAM, 3, readings(0))
    assert [log.batch_rows(Position(0, b)) for b in range(6)] == [3, 3, 1, 0, 3, 3]
    log.append(STREAM, 3, readings(3, first=9))
    assert [log.batch_rows(Position(0, b)) for b in range(6)] == [3, 3, 1, 3, 3, 3]
    assert len(files(log)) == 2


@pytest.mark.slow
@given(st.lists(st.integers(0, 4), min_size=2, max_size=12), st.integers(1, 12), st.integers(2, 4), st.integers(0, 12))
@settings(max_examples=12, deadline=None)
def test_any_log_says_the_same_before_and_after(sizes: list[int], rows: int, count: int, cut: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        log = EventLog(Path(folder))
        first = 0
        for batch, size in enumerate(sizes):
            log.append(STREAM, batch, readings(size, first=first))
            first += size
            if batch == cut:
                compact(log, CompactionPolicy(files=count, rows=rows))
        one = EventLog(Path(folder) / "other")
        compact(log, CompactionPolicy(files=count, rows=rows))
        first = 0
        for batch, size in enumerate(sizes):
            one.append(STREAM, batch, readings(size, first=first))
            first += size
        assert contents(log) == contents(one)


def test_the_store_catches_up_over_a_compacted_log(tmp_path: Path) -> None:
    with opened(tmp_path, store=False) as archive:
        for batch in range(20):
            archive.append(batch, {STREAM: readings(3, first=3 * batch)})
        archive.tidy()
        assert len(files(archive.log)) == 2
    with opened(tmp_path) as archive:
        archive.flush()
        found = archive.query("SELECT (COUNT(?e) AS ?n) (SUM(?f) AS ?s) { ?e e:flow ?f }")
        assert isinstance(found, Solutions)
        assert found.rows == [(60, 885.0)]
        assert archive.lag.events == 0


@pytest.fixture(name="settings")
def _settings(tmp_path: Path) -> Settings:
    return archived_project(tmp_path)


def test_an_archive_that_is_written_is_not_compacted_from_outside(settings: Settings, tmp_path: Path) -> None:
    with opened(tmp_path), pytest.raises(ArchiveError, match="writes this archive: stop it first"):
        compact_archive(settings)


def test_no_segment_gets_more_batches_than_are_allowed(log: EventLog) -> None:
    before = contents(log)
    compact(log, CompactionPolicy(files=2, batches=3))
    assert [len(log.manifest(STREAM).batches(one)) for one in log.manifest(STREAM).segments()[:1]] == [3]
    assert len(files(log)) == 3
    assert contents(log) == before


def test_a_footer_is_read_once_however_often_there_is_nothing_to_do(
    log: EventLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    compact(log, CompactionPolicy())
    read: list[Path] = []
    facts = segment.segment_facts
    monkeypatch.setattr(manifest, "segment_facts", lambda path: read.append(path) or facts(path))  # type: ignore[func-returns-value]  # it notes the path
    log.append(STREAM, 6, readings(1, first=50))
    for _ in range(3):
        assert compact(log, CompactionPolicy()) == CompactionResult(0, 0)
    assert len(read) <= 1
