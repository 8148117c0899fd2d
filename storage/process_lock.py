"""A lock between processes, which ends with the process that holds it, however that ends; and which processes run."""

from __future__ import annotations

import fcntl
import os
import time
from contextlib import ExitStack
from pathlib import Path
from typing import IO

__all__ = ["ProcessLock", "is_running"]

_POLL_S = 0.02


class ProcessLock:
    """Holds a lock file, within a process as well as between processes."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file: IO[str] | None = None
        self._turn = ""

    def acquire(self, timeout: float = 0.0) -> bool:
        """Take the lock; tell whether it is held now.

        Args:
            timeout: seconds to wait for another holder.

        Raises:
            OSError: the file cannot be made, or its file system has no locks.
        """
        if self._file is not None:
            return True
        deadline = time.monotonic() + timeout
        with ExitStack() as opened:
            file = opened.enter_context(self.path.open("a+", encoding="ascii"))
            while not _try(file):
                if time.monotonic() >= deadline:
                    return False
                time.sleep(_POLL_S)
            self._turn = f"{os.getpid()} {time.monotonic_ns()}"
            file.truncate(0)
            file.write(self._turn)
            file.flush()
            self._file = file
            opened.pop_all()
        return True

    def holder(self) -> str:
        """Name the process that took the lock last."""
        process, *_ = [*self.path.read_text(encoding="ascii").split(), "unknown"]
        return f"process {process}"

    def untouched(self) -> bool:
        """Whether nobody has taken the lock since this did, though it may have let go."""
        return self.path.read_text(encoding="ascii") == self._turn

    def release(self) -> None:
        """Let another take it."""
        if self._file is not None:
            self._file.close()
            self._file = None


def is_running(process: str) -> bool:
    """Whether a process of that number runs; what is no number belongs to nobody."""
    try:
        os.kill(int(process), 0)
    except (ValueError, OverflowError, ProcessLookupError):
        return False
    except PermissionError:
        return True
    return True


def _try(file: IO[str]) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        raise OSError(error.errno, error.strerror, file.name) from error
    return True
