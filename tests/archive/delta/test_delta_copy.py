"""A log, copied: each row once, whatever has become of segments meanwhile."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pyarrow as pa
import pytest
from kaicep.archive.delta import DeltaCopy, DeltaPlace, delta_copy
from kaicep.archive.log import EventLog, Position
from kaicep.archive.sync.compaction import compact
from kaicep.errors import ArchiveError
from kaicep.storage import S3Options
from support.archives import STREAM, numbers, readings
from support.small_logs import ALL, small_log


def copy_of(log: EventLog, folder: Path) -> DeltaCopy:
    return DeltaCopy(log, DeltaPlace.of("lake", folder, S3Options(), "mine"), "log")


def copied(folder: Path, stream: str = STREAM) -> list[int]:
    found = pl.scan_delta(str(folder / "lake/log" / stream)).collect()
    return sorted(numbers(found.to_arrow()))


@pytest.mark.parametrize("most", [1, 7, 1_000])
@pytest.mark.parametrize("compacted", [False, True])
def test_a_table_has_what_the_log_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int, compacted: bool
) -> None:
    """However much goes into a commit, and though batches that it has lie beside others in a file now."""
    monkeypatch.setattr(delta_copy, "_ROWS", most)
    log = small_log(tmp_path)
    if compacted:
        compact(log, ALL)
    copy = copy_of(log, tmp_path)
    copy.catch_up()
    assert copied(tmp_path) == list(range(18))
    log.append(STREAM, 6, readings(2, first=18))
    log.append(STREAM, 7, readings(2, first=20))
    if compacted:
        compact(log, ALL)
    for each in (copy, copy_of(log, tmp_path)):
        each.catch_up()
        assert each.held == Position(0, 7)
    assert copied(tmp_path) == list(range(22))
    log.close()


def test_a_batch_that_has_grown_is_completed(tmp_path: Path) -> None:
    log = EventLog(tmp_path / "log")
    log.append(STREAM, 0, readings(3))
    copy_of(log, tmp_path).catch_up()
    log.append(STREAM, 0, readings(5))
    log.append(STREAM, 1, readings(1, first=5))
    copy_of(log, tmp_path).catch_up()
    assert copied(tmp_path) == list(range(6))
    log.close()


def test_late_events_that_came_again_are_there_once(tmp_path: Path) -> None:
    log = EventLog(tmp_path / "log")
    log.append(STREAM, 0, readings(3))
    late = readings(3, first=1).append_column("_late", pa.array([True, True, True]))
    log.append(STREAM, 1, late)
    copy_of(log, tmp_path).catch_up()
    log.append(STREAM, 2, late)
    copy_of(log, tmp_path).catch_up()
    assert copied(tmp_path) == [0, 1, 2, 3]
    log.close()


def test_one_table_that_cannot_be_written_holds_up_no_other(tmp_path: Path) -> None:
    log = EventLog(tmp_path / "log")
    log.append("air", 0, readings(1))
    log.append("sea/deep", 0, readings(2))
    copy = copy_of(log, tmp_path)
    copy.catch_up()
    names = readings(2, first=2).column_names
    log.append("air", 1, readings(2, first=1).set_column(names.index("flowrate"), "flowrate", pa.array(["x", "y"])))
    log.append("sea/deep", 1, readings(1, first=2))
    with pytest.raises(
        ArchiveError, match="column 'flowrate' is double in the table of Delta Lake, and string in the log"
    ):
        copy.catch_up()
    assert copied(tmp_path, "sea~2Fdeep") == [0, 1, 2]
    assert copy.held == Position(0, 0)
    log.close()


def test_a_table_that_is_ahead_of_the_log_is_refused(tmp_path: Path) -> None:
    """As when a backup of the archive was put back: its batches will have numbers that the table has already."""
    log = small_log(tmp_path)
    copy_of(log, tmp_path).catch_up()
    copy_of(log, tmp_path).check([STREAM, "other"])
    log.close()
    restored = EventLog(tmp_path / "restored")
    restored.append(STREAM, 3, readings(1))
    ahead = r"is ahead of the log: it has batch 000000-000000000005, the log 000000-000000000003: move"
    with pytest.raises(ArchiveError, match=ahead):
        copy_of(restored, tmp_path).check([STREAM])
    restored.close()
