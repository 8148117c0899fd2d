"""The heartbeat beats when it is needed, once until it is answered."""

from __future__ import annotations

import threading
from datetime import timedelta
from pathlib import Path

import pytest
from kaicep.pipeline.sources.heartbeat import Heartbeat


class Need:
    """Says what it is told to, and lets a test wait until it was asked."""

    def __init__(self) -> None:
        self.answer = False
        self._asked = threading.Semaphore(0)

    def __call__(self) -> bool:
        self._asked.release()
        return self.answer

    def wait_until_asked(self, times: int) -> None:
        for _ in range(times):
            assert self._asked.acquire(timeout=600)


@pytest.mark.slow
def test_a_beat_is_a_new_file_and_waits_for_its_answer(tmp_path: Path) -> None:
    need = Need()
    heartbeat = Heartbeat(tmp_path, need, timedelta(0))
    need.wait_until_asked(2)
    assert list(tmp_path.iterdir()) == []
    seen: set[str] = set()
    need.answer = True
    for _ in range(5):
        while not (new := {p.name for p in tmp_path.iterdir()} - seen):
            need._asked.acquire(timeout=1)
        assert len(new) == 1
        seen |= new
        heartbeat.answered()
    heartbeat.stop()
    assert len(list(tmp_path.iterdir())) <= 3
    assert max(seen) in {p.name for p in tmp_path.iterdir()}


def test_without_an_answer_there_is_one_beat(tmp_path: Path) -> None:
    need = Need()
    need.answer = True
    heartbeat = Heartbeat(tmp_path, need, timedelta(0))
    need.wait_until_asked(1)
    heartbeat.stop()
    assert len(list(tmp_path.iterdir())) == 1


def test_it_beats_on_after_an_error(tmp_path: Path) -> None:
    """A disk that is full for a while stops nothing."""
    folder = tmp_path / "beats"
    folder.write_text("no folder")
    need = Need()
    need.answer = True
    heartbeat = Heartbeat(folder, need, timedelta(0))
    need.wait_until_asked(3)  # each time it could not beat
    folder.unlink()
    while not folder.exists() or not list(folder.iterdir()):
        need._asked.acquire(timeout=0.1)  # once it has beaten, it asks no more
    heartbeat.stop()
