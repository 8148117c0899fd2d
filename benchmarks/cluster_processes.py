"""CPU seconds of an engine and of the cluster that it runs on, apart by what processes do."""

from __future__ import annotations

import time
from contextlib import suppress

import psutil

ROLES = ("driver Python", "driver JVM", "executor JVMs", "executor Python")
"""Beside them run the master and the workers of the standalone cluster, which are not counted."""

DRIVER = ROLES[:2]
_SIGNS = {
    "CoarseGrainedExecutorBackend": "executor JVMs",
    "org.apache.spark.deploy.SparkSubmit": "driver JVM",
    "pyspark.daemon": "executor Python",
    "pyspark.worker": "executor Python",
}


class Processor:
    """Says what this process and all that it has started have used of the processor."""

    def __init__(self) -> None:
        self._own = psutil.Process()
        self._looking = 0.0

    def seconds(self) -> dict[str, float]:
        """CPU seconds so far, by role; what it takes to find this out is left out."""
        began = time.thread_time()
        found = dict.fromkeys(ROLES, 0.0)
        for process in self._own.children(recursive=True):
            with suppress(psutil.NoSuchProcess):
                line = " ".join(process.cmdline())
                role = next((role for sign, role in _SIGNS.items() if sign in line), None)
                if role is not None:
                    found[role] += _used(process, ended=role == "executor Python")
        self._looking += time.thread_time() - began
        found["driver Python"] = time.process_time() - self._looking
        return found


def _used(process: psutil.Process, *, ended: bool) -> float:
    """Of a process; with those that it has forked and that have ended, if they are its kind."""
    times = process.cpu_times()
    used: float = times.user + times.system
    return used + times.children_user + times.children_system if ended else used
