"""A standalone Spark cluster of this machine, two workers of one core each, and what is ended of it with SIGKILL."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from random import Random
from typing import Self

import pyspark
from kaicep.pipeline.hosting.spark_java import use_java

__all__ = ["Killer", "cluster", "descendants"]

HOSTS = ("127.0.0.1", "127.0.0.2")
"""Spark runs a task that lags once more on another host only."""


@contextmanager
def cluster(folder: Path) -> Iterator[str]:
    """A master and its workers, children of this process; gives the master's URL."""
    use_java()
    port = _free_port()
    url = f"spark://{HOSTS[0]}:{port}"
    master = ["org.apache.spark.deploy.master.Master", "--host", HOSTS[0], "--port", str(port), "--webui-port", "0"]
    workers = [
        [
            "org.apache.spark.deploy.worker.Worker",
            *("--host", host, "--cores", "1", "--memory", "1g", "--webui-port", "0"),
            *("--work-dir", str(folder / f"work-{host}"), url),
        ]
        for host in HOSTS
    ]
    started = [_started(master, HOSTS[0], folder)]
    try:
        _await(port)
        started += [_started(worker, host, folder) for worker, host in zip(workers, HOSTS, strict=True)]
        yield url
    finally:
        for process in reversed(started):
            process.terminate()
        for process in started:
            process.wait()


def _started(command: list[str], host: str, folder: Path) -> subprocess.Popen[bytes]:
    home = Path(pyspark.__file__).parent
    environment = os.environ | {
        "SPARK_HOME": str(home),
        "SPARK_LOCAL_IP": host,
        "SPARK_DAEMON_MEMORY": "256m",
        "PYSPARK_PYTHON": sys.executable,
    }
    with (folder / "cluster.log").open("ab") as log:
        return subprocess.Popen([str(home / "bin" / "spark-class"), *command], env=environment, stdout=log, stderr=log)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOSTS[0], 0))
        port: int = probe.getsockname()[1]
        return port


def _await(port: int) -> None:
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        with suppress(OSError), socket.create_connection((HOSTS[0], port), 1):
            return
        time.sleep(0.2)
    raise TimeoutError("the master does not answer")


def descendants(process: int) -> dict[int, str]:
    """What a process and its children have started: by id, the command line."""
    parents: dict[int, int] = {}
    for entry in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            parents[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
    found: dict[int, str] = {}
    ahead = [process]
    for one in ahead:  # it grows on the way
        children = [child for child, parent in parents.items() if parent == one]
        ahead += children
        for child in children:
            with suppress(OSError):
                found[child] = (Path("/proc") / str(child) / "cmdline").read_bytes().replace(b"\0", b" ").decode()
    return found


class Killer:
    """Ends something with SIGKILL after a while, on a thread of its own; only what this process has started.

    Args:
        what: `python`: a Python worker of an executor; `executor`: its Java; `worker`: a whole worker with all of it.
        rng: says when, and which.
        most: within so many seconds.

    Attributes:
        killed: what was ended; empty: it came too late.
    """

    def __init__(self, what: str, rng: Random, most: float) -> None:
        self._what, self._rng, self._seconds = what, rng, rng.uniform(0.05, most)
        self.killed: list[int] = []
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _run(self) -> None:
        if self._over.wait(self._seconds):
            return
        while not self._over.is_set() and not self.killed:
            victims = self._victims()
            for one in victims:
                with suppress(ProcessLookupError):
                    os.kill(one, signal.SIGKILL)
                    self.killed.append(one)
            self._over.wait(0.02)

    def _victims(self) -> list[int]:
        running = descendants(os.getpid())
        match self._what:
            case "python":
                daemons = {one for one, said in running.items() if "pyspark.daemon" in said}
                forks = [one for one in daemons if not any(d in daemons for d in descendants(one))]
                return [self._rng.choice(sorted(forks))] if forks else []
            case "executor":
                found = sorted(one for one, said in running.items() if "CoarseGrainedExecutorBackend" in said)
                return [self._rng.choice(found)] if found else []
            case _:
                workers = sorted(one for one, said in running.items() if "deploy.worker.Worker" in said)
                if len(workers) < len(HOSTS):  # one is gone already
                    return []
                chosen = self._rng.choice(workers)
                return [chosen, *descendants(chosen)]
