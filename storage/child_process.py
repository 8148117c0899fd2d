"""A process that works for another one: it ends with it, gives way to it, and takes no more memory than it may."""

from __future__ import annotations

import os
import resource
import threading
import time

__all__ = ["MOST_MEMORY", "serve_parent"]

MOST_MEMORY = 4 * 2**30
"""So many bytes a process may have that answers one question."""
_POLL_S = 1.0
_NICE = 5


def serve_parent(memory: int = MOST_MEMORY) -> None:
    """Become such a process; what is begun without this goes on when the one that waits for it was killed.

    Args:
        memory: bytes of data; whoever asks the system for more gets none.
    """
    threading.Thread(target=_end_with_parent, args=(os.getppid(),), daemon=True).start()
    os.nice(_NICE)
    resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))


def _end_with_parent(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_POLL_S)
    os._exit(1)
