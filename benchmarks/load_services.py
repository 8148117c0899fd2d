"""A broker that keeps its sessions, and a server, both of which may end; what all of them use of the machine."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import defaultdict
from contextlib import suppress
from pathlib import Path

import psutil
import urllib3

__all__ = ["Broker", "Consumption", "Server", "free_port"]

_LOOK_S = 0.05
_PATIENCE_S = 120.0
_SAMPLE_S = 2.0
_UNPACKED = Path(__file__).parents[1] / ".cache" / "mosquitto"
_SIGNS = (
    ("mosquitto", "broker"),
    ("org.apache.spark.deploy.SparkSubmit", "engine, Java"),
    ("pyspark.daemon", "engine, Spark's Python"),
    ("mqtt.intake_process", "engine, messages"),
    ("kaicep run", "engine, Python"),
    ("kaicep serve", "server"),
    ("store_process", "server's processes"),
)
OTHERS = "load (senders, readers, clients)"


def free_port() -> int:
    """One that nobody listens to."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


class Broker:
    """A Mosquitto that keeps sessions and what waits in them.

    Args:
        folder: for its files.
        port: that it listens to.
    """

    def __init__(self, folder: Path, port: int) -> None:
        program = shutil.which("mosquitto", path=f"{_UNPACKED}:{os.environ['PATH']}:/usr/sbin:/usr/local/sbin")
        if program is None:
            raise SystemExit("the load test needs Mosquitto: `make setup`, or else apt-get install mosquitto")
        folder.mkdir(parents=True, exist_ok=True)
        self._config = folder / "mosquitto.conf"
        own = [] if os.geteuid() else ["user root"]
        lines = [f"listener {port} 127.0.0.1", "allow_anonymous true", "persistence true", "max_queued_messages 0"]
        kept = [f"persistence_location {folder}/", "autosave_interval 60"]
        self._config.write_text("\n".join([*lines, *own, *kept, ""]), encoding="utf-8")
        self._command, self._port = [program, "-c", str(self._config)], port
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Begin it, and wait until it listens."""
        self._process = subprocess.Popen(self._command, stderr=subprocess.DEVNULL)
        until = time.monotonic() + _PATIENCE_S
        while time.monotonic() < until:
            with suppress(OSError), socket.create_connection(("127.0.0.1", self._port), timeout=1.0):
                return
            time.sleep(_LOOK_S)
        raise SystemExit("Mosquitto does not listen")

    def stop(self) -> None:
        """End it as an administrator does: it writes down what it has."""
        if self._process is not None:
            self._process.terminate()
            self._process.wait()
        self._process = None


class Server:
    """`kaicep serve` of a project.

    Args:
        folder: of the project.
        port: that it listens to.
    """

    def __init__(self, folder: Path, port: int) -> None:
        self.url, self._folder = f"http://127.0.0.1:{port}", folder
        self._process: subprocess.Popen[bytes] | None = None
        self._pool = urllib3.PoolManager(retries=False, timeout=5.0)

    @property
    def starts(self) -> int:
        """How often its engine was begun."""
        return self._folder.with_suffix(".log").read_text(encoding="utf-8").count("the engine is process")

    def start(self) -> None:
        """Begin it; see `await_ready`."""
        with (self._folder.with_suffix(".log")).open("ab") as log:
            command = [sys.executable, "-m", "kaicep", "serve", str(self._folder)]
            # As installed: what is compiled of Python is kept from one start to the next.
            environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
            environment["PYTHONPYCACHEPREFIX"] = str(self._folder.with_name("compiled"))
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=log,
                env=environment,
                start_new_session=True,
            )

    def await_ready(self) -> None:
        """Wait until it says that its engine runs and has recovered."""
        until = time.monotonic() + _PATIENCE_S
        while time.monotonic() < until:
            with suppress(urllib3.exceptions.HTTPError):
                if self._pool.request("GET", f"{self.url}/ready").status == 200:
                    return
            time.sleep(_LOOK_S)
        raise SystemExit(f"the server is not ready; see {self._folder.with_suffix('.log')}")

    def kill(self, *, engine: bool) -> None:
        """Kill it at once, as the kernel does that has no memory left.

        Args:
            engine: its engine and all that belongs to that as well; otherwise that goes on, as documented.
        """
        victims = {self._process.pid} if self._process is not None else set()
        victims |= self._all() if engine else set()
        for victim in victims:
            with suppress(ProcessLookupError):
                os.kill(victim, signal.SIGKILL)
        if self._process is not None:
            self._process.wait()
        self._process = None

    def stop(self) -> None:
        """Ask it to end, and wait for that."""
        if self._process is not None:
            self._process.terminate()
            self._process.wait()
        self._process = None

    def _all(self) -> set[int]:
        """What runs the project, and what that has begun."""
        found: set[int] = set()
        for process in psutil.process_iter():
            with suppress(psutil.Error):
                words = process.cmdline()
                if str(self._folder) in words and "kaicep" in words:
                    found |= {process.pid, *(child.pid for child in process.children(recursive=True))}
        return found


class Consumption:
    """Notes what processes use of the processor and of memory, every other second, until it is stopped.

    Args:
        folder: of the project: what runs it may have been begun by a server that was killed.

    Attributes:
        cpu: seconds so far, by role.
        memory: resident bytes at each look, by role, with the moment.
    """

    def __init__(self, folder: Path) -> None:
        self._folder, self._own = folder, os.getpid()
        self.cpu: dict[str, float] = defaultdict(float)
        self.memory: list[tuple[float, dict[str, int]]] = []
        self._known: dict[tuple[int, float], float] = {}
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """End."""
        self._stopping.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._stopping.wait(_SAMPLE_S):
            self._look()

    def _look(self) -> None:
        memory: dict[str, int] = defaultdict(int)
        for process in self._all():
            with suppress(psutil.Error):
                role = _role(" ".join(process.cmdline()))
                times, key = process.cpu_times(), (process.pid, process.create_time())
                used = times.user + times.system
                self.cpu[role] += used - self._known.get(key, 0.0)
                self._known[key] = used
                memory[role] += process.memory_info().rss
        self.memory.append((time.time(), dict(memory)))

    def _all(self) -> set[psutil.Process]:
        own = psutil.Process(self._own)
        found = {own, *own.children(recursive=True)}
        for process in psutil.process_iter():
            with suppress(psutil.Error):
                if str(self._folder) in process.cmdline():
                    found |= {process, *process.children(recursive=True)}
        return found


def _role(line: str) -> str:
    return next((role for sign, role in _SIGNS if sign in line), OTHERS)
