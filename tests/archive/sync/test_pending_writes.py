"""Pending writes: what a store lacks of a log, to the row, whatever was torn or comes again."""

from __future__ import annotations

from pathlib import Path

import pytest
from kaicep.archive.log import EventLog, Position
from kaicep.archive.store import HOLDS, CommittedOffset
from kaicep.archive.sync import pending_writes
from kaicep.archive.sync.compaction import CompactionPolicy, compact
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


def test_however_far_a_store_is_behind_only_the_next_batches_are_in_memory(
    log: EventLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pending_writes, "_MOST", 4)
    for batch in range(2, 20):
        log.append(STREAM, batch, readings(2, first=10 * batch))
    writes = pending(log)
    writes.begin(None)
    log.append(STREAM, 20, readings(1, first=500))
    for _ in range(2):  # said twice, as of a batch that is delivered again
        writes.note(Position(0, 20), 1)
    assert (len(writes.batches), writes.more, writes.rows) == (4, 17, 8 + 36 + 1)
    rows = []
    while waiting := writes.waiting(5):
        load = writes.load(waiting, 5)
        rows += list(load.quads)
        writes.written(load)
    assert (sum(rows), writes.first, writes.rows, writes.more) == (45, None, 0, 0)
    writes.note(Position(0, 21), 2)
    assert writes.batches == frozenset([Position(0, 21)])


def test_batches_that_were_put_together_are_read_at_once(log: EventLog, monkeypatch: pytest.MonkeyPatch) -> None:
    for batch in range(2, 40):
        log.append(STREAM, batch, readings(1, first=10 * batch))
    compact(log, CompactionPolicy(files=2))
    alone: list[Position] = []
    monkeypatch.setattr(log, "read_batch", lambda position: alone.append(position) or {})  # type: ignore[func-returns-value]  # it notes, and gives nothing
    writes = pending(log)
    writes.begin(None)
    load = writes.load(writes.waiting(1000), 1000)
    assert (sum(load.quads), alone) == (5 + 3 + 38, [])
