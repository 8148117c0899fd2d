"""A process that works for another one: it ends with it, gives way to it, and takes no more memory than it may."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING
from weakref import finalize

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

__all__ = ["MOST_MEMORY", "ChildProcess", "serve_parent"]

MOST_MEMORY = 4 * 2**30
"""So many bytes a process may have that answers one question."""
_POLL_S = 1.0
_NICE = 5
_STANDARD_ERROR = 2


class ChildProcess:
    """A Python process at the other end of a pipe; it is ended at the latest when nobody has this object any more.

    It imports what this process can. What it prints goes to standard error, since rows go to standard output.

    Args:
        words: of the number of the file that is its end of the pipe, what stands behind `python`.
        folder: where it runs, and imports from first; `None`: where this process does.
        stops: whether it is stopped now and then. Then it has a process group of its own: one that stands still when
            this process is killed is sent SIGHUP and SIGCONT by the system (POSIX, `_exit`), and ends as others do.

    Attributes:
        connection: this end of the pipe.

    Raises:
        OSError: the system begins no process.
    """

    def __init__(
        self, words: Callable[[int], Sequence[str]], folder: Path | None = None, *, stops: bool = False
    ) -> None:
        from multiprocessing.connection import Pipe  # noqa: PLC0415 - loads sockets, which most commands do not need

        path = [*([] if folder is None else [str(folder)]), *(place for place in sys.path if place)]
        self.connection: Connection
        self.connection, theirs = Pipe()
        with theirs:
            self._process = subprocess.Popen(  # noqa: S603 - our own interpreter and module
                [sys.executable, *words(theirs.fileno())],
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=_STANDARD_ERROR,
                pass_fds=[theirs.fileno()],
                process_group=0 if stops else None,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(path)},
            )
        finalize(self, self._process.kill)

    @property
    def runs(self) -> bool:
        """Whether it has not ended."""
        return self._process.poll() is None

    @property
    def number(self) -> int:
        """Of the process."""
        return self._process.pid

    def stop(self, *, wait: bool = False) -> None:
        """Let it stand still, from any thread; `wait` until it does, or has ended."""
        self._process.send_signal(signal.SIGSTOP)
        if wait:
            with suppress(ChildProcessError):  # it has ended before
                os.waitid(os.P_PID, self._process.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)

    def go_on(self) -> None:
        """Let it go on, likewise."""
        self._process.send_signal(signal.SIGCONT)

    def give_way(self) -> None:
        """Let others come first from now on; there is no way back."""
        with suppress(OSError):  # it has just ended
            os.setpriority(os.PRIO_PROCESS, self._process.pid, os.getpriority(os.PRIO_PROCESS, 0) + _NICE)

    def kill(self) -> None:
        """End it, from any thread; whoever waits for what it sends meets an `EOFError` or `OSError`."""
        self._process.kill()

    def close(self) -> None:
        """End it, and give back what it took of this process."""
        self._process.kill()
        self._process.wait()
        self.connection.close()


def serve_parent(memory: int | None = MOST_MEMORY, *, gives_way: bool = True) -> None:
    """Become such a process; what is begun without this goes on when the one that waits for it was killed.

    Args:
        memory: bytes of data; whoever asks the system for more gets none; `None`: as many as there are.
        gives_way: whether others come first where processors are few.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal sends Ctrl-C to both, and the other one ends this one
    threading.Thread(target=_end_with_parent, args=(os.getppid(),), daemon=True).start()
    if gives_way:
        os.nice(_NICE)
    if memory is not None:
        resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))


def _end_with_parent(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_POLL_S)
    os._exit(1)
