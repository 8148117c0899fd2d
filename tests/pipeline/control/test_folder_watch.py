"""Folders are looked at when something may have come, and seldom besides, by one thread for all who wait."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

import pytest
from kaicep.pipeline.control.folder_watch import FolderChanges, FolderWatch
from support.command_line import HANGING_SECONDS

NEVER = 1_000.0


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Seconds, as whoever looks sees them."""
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    return now


def test_what_comes_is_seen_at_once(tmp_path: Path, clock: list[float]) -> None:
    changes = FolderChanges(tmp_path, every=NEVER)
    assert changes.seen()
    clock[0] += 10
    assert not changes.seen()
    (tmp_path / "1.request").touch()
    os.utime(tmp_path, (1, 1))
    assert changes.seen()


def test_what_comes_in_the_same_tick_of_the_file_system_is_seen(tmp_path: Path, clock: list[float]) -> None:
    """It changes no time: so a folder that has just changed is looked at for a while."""
    changes = FolderChanges(tmp_path, every=NEVER)
    assert changes.seen()
    moment = tmp_path.stat().st_mtime_ns
    clock[0] += 0.1
    (tmp_path / "1.request").touch()
    os.utime(tmp_path, ns=(moment, moment))
    assert changes.seen()
    clock[0] += 10
    assert not changes.seen()


def test_a_folder_is_looked_at_now_and_then_in_any_case(tmp_path: Path, clock: list[float]) -> None:
    changes = FolderChanges(tmp_path, every=1.0)
    assert changes.seen()
    clock[0] += 5
    assert changes.seen()
    clock[0] += 0.5
    assert not changes.seen()
    clock[0] += 0.6
    assert changes.seen()


def test_a_folder_that_is_gone_is_looked_at(tmp_path: Path) -> None:
    """Whoever looks is told why."""
    changes = FolderChanges(tmp_path / "gone", every=NEVER)
    assert changes.seen()
    assert changes.seen()


def test_one_thread_wakes_all_who_wait(tmp_path: Path) -> None:
    """It is there as long as somebody waits."""
    watch, before = FolderWatch(), threading.active_count()
    folders = [tmp_path / name for name in ("queries", "states")]
    woken = [threading.Event() for _ in folders]
    for folder, event in zip(folders, woken, strict=True):
        folder.mkdir()
        watch.add(event, folder)
    assert threading.active_count() == before + 1
    for folder, event in zip(folders, woken, strict=True):
        event.clear()
        (folder / "1.request").touch()
        assert event.wait(HANGING_SECONDS)
    watch.remove(woken[0])
    assert threading.active_count() == before + 1
    watch.remove(woken[1])
    assert threading.active_count() == before
    watch.add(woken[0], folders[0])
    woken[0].clear()
    assert woken[0].wait(HANGING_SECONDS)
    watch.remove(woken[0])
