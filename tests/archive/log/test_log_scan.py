"""A scan of the log: split by time, in order, whatever compaction does meanwhile."""

from __future__ import annotations

from pathlib import Path

import pytest
from kaicep.annotator import EventShape
from kaicep.archive.log import EventLog, LogScan, Position
from kaicep.archive.sync.compaction import CompactionPolicy, compact
from support.archives import SHAPE, STREAM, readings

ALL = CompactionPolicy(files=2)
SHAPES: dict[str, EventShape] = {STREAM: SHAPE}


@pytest.fixture
def log(tmp_path: Path) -> EventLog:
    log = EventLog(tmp_path / "log")
    for batch in range(6):
        log.append(STREAM, batch, readings(3, first=3 * batch))
    return log


def test_whoever_reads_meanwhile_reads_on(log: EventLog) -> None:
    history = LogScan(log, SHAPES, upto=Position(0, 3))
    columns = {STREAM: frozenset({"flowrate"})}
    before = history.read(None, None, columns)[STREAM].to_pylist()
    compact(log, ALL)
    assert history.read(None, None, columns)[STREAM].to_pylist() == before
    assert len(before) == 12
