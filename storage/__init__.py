"""Bytes in, durable files out: atomic writes and locks between processes."""

from __future__ import annotations

from .atomic_write import fsync, make_folder, remove_temporaries, write_atomically
from .checked_text import read_checked, write_checked
from .process_lock import ProcessLock

__all__ = [
    "ProcessLock",
    "fsync",
    "make_folder",
    "read_checked",
    "remove_temporaries",
    "write_atomically",
    "write_checked",
]
