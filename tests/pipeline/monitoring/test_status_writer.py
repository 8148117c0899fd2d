"""The status is written again and again."""

from __future__ import annotations

import threading
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from kaicep.pipeline.monitoring import EngineStatus, StatusWriter, read_status, status_file
from support.statuses import busy_engine

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
GENEROUS_S = 60.0


class Told:
    """Counts its batches with each time it is asked."""

    def __init__(self) -> None:
        self.asked = 0
        self.broken = False
        self.often = threading.Semaphore(0)

    def __call__(self) -> EngineStatus:
        self.asked += 1
        self.often.release()
        if self.broken:
            message = "nobody knows"
            raise RuntimeError(message)
        return replace(busy_engine(NOW), batches=self.asked)

    def wait(self, times: int) -> None:
        for _ in range(times):
            assert self.often.acquire(timeout=GENEROUS_S)


def test_it_is_written_until_the_end_and_then_once_more(tmp_path: Path) -> None:
    told = Told()
    writer = StatusWriter(tmp_path, tmp_path / "kaicep.prom", told, every=0.001)
    told.wait(3)
    writer.close()
    status = read_status(tmp_path)
    assert status is not None
    assert status.batches == told.asked >= 4
    assert f"kaicep_batches_total {float(told.asked)}" in (tmp_path / "kaicep.prom").read_text()
    assert {path.name for path in tmp_path.iterdir()} == {"status.json", "kaicep.prom"}


def test_trouble_is_logged_once_and_does_not_end_it(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    told = Told()
    told.broken = True
    writer = StatusWriter(tmp_path, None, told, every=0.001)
    told.wait(5)
    told.broken = False
    told.wait(3)
    writer.close()
    assert read_status(tmp_path) is not None
    assert [r.message for r in caplog.records] == ["the engine's status cannot be written: nobody knows"]


def test_a_folder_that_is_away_is_waited_for(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    told, folder = Told(), tmp_path / "state"
    writer = StatusWriter(folder, None, told, every=0.001)
    told.wait(3)
    folder.mkdir()
    told.wait(3)
    writer.close()
    assert status_file(folder).exists()
    assert len(caplog.records) == 1
