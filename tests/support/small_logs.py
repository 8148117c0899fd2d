"""Logs of some batches, which are put together."""

from __future__ import annotations

from pathlib import Path

from kaicep.archive.log import EventLog
from kaicep.archive.sync.compaction import CompactionPolicy
from kaicep.storage import folder_name

from .archives import NINE, SECOND, STREAM, readings

ALL = CompactionPolicy(files=2)
"""Whatever can be put together is."""


def small_log(folder: Path) -> EventLog:
    """A log of six batches of three readings."""
    log = EventLog(folder / "log")
    for batch in range(6):
        log.append(STREAM, batch, readings(3, first=3 * batch))
    return log


def files(log: EventLog) -> list[str]:
    """The names of its segments."""
    return sorted(path.name for path in (log.path / folder_name(STREAM)).iterdir())


def contents(log: EventLog) -> list[object]:
    """All that it says of its events, whatever its segments are."""
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
