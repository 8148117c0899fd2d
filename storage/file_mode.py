"""Who may read what is written: by default its user alone."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["masked"]


@contextmanager
def masked(umask: str) -> Iterator[None]:
    """Let the files and folders that this process, and those that it starts, make within have no more rights.

    Args:
        umask: octal digits, as the shell's umask: `077` leaves others nothing, `027` lets a group read.
    """
    before = os.umask(int(umask, 8))
    try:
        yield
    finally:
        os.umask(before)
