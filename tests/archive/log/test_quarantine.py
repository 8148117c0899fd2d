"""Quarantine: one broken segment takes its own events away, and nothing else."""

from __future__ import annotations

import errno
from collections.abc import Callable
from pathlib import Path

import pytest
from kaicep.archive.log import BrokenSegmentError, EventLog, Position, quarantined
from kaicep.archive.log import segment as segment_module
from kaicep.archive.sync import compact_archive
from kaicep.errors import ArchiveError
from support.archives import STREAM, archived_project, opened, readings


def damage(path: Path, at: float = 0.3) -> None:
    """Flip a bit of a file's pages."""
    content = bytearray(path.read_bytes())
    content[int(len(content) * at)] ^= 4
    path.write_bytes(content)


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-9])


@pytest.fixture(name="log")
def _log(tmp_path: Path) -> EventLog:
    log = EventLog(tmp_path / "log")
    for batch in range(4):
        log.append(STREAM, batch, readings(10, first=10 * batch))
    return log


def file_of(log: EventLog, batch: int) -> Path:
    return Path(str(log.path)) / STREAM / f"000000-{batch:012d}.parquet"


@pytest.mark.parametrize("harm", [damage, cut])
def test_the_writer_goes_on_without_a_broken_segment(
    log: EventLog, harm: Callable[[Path], None], caplog: pytest.LogCaptureFixture
) -> None:
    harm(file_of(log, 1))
    assert log.read(STREAM).num_rows == 30
    assert [p.batch for p in log.positions()] == [0, 2, 3]
    (lost,) = quarantined(log.path)
    assert lost.path == log.path.parent / "quarantine/log" / STREAM / "000000-000000000001.parquet"
    assert not file_of(log, 1).exists()
    (said,) = (record.getMessage() for record in caplog.records)
    assert said.startswith(f"{file_of(log, 1)}: the log segment is broken: ")
    rows = " (10 rows, 2012-05-07T09:00:10Z to 2012-05-07T09:00:19Z)" if harm is damage else ""
    assert said.endswith(
        "; it lies in quarantine now, and the log goes on without batch 000000-000000000001 of "
        f"airflowReport{rows}; `kaicep repair` brings them back"
    )


def test_a_reader_reports_it_and_leaves_it(log: EventLog) -> None:
    damage(file_of(log, 1))
    with pytest.raises(BrokenSegmentError, match="the log segment is broken: "):
        EventLog(log.path).read(STREAM)
    assert file_of(log, 1).exists()


def test_what_cannot_be_read_now_is_not_broken(log: EventLog, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Path) -> None:
        raise OSError(errno.EMFILE, "Too many open files", str(path))

    monkeypatch.setattr(segment_module, "check_footer", refuse)
    with pytest.raises(ArchiveError, match="the log segment cannot be read: Too many open files: see to its disk"):
        log.read(STREAM)
    monkeypatch.undo()
    assert log.read(STREAM).num_rows == 40


def test_a_batch_that_comes_again_ends_its_quarantine(log: EventLog) -> None:
    damage(file_of(log, 3))
    assert log.read(STREAM).num_rows == 30
    log.append(STREAM, 3, readings(10, first=30))
    assert log.read(STREAM).num_rows == 40
    assert list(quarantined(log.path)) == []


def test_a_start_keeps_the_parts_of_a_broken_whole(tmp_path: Path) -> None:
    """Compaction was killed before the parts went, and the whole is broken."""
    settings = archived_project(tmp_path)
    folder = tmp_path / "var/archive/log" / STREAM
    parts = {path: path.read_bytes() for path in folder.iterdir()}
    compact_archive(settings)
    (whole,) = (path for path in folder.iterdir() if "_" in path.name)
    for path, content in parts.items():
        path.write_bytes(content)
    damage(whole)
    with opened(tmp_path) as archive:
        assert archive.log.count(STREAM) == 150
        assert [p.batch for p in archive.log.positions()] == [0, 1, 2, 3, 4]


def test_a_start_goes_on_without_a_broken_whole(tmp_path: Path) -> None:
    settings = archived_project(tmp_path)
    compact_archive(settings)
    (whole,) = (path for path in (tmp_path / "var/archive/log" / STREAM).iterdir() if "_" in path.name)
    cut(whole)
    with opened(tmp_path) as archive:
        assert archive.log.count(STREAM) == 30
        archive.append(5, {STREAM: readings(30, first=150)})
        assert archive.flush()


def test_the_newest_batch_counts_as_there_although_it_is_broken(log: EventLog) -> None:
    """Else its number would be given to another batch."""
    log.close()
    damage(file_of(log, 3))
    again = EventLog(log.path)
    again.lock()
    assert again.read(STREAM).num_rows == 30
    again.close()
    again.lock()
    assert again.newest == Position(0, 3)
