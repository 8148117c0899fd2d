"""The event log as it is written: durable, idempotent, by one process."""

from __future__ import annotations

from pathlib import Path

import pytest
from kaicep.archive.log import EventLog, PreparedSegment, plain_table, write_segment
from kaicep.errors import ArchiveError
from support.archives import STREAM, numbers, readings


@pytest.fixture
def log(tmp_path: Path) -> EventLog:
    return EventLog(tmp_path / "log")


def test_a_batch_that_comes_again_changes_nothing(log: EventLog) -> None:
    for _ in range(2):
        log.append(STREAM, 0, readings(3))
        log.append(STREAM, 1, readings(3, first=3))
    assert numbers(log.read(STREAM)) == [0, 1, 2, 3, 4, 5]
    assert log.count(STREAM) == 6


def test_a_batch_that_comes_again_without_events_is_gone(log: EventLog) -> None:
    log.append(STREAM, 0, readings(3))
    log.append(STREAM, 0, readings(0))
    assert log.count(STREAM) == 0
    assert log.positions() == []


def prepared(log: EventLog, name: str, count: int, first: int = 0) -> PreparedSegment:
    """A segment that another process has written."""
    path = log.path / STREAM / f".tmp-segment-{name}"
    write_segment(path, plain_table(readings(count, first)))
    return PreparedSegment(path, count)


def test_a_segment_that_another_process_has_written_counts_when_it_is_appended(log: EventLog) -> None:
    """In the place of what the batch had, as events would; also of a batch that is in a segment of several."""
    log.append(STREAM, 0, readings(3))
    log.append(STREAM, 1, readings(1, first=7))
    waiting = prepared(log, "1", 2, first=3)
    assert log.count(STREAM) == 4
    log.append(STREAM, 1, waiting)
    assert numbers(log.read(STREAM)) == [0, 1, 2, 3, 4]
    log.append(STREAM, 0, prepared(log, "0", 1))
    assert numbers(log.read(STREAM)) == [0, 3, 4]
    log.append(STREAM, 1, PreparedSegment(None))
    assert numbers(log.read(STREAM)) == [0]
    assert not list(Path(str(log.path)).rglob(".tmp-*"))


def test_a_later_generation_follows_all_earlier_ones(tmp_path: Path) -> None:
    for generation, first in ((1, 10), (0, 0)):
        log = EventLog(tmp_path, generation)
        log.append(STREAM, 7 - generation, readings(2, first))
        log.close()
    assert numbers(EventLog(tmp_path).read(STREAM)) == [0, 1, 10, 11]


def test_what_a_killed_writer_left_is_ignored_and_cleaned(log: EventLog) -> None:
    log.append(STREAM, 0, readings(1))
    log.close()
    leftover = log.path / STREAM / ".tmp-1-000000-000000000001.parquet"
    leftover.write_bytes(b"half")
    assert EventLog(log.path).count(STREAM) == 1
    assert leftover.exists()
    log.append(STREAM, 1, readings(1, first=1))
    assert not leftover.exists()


def test_one_process_writes(log: EventLog) -> None:
    log.append(STREAM, 0, readings(1))
    other = EventLog(log.path)
    with pytest.raises(ArchiveError) as error:
        other.append(STREAM, 1, readings(1))
    assert str(error.value) == (
        f"{log.path}: process {__import__('os').getpid()} writes this archive: "
        "stop it first, or choose another path under [archive]"
    )
    log.close()
    other.append(STREAM, 1, readings(1, first=1))
    assert other.count(STREAM) == 2
