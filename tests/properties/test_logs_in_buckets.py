"""A log in a bucket is that of a folder: whatever is done to both, both say the same."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from kaicep.archive.log import EventLog, Position
from kaicep.archive.sync.compaction import CompactionPolicy, compact
from kaicep.archive.sync.retention import RetentionPolicy, drop_segments
from kaicep.storage import BucketPath, folder_at
from support.archives import NINE, SECOND, STREAM, readings
from support.buckets import ObjectStorage


@pytest.fixture(name="logs")
def _logs(object_storage: ObjectStorage, tmp_path: Path) -> tuple[EventLog, EventLog]:
    folder = object_storage.folder("a")
    place = BucketPath.of(f"{folder}/log", object_storage.options)
    return EventLog(tmp_path / "log"), EventLog(place, locks=tmp_path / "locks")


def said(log: EventLog) -> object:
    streams = log.streams()
    return (
        {s: log.read(s).to_pydict() for s in streams},
        {s: [(str(one.first), str(one.last), one.path.name) for one in log.manifest(s).segments()] for s in streams},
        [(str(p), rows) for p, rows in log.rows_by_batch()],
        {s: log.read(s, NINE + 12 * SECOND, NINE + 31 * SECOND, ["_id"]).to_pydict() for s in streams},
        log.extent(),
    )


def test_it(logs):
    for log in logs:
        for batch in range(40):
            log.append(STREAM, batch, readings(10, first=10 * batch))
            if batch % 3 == 0:
                log.append("other", batch, readings(3, first=10 * batch))
    assert said(logs[0]) == said(logs[1])
    for log in logs:
        log.append(STREAM, 39, readings(7, first=390))
        log.append(STREAM, 12, readings(7, first=120))
    assert said(logs[0]) == said(logs[1])
    for log in logs:
        compact(log, CompactionPolicy(files=4))
        log.append(STREAM, 13, readings(5, first=130))
        log.append(STREAM, 40, readings(5, first=400))
    assert said(logs[0]) == said(logs[1])
    others = [EventLog(log.path, locks=None) for log in logs]
    assert said(others[0]) == said(others[1]) == said(logs[0])
    for log in logs:
        drop_segments([(log, Position(0, 39))], RetentionPolicy(timedelta(seconds=60)), NINE + timedelta(hours=3))
    assert said(logs[0]) == said(logs[1])
    assert said(others[1]) == said(logs[0])
    for log in logs:
        log.close()
    again = [EventLog(log.path, locks=tmp) for log, tmp in zip(logs, (None, logs[1]._locks))]
    for log in again:
        log.lock()
    assert again[0].newest == again[1].newest
