"""A scan by batch: what `read_batch` gives of each, each file read once, whatever compaction does meanwhile."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from kaicep.archive.log import EventLog, Manifest, Position, batch_scan, scan_batches
from kaicep.archive.sync.compaction import compact
from support.archives import STREAM, readings
from support.small_logs import ALL


@pytest.fixture
def log(tmp_path: Path) -> EventLog:
    """Forty batches of two streams, one of which misses every third; the first twenty are put together."""
    log = EventLog(tmp_path / "log")
    for batch in range(40):
        log.append(STREAM, batch, readings(3, first=3 * batch))
        if batch % 3:
            log.append("other", batch, readings(1, first=batch))
        if batch == 20:
            compact(log, ALL)
    return log


def read_one_by_one(log: EventLog, after: int, upto: int) -> list[object]:
    found = (Position(0, batch) for batch in range(after + 1, upto + 1))
    return [(position, {s: t.to_pylist() for s, t in log.read_batch(position).items()}) for position in found]


def scanned(log: EventLog, after: Position | None = None, upto: Position | None = None) -> list[object]:
    found = scan_batches(log, after, upto)
    return [(position, {stream: events.to_pylist() for stream, events in tables.items()}) for position, tables in found]


def test_a_scan_gives_every_batch_as_it_was_appended(log: EventLog) -> None:
    assert scanned(log) == read_one_by_one(log, -1, 39)
    assert scanned(log, Position(0, 12), Position(0, 31)) == read_one_by_one(log, 12, 31)
    assert scanned(log, Position(0, 39)) == []
    assert scanned(EventLog(log.path.with_name("none"))) == []


@pytest.mark.parametrize("rows", [1, 4, 10])
def test_however_little_is_taken_at_once_nothing_is_left_out(
    log: EventLog, rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = scanned(log)
    monkeypatch.setattr(batch_scan, "_ROWS", rows)
    assert scanned(log) == whole


def test_a_compaction_in_the_middle_changes_nothing(log: EventLog, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch_scan, "_ROWS", 4)
    whole = scanned(log)
    found = scan_batches(log)
    first = [next(found) for _ in range(5)]
    compact(log, ALL)
    assert [position for position, _ in [*first, *found]] == [Position(0, batch) for batch in range(40)]
    assert scanned(log) == whole


def test_a_file_is_read_once_however_many_batches_it_holds(log: EventLog, monkeypatch: pytest.MonkeyPatch) -> None:
    reads: Counter[str] = Counter()
    read = Manifest.read

    def counted(self: Manifest, path: Path, **rest: Any) -> object:
        reads[f"{path.parent.name}/{path.name}"] += 1
        return read(self, path, **rest)

    monkeypatch.setattr(Manifest, "read", counted)
    assert len(scanned(log)) == 40
    assert set(reads.values()) == {1}
    assert len(reads) == sum(len(log.manifest(stream).segments()) for stream in log.streams())
