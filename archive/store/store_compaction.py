"""Compaction of the store gives way to whatever else the process does (docs/decisions/365)."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

__all__ = ["COMPACTING", "let_compaction_give_way"]

COMPACTING = "rocksdb:low"
"""How RocksDB calls its threads that put files together; `rocksdb:high` writes what a copy waits for."""
_NICE = 10
_THREADS = Path("/proc/self/task")


def let_compaction_give_way() -> None:
    """Let the threads of this process that put files of the store together have what others leave of processors.

    Linux has a priority for each thread; elsewhere nothing is changed.
    """
    with suppress(OSError):
        for thread in _THREADS.iterdir():
            with suppress(OSError):  # one that has just ended
                if (thread / "comm").read_text(encoding="utf-8").strip() == COMPACTING:
                    os.setpriority(os.PRIO_PROCESS, int(thread.name), _NICE)
