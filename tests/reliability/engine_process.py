"""A `kaicep` process and its Java, begun, ended and looked at from outside."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

__all__ = ["EngineProcess", "kaicep"]

_PATIENCE_S = 300.0
_POLL_S = 0.2


def kaicep(*words: object, timeout: float = _PATIENCE_S) -> subprocess.CompletedProcess[str]:
    """Run a command to its end."""
    command = [sys.executable, "-m", "kaicep", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=timeout)


@dataclass
class EngineProcess:
    """`kaicep run`, or `kaicep archive --follow`, over a project's folder.

    Attributes:
        lives: how often it was begun.
    """

    folder: Path
    words: Sequence[str] = ("run", ".", "--out", "matches.jsonl")
    lives: int = 0
    _process: subprocess.Popen[bytes] | None = field(default=None, repr=False)

    def start(self) -> None:
        """Begin; a group of its own, so that signals reach Java too."""
        self.lives += 1
        with (self.folder / "engine.log").open("ab") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "kaicep", *self.words],
                cwd=self.folder,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    @property
    def running(self) -> bool:
        """Whether it has not ended."""
        return self._process is not None and self._process.poll() is None

    def send(self, number: signal.Signals, *, to_java: bool = True) -> None:
        """Send a signal to it, and to its Java if that is wanted."""
        if self._process is None:
            return
        if to_java:
            os.killpg(self._process.pid, number)
        else:
            self._process.send_signal(number)

    def kill(self) -> None:
        """End it and its Java at once."""
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError):
                self.send(signal.SIGKILL)
            self._process.wait(_PATIENCE_S)

    def stop(self) -> int:
        """Ask it to end; the exit code.

        Raises:
            subprocess.TimeoutExpired: it does not.
        """
        self.send(signal.SIGTERM, to_java=False)
        return self.ended()

    def ended(self) -> int:
        """Wait for its end; the exit code."""
        assert self._process is not None
        return self._process.wait(_PATIENCE_S)

    def java(self) -> list[int]:
        """The process numbers of its Java."""
        assert self._process is not None
        found = subprocess.run(
            ["ps", "-o", "pid=,comm=", "-g", str(self._process.pid)],  # noqa: S607 - whichever ps there is
            capture_output=True,
            text=True,
            check=False,
        )
        return [int(line.split()[0]) for line in found.stdout.splitlines() if line.split()[1] == "java"]

    def status(self) -> dict[str, Any]:
        """What it says of itself; nothing before it has said anything."""
        try:
            found = json.loads((self.folder / "var" / "state" / "status.json").read_bytes())
        except (OSError, ValueError):
            return {}
        return found if self._process is not None and found["process"] == self._process.pid else {}

    def wait_for_batch(self) -> None:
        """Wait until it has done a batch since now, or has ended."""
        before, deadline = self.status().get("batches"), time.monotonic() + _PATIENCE_S
        while self.running:
            now = self.status().get("batches")
            if now is not None and before is not None and now > before:
                return
            before = now if before is None else before
            if time.monotonic() > deadline:
                message = f"no batch within {_PATIENCE_S:.0f} s: {self.status()}"
                raise TimeoutError(message)
            time.sleep(_POLL_S)
