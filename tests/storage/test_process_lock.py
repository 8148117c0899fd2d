"""A lock between processes, and within one: one holder at a time, and it says who."""

from __future__ import annotations

import errno
import fcntl
import os
import subprocess
import sys
from pathlib import Path

import pytest
from kaicep.storage import ProcessLock, is_running


def test_one_has_the_lock_until_it_lets_go(tmp_path: Path) -> None:
    one, other = ProcessLock(tmp_path / "lock"), ProcessLock(tmp_path / "lock")
    assert one.acquire()
    assert one.acquire(), "whoever has it may ask again"
    assert not other.acquire()
    assert not other.acquire(timeout=0.01)
    one.release()
    assert other.acquire()
    other.release()


def test_a_file_system_without_locks_is_no_holder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    lock = ProcessLock(tmp_path / "lock")
    monkeypatch.setattr(fcntl, "flock", refuse)
    with pytest.raises(OSError, match="No locks available") as refused:
        lock.acquire()
    assert refused.value.filename == str(tmp_path / "lock")
    monkeypatch.undo()
    assert lock.acquire()
    lock.release()


def test_the_holder_is_named(tmp_path: Path) -> None:
    lock = ProcessLock(tmp_path / "lock")
    lock.acquire()
    assert ProcessLock(tmp_path / "lock").holder() == f"process {os.getpid()}"
    lock.release()
    (tmp_path / "lock").write_text("")
    assert lock.holder() == "process unknown"


def test_it_is_told_whether_somebody_else_has_had_the_lock_since(tmp_path: Path) -> None:
    """Also somebody of the same process, for however short a time."""
    one, other = ProcessLock(tmp_path / "lock"), ProcessLock(tmp_path / "lock")
    one.acquire()
    assert one.untouched()
    assert not other.acquire()
    one.release()
    assert one.untouched()
    other.acquire()
    other.release()
    assert not one.untouched()
    assert other.untouched()


def test_processes_that_run_are_told_from_those_that_ended() -> None:
    assert is_running(str(os.getpid()))
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    assert not is_running(str(ended.pid))
    for none in ("", "x", "²", "9" * 30):
        assert not is_running(none)
