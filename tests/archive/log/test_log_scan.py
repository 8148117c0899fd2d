"""A scan of the log: split by time, in order, whatever compaction does meanwhile."""

from __future__ import annotations

from pathlib import Path

import pytest
from kaicep.annotator import EventShape
from kaicep.archive.log import EventLog, LogScan, Position
from kaicep.archive.sync.compaction import compact
from support.archives import SHAPE, STREAM
from support.small_logs import ALL, small_log

SHAPES: dict[str, EventShape] = {STREAM: SHAPE}


@pytest.fixture
def log(tmp_path: Path) -> EventLog:
    return small_log(tmp_path)


def test_whoever_reads_meanwhile_reads_on(log: EventLog) -> None:
    history = LogScan(log, SHAPES, upto=Position(0, 3))
    columns = {STREAM: frozenset({"flowrate"})}
    before = history.read(None, None, columns)[STREAM].to_pylist()
    compact(log, ALL)
    assert history.read(None, None, columns)[STREAM].to_pylist() == before
    assert len(before) == 12
