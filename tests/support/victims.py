"""Processes of a cluster on this machine that are ended with SIGKILL, and started again."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from random import Random

from .spark_cluster import descendants

__all__ = ["DRIVER", "KINDS", "WORKERS", "Victim", "await_end", "end", "victim"]

DRIVER = "driver"
WORKERS = ("worker", "machine")
"""The Java of a worker; and all processes of a machine: a worker, its executor, Python."""
KINDS = ("python", "executor", *WORKERS, DRIVER)
"""Besides: a Python worker of an executor, the Java of an executor."""

EXECUTOR, WORKER = "CoarseGrainedExecutorBackend", "deploy.worker.Worker"
PATIENCE_S = 30.0


class Victim:
    """A process that is to end, and those that end with it.

    Args:
        process: the process.
        others: likewise those.

    Attributes:
        processes: all of them, by their ids.
    """

    def __init__(self, process: int, others: Iterable[int] = ()) -> None:
        self.processes = (process, *others)
        place = Path("/proc") / str(process)
        self._command = [part.decode() for part in (place / "cmdline").read_bytes().split(b"\0")[:-1]]
        variables = [part.decode().partition("=") for part in (place / "environ").read_bytes().split(b"\0") if part]
        self._environment = {name: value for name, _, value in variables}

    def start_again(self) -> subprocess.Popen[bytes]:
        """Start the process as it was started, as whoever keeps a worker running does."""
        return subprocess.Popen(
            self._command,
            env=self._environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )


def victim(kind: str, at: int, driver: int, rng: Random) -> Victim:
    """Who is to end.

    Args:
        kind: one of `KINDS`.
        at: the process that waits at a halt: the driver, or a Python worker, which is the victim or the victim's.
        driver: that of the driver.
        rng: chooses whose Python worker, if the driver waits; and whether a driver's Java ends at the same moment.
    """
    if kind == DRIVER:
        return Victim(driver, descendants(driver) if rng.random() < 0.5 else ())
    worker = rng.choice(_python_workers()) if at == driver else at
    if kind == "python":
        return Victim(worker)
    of = next(one for one in _ancestors(worker) if (EXECUTOR if kind == "executor" else WORKER) in _command(one))
    return Victim(of, descendants(of) if kind == "machine" else ())


def end(victim: Victim) -> None:
    """Let it end, and see that it has."""
    assert _lives(victim.processes[0]), "who is to end is not there"
    for one in victim.processes:
        with suppress(ProcessLookupError):  # some of a driver's live for moments
            os.kill(one, signal.SIGKILL)
    for one in victim.processes:
        await_end(one)


def await_end(process: int) -> None:
    """Wait until a process is gone."""
    deadline = time.monotonic() + PATIENCE_S
    while _lives(process):
        assert time.monotonic() < deadline, "who was killed lives"
        time.sleep(0.005)


def _python_workers() -> Sequence[int]:
    """Those of executors that have done a task."""
    daemons = {one for one, said in descendants(os.getpid()).items() if "pyspark.daemon" in said}
    return sorted(one for one in daemons if daemons & {*_ancestors(one)})


def _ancestors(process: int) -> list[int]:
    """Its parent, the parent of that, and so on."""
    found = []
    while process > 1:
        process = int((Path("/proc") / str(process) / "stat").read_text().rpartition(")")[2].split()[1])
        found.append(process)
    return found


def _command(process: int) -> str:
    return (Path("/proc") / str(process) / "cmdline").read_bytes().replace(b"\0", b" ").decode()


def _lives(process: int) -> bool:
    """Whether a process is there, and no mere entry of one that has ended."""
    with suppress(OSError):
        return (Path("/proc") / str(process) / "stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    return False
