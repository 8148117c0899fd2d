"""What is ended with SIGKILL of a standalone Spark cluster that this process has started."""

from __future__ import annotations

import os
import signal
import threading
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Self

__all__ = ["SMALL", "Killer", "descendants"]

SMALL = {
    "spark.executor.memory": "512m",
    "spark.executor.extraJavaOptions": os.environ.get("SPARK_SUBMIT_OPTS", ""),  # as of all Java of tests
    "spark.cores.max": "2",
    "spark.default.parallelism": "2",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.executor.processTreeMetrics.enabled": "false",
}
"""Settings of a session there, and of one of this process alone."""

_WORKERS = 2
"""So many a cluster has at first."""


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
                if len(workers) < _WORKERS:  # one is gone already
                    return []
                chosen = self._rng.choice(workers)
                return [chosen, *descendants(chosen)]
