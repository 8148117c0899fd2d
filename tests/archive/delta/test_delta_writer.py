"""The writer behind the log: it is never in its way, and lacks nothing in the end."""

from __future__ import annotations

import json
import random
import time
from pathlib import Path

import polars as pl
import pyarrow as pa
import pytest
from deltalake import write_deltalake
from kaicep.archive import Archive
from kaicep.archive.delta import DeltaLag, delta_writer
from kaicep.archive.log import EventLog, Position
from kaicep.errors import ArchiveError
from support.archive_writer import EVENTS, MATCHES
from support.archives import STREAM, numbers, opened, readings
from support.found import QUERY, fill_with_matches
from support.processes import process
from support.receivers import eventually
from support.sampling import some_of


def rows_of(folder: Path, table: str) -> pa.Table:
    return pl.scan_delta(str(folder / "lake" / table)).collect().to_arrow()


def follows(archive: Archive, position: Position) -> bool:
    """Whether the tables are so far in time, also those of rows."""
    writer = archive._delta
    return writer is not None and eventually(lambda: writer.held == (position, position))


def test_events_and_rows_follow_the_log(tmp_path: Path) -> None:
    """While it is open, and all of them when it is closed; another time nothing comes twice."""
    for batches in (range(3), range(3, 5)):
        with opened(tmp_path, delta="lake", store=False) as archive:
            fill_with_matches(archive, batches)
            assert follows(archive, Position(0, batches[-1]))
    assert sorted(numbers(rows_of(tmp_path, f"log/{STREAM}"))) == list(range(200))
    found = rows_of(tmp_path, f"matches/{QUERY}")
    assert sorted(found["flow"].to_pylist()) == [n / 2 for n in range(200)]
    assert {"?a", "?b", "_origin", "lasts"} <= set(found.column_names)


def test_how_far_they_are_behind_is_known_without_the_storage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing where they have all; after a restart over a storage that is away, at most what the log has."""
    monkeypatch.setattr(delta_writer, "_FIRST_PAUSE_S", 0.02)
    with opened(tmp_path, store=False) as archive:
        assert archive.delta_lag is None
    with opened(tmp_path, delta="lake", store=False) as archive:
        fill_with_matches(archive, range(2))
        assert follows(archive, Position(0, 1))
        assert archive.delta_lag == DeltaLag(0, 0)
        (tmp_path / "lake").rename(tmp_path / "away")
        (tmp_path / "lake").write_text("a file where a folder has to be", encoding="utf-8")
        fill_with_matches(archive, range(2, 4))
        assert eventually(lambda: (lag := archive.delta_lag) is not None and lag.reason is not None)
        assert archive.delta_lag is not None
        assert (archive.delta_lag.events, archive.delta_lag.matches) == (80, 80)
        (tmp_path / "lake").unlink()
        (tmp_path / "away").rename(tmp_path / "lake")
        assert follows(archive, Position(0, 3))
        assert eventually(lambda: archive.delta_lag == DeltaLag(0, 0))


def test_a_log_that_cannot_be_read_leaves_what_was_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with opened(tmp_path, delta="lake", store=False) as archive:
        fill_with_matches(archive, range(1))
        assert follows(archive, Position(0, 0))
        monkeypatch.setattr(EventLog, "slices", _unreadable)
        assert archive.delta_lag == DeltaLag(0, 0, "the log is away")
        monkeypatch.undo()


def _unreadable(*_: object) -> None:
    raise ArchiveError("the log is away")


def test_what_is_copied_alone_may_leave_the_log(tmp_path: Path) -> None:
    with opened(tmp_path, delta="lake", store=False) as archive:
        fill_with_matches(archive)
        assert archive._delta is not None
        for copy in archive._delta._copies:
            copy.held = Position(0, 1)
        assert archive._settled()[:2] == (Position(0, 1), Position(0, 1))
        archive._delta._copies[0].held = None
        assert archive._settled()[0] is None


def test_a_table_of_others_is_refused_at_the_start(tmp_path: Path) -> None:
    with opened(tmp_path, store=False) as archive:
        archive.append(0, {STREAM: readings(3)})
    write_deltalake(str(tmp_path / "lake/log" / STREAM), pa.table({"x": [1]}))
    with pytest.raises(
        ArchiveError, match=rf"lake/log/{STREAM}: there is a table of Delta Lake that this archive has not"
    ):
        opened(tmp_path, delta="lake", store=False)
    with opened(tmp_path, store=False) as archive:
        archive.append(1, {STREAM: readings(3, first=3)})


def test_a_storage_that_is_away_is_told_once_and_made_up_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(delta_writer, "_FIRST_PAUSE_S", 0.02)
    (tmp_path / "lake").write_text("a file where a folder has to be", encoding="utf-8")
    with opened(tmp_path, delta="lake", store=False) as archive:
        for batch in range(3):
            archive.append(batch, {STREAM: readings(2, first=2 * batch)})
        assert eventually(lambda: "the log goes on, and the tables catch up later" in caplog.text)
        time.sleep(0.2)
        assert caplog.text.count("catch up later") == 1
        (tmp_path / "lake").unlink()
        assert eventually(lambda: "the tables of Delta Lake have all of the log again" in caplog.text)
    assert sorted(numbers(rows_of(tmp_path, f"log/{STREAM}"))) == list(range(6))


@pytest.mark.slow
@pytest.mark.parametrize("seed", some_of(range(3), 1))
def test_kill_9_leaves_a_table_that_catches_up(tmp_path: Path, seed: int) -> None:
    (tmp_path / "archive.json").write_text(json.dumps({"delta": "lake", "store": False}), encoding="utf-8")
    moment = random.Random(seed)
    with process("archive_writer", tmp_path) as writer:
        assert writer.stdout is not None
        acknowledged = int(writer.stdout.readline())
        time.sleep(moment.uniform(0.1, 1.0))
        writer.kill()
        acknowledged = max([acknowledged, *map(int, writer.stdout.read().split())])
    opened(tmp_path, delta="lake", store=False).close()
    log = EventLog(tmp_path / "var/archive/log")
    assert len(log.positions()) >= acknowledged + 1
    assert sorted(numbers(rows_of(tmp_path, f"log/{STREAM}"))) == list(range(EVENTS * len(log.positions())))
    found = rows_of(tmp_path, f"matches/{QUERY}")["_id"].to_pylist()
    assert len(found) == len(set(found)) == EventLog(tmp_path / "var/archive/matches").count(QUERY)
    assert len(found) % MATCHES == 0
