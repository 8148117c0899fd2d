"""A standalone Spark cluster of this machine: a master and workers of one core each, in processes of their own."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pyspark

from ...pipeline.hosting.spark_java import use_java

HOST = "127.0.0.{}"
"""Each worker has an address of its own: Spark runs a task that lags once more on another host only."""

SECONDS = 120
"""So long may a busy machine take to start the master."""


@contextmanager
def cluster(folder: Path, workers: int = 2) -> Iterator[str]:
    """Start a cluster, and end it.

    Args:
        folder: for what it logs (`cluster.log`) and the folders of its executors.
        workers: of one core and a gigabyte each; how many.

    Returns:
        The URL of its master.

    Raises:
        TimeoutError: the master does not answer; the log says why.
    """
    use_java()
    first, port = HOST.format(1), _free_port()
    url = f"spark://{first}:{port}"
    with _ended() as started:
        started.append(_started("master.Master", first, folder, "--port", str(port)))
        _await(port, started[0])
        for place in range(1, workers + 1):
            own = ("--cores", "1", "--memory", "1g", "--work-dir", str(folder / f"work-{place}"), url)
            started.append(_started("worker.Worker", HOST.format(place), folder, *own))
        yield url


@contextmanager
def _ended() -> Iterator[list[subprocess.Popen[bytes]]]:
    started: list[subprocess.Popen[bytes]] = []
    try:
        yield started
    finally:
        for process in reversed(started):  # workers end their executors
            process.terminate()
        for process in started:
            process.wait()


def _started(role: str, host: str, folder: Path, *words: str) -> subprocess.Popen[bytes]:
    home = Path(pyspark.__file__).parent
    own = ("--host", host, "--webui-port", "0", *words)
    command = [str(home / "bin" / "spark-class"), f"org.apache.spark.deploy.{role}", *own]
    environment = os.environ | {
        "SPARK_HOME": str(home),
        "SPARK_LOCAL_IP": host,
        "SPARK_DAEMON_MEMORY": "256m",
        "PYSPARK_PYTHON": sys.executable,
    }
    with (folder / "cluster.log").open("ab") as log:
        # In a session of its own: Ctrl-C is the engine's, which ends its batch; what it runs on ends after it.
        return subprocess.Popen(command, env=environment, stdout=log, stderr=log, start_new_session=True)  # noqa: S603 - ours


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST.format(1), 0))
        port: int = probe.getsockname()[1]
        return port


def _await(port: int, master: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline and master.poll() is None:
        with suppress(OSError), socket.create_connection((HOST.format(1), port), 1):
            return
        time.sleep(0.2)
    raise TimeoutError("the master of the cluster does not answer; its cluster.log says why")
