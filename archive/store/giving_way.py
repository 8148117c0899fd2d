"""Loads of the store, and compaction behind them, give way to whatever else a machine does (docs/decisions/365).

Linux has a priority for each thread; elsewhere nothing is changed.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

__all__ = ["COMPACTING", "GivingWay"]

COMPACTING = "rocksdb:low"
"""How RocksDB calls its threads that put files together; `rocksdb:high` writes what a copy waits for."""
_LESS, _LEAST = 10, 19
_THREADS = Path("/proc/self/task")


class GivingWay:
    """A thread of lower priority, for calls that take long outside of the interpreter; it begins with the first."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, "kaicep-store-load", initializer=_lower_own)

    def run(self, call: Callable[[], None]) -> None:
        """Do it there, wait for it, and raise what it raises; threads that it begins have that priority as well."""
        try:
            called = self._thread.submit(call)
        except RuntimeError:  # the interpreter ends, and begins nothing any more: that would be taken for damage
            call()
            return
        try:
            called.result()
        finally:
            del called  # what it raises has this frame: the store would be held until garbage is looked for
        for thread in _compacting():  # begun elsewhere: when the store was opened, or by another write
            _lower(thread)

    def close(self) -> None:
        """End the thread."""
        self._thread.shutdown()


def _lower_own() -> None:
    if _THREADS.is_dir():
        _lower(threading.get_native_id())


def _lower(thread: int) -> None:
    """Let one thread have what others leave; the priority of a process is that of its first thread."""
    with suppress(OSError):  # it has just ended
        nice = os.getpriority(os.PRIO_PROCESS, os.getpid()) + _LESS
        os.setpriority(os.PRIO_PROCESS, thread, min(nice, _LEAST))


def _compacting() -> Iterator[int]:
    with suppress(OSError):
        for thread in _THREADS.iterdir():
            with suppress(OSError):
                if (thread / "comm").read_text(encoding="utf-8").strip() == COMPACTING:
                    yield int(thread.name)
