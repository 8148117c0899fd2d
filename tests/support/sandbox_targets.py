"""What the sandbox has to notice."""

from __future__ import annotations

import os
import signal
import tempfile
import time

from kaicep import KaicepError

__all__ = ["ends", "ends_amid_files", "raises", "refuses", "takes_memory", "takes_time"]


def raises(_: bytes) -> None:
    """A traceback."""
    raise RecursionError


def ends(content: bytes) -> None:
    """A crash; of no content nothing, for that is how the sandbox warms up."""
    if content:
        os.kill(os.getpid(), signal.SIGSEGV)


def ends_amid_files(content: bytes) -> str:
    """A crash, with a folder in use; of no content the folder, which stays."""
    folder = tempfile.mkdtemp()
    if content:
        os.kill(os.getpid(), signal.SIGKILL)
    return folder


def takes_memory(content: bytes) -> int:
    """580 MB."""
    return len(b"x" * 580_000_000) if content else 0


def takes_time(content: bytes) -> int:
    """More than two seconds."""
    began = time.process_time()
    while content and time.process_time() - began < 2.2:
        sum(range(100_000))
    return 0


def refuses(_: bytes) -> None:
    """As it should."""
    raise KaicepError("no", hint="way out")
