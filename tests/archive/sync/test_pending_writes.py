"""Pending writes: what a store lacks of a log, to the row, whatever was torn or comes again."""

from __future__ import annotations

from pathlib import Path

import pytest
from kaicep.archive.log import EventLog, Position
from kaicep.archive.store import HOLDS, CommittedOffset
from kaicep.archive.sync.pending_writes import PendingWrites, held_of
from support.archives import STREAM, readings

FIRST, SECOND = Position(0, 0), Position(0, 1)


@pytest.fixture
def log(tmp_path: Path) -> EventLog:
    """Two batches, of five and of three readings."""
    log = EventLog(tmp_path / "log")
    log.append(STREAM, 0, readings(5))
    log.append(STREAM, 1, readings(3, first=5))
    return log


def pending(log: EventLog, share: int = 1) -> PendingWrites:
    """Rows are written as their number, so that a load tells how many it has."""
    return PendingWrites(log, lambda _, rows: bytes([rows.num_rows]), HOLDS, share)


def test_a_store_without_an_offset_lacks_everything(log: EventLog) -> None:
    writes = pending(log)
    writes.begin(None)
    assert (writes.first, writes.rows, writes.batches) == (FIRST, 8, frozenset([FIRST, SECOND]))
    assert writes.held is None


def test_a_load_takes_as_many_rows_as_fit_batch_by_batch(log: EventLog) -> None:
    writes = pending(log)
    writes.begin(None)
    sizes = []
    while waiting := writes.waiting(3):
        load = writes.load(waiting, 3)
        sizes.append(list(load.quads))
        writes.written(load)
    assert sizes == [[3], [2, 1], [2]]
    assert (writes.first, writes.rows, writes.held) == (None, 0, SECOND)


def test_a_share_makes_loads_smaller(log: EventLog) -> None:
    writes = pending(log, share=10)
    writes.begin(None)
    assert list(writes.load(writes.waiting(20), 20).quads) == [2]


def test_a_batch_that_has_grown_counts_as_a_whole(log: EventLog) -> None:
    writes = pending(log)
    writes.begin(CommittedOffset(SECOND, total=3, rows=3))
    assert writes.first is None
    log.append("other", 1, readings(2))
    writes.note(SECOND, 5)
    assert writes.rows == 5


def test_a_batch_that_is_there_whole_is_not_pending(log: EventLog) -> None:
    writes = pending(log)
    writes.begin(CommittedOffset(FIRST, total=5, rows=5))
    writes.note(FIRST, 5)
    assert writes.batches == frozenset([SECOND])


def test_a_store_holds_all_before_a_batch_of_which_it_has_some(log: EventLog) -> None:
    assert held_of(log, None) is None
    assert held_of(log, CommittedOffset(SECOND, total=3, rows=2)) == SECOND.before
    assert held_of(log, CommittedOffset(SECOND, total=3, rows=3)) == SECOND
