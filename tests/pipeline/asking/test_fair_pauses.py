"""What answers questions stands still while batches are at work, and goes on at least half of the time."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from kaicep.pipeline.asking.fair_pauses import FairPauses
from kaicep.storage import ChildProcess

BUSY = "from kaicep.storage import serve_parent; serve_parent()\nwhile True: pass"


class Clock:
    """Seconds as told."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def pauses(child: ChildProcess, clock: Clock) -> FairPauses:
    """Of a child that has gone on for a second."""
    found = FairPauses(child, clock)
    clock.now += 1
    return found


@pytest.fixture
def child() -> Iterator[ChildProcess]:
    child = ChildProcess(lambda _: ["-c", BUSY], stops=True)
    yield child
    child.close()


def is_stopped(child: ChildProcess) -> bool:
    """Whether it stands still, and not only waits for a processor: then it goes on after a moment."""
    end = time.monotonic() + 60
    process = psutil.Process(child._process.pid)
    before = process.cpu_times().user
    while time.monotonic() < end:
        if process.status() == psutil.STATUS_STOPPED:
            return True
        if process.cpu_times().user > before + 0.02:
            return False
        time.sleep(0.01)
    raise AssertionError(process.status())


def test_it_stands_still_during_a_batch(child: ChildProcess, clock: Clock, pauses: FairPauses) -> None:
    with pauses.during():
        clock.now += 0.9
        pauses.end_overdue()
        assert is_stopped(child)
    assert not is_stopped(child)


def test_for_no_longer_than_it_has_gone_on_before(child: ChildProcess, clock: Clock, pauses: FairPauses) -> None:
    with pauses.during():
        clock.now += 1.1
        pauses.end_overdue()
        assert not is_stopped(child)
        clock.now += 0.4
    with pauses.during():  # the next batch comes at once
        assert is_stopped(child)
        clock.now += 0.5
        pauses.end_overdue()
        assert not is_stopped(child)


def test_an_engine_that_is_always_at_work_lets_it_have_half_of_the_time(child: ChildProcess) -> None:
    clock = Clock()
    pauses = FairPauses(child, clock)
    stood = gone = 0.0
    for _ in range(50):
        with pauses.during():
            for _ in range(10):
                clock.now += 0.01
                stopped = pauses._stopped
                stood, gone = stood + 0.01 * stopped, gone + 0.01 * (not stopped)
                pauses.end_overdue()
    assert gone >= stood - 0.2
    assert stood > 1


def test_one_that_stands_still_when_its_parent_is_killed_ends_too(tmp_path: Path) -> None:
    told = tmp_path / "pid"
    code = f"""
import pathlib, time
from kaicep.storage import ChildProcess
child = ChildProcess(lambda _: ["-c", {BUSY!r}], stops=True)
time.sleep(1)
child.stop(wait=True)
pathlib.Path({str(told)!r}).write_text(str(child._process.pid))
time.sleep(60)
"""
    parent = subprocess.Popen([sys.executable, "-c", code], start_new_session=True)
    while not (told.exists() and told.read_text()):
        assert parent.poll() is None
        time.sleep(0.05)
    process = psutil.Process(int(told.read_text()))
    assert process.status() == psutil.STATUS_STOPPED
    os.kill(parent.pid, signal.SIGKILL)
    parent.wait()
    end = time.monotonic() + 10
    while psutil.pid_exists(process.pid) and process.status() != psutil.STATUS_ZOMBIE:
        assert time.monotonic() < end, process.status()
        time.sleep(0.05)
