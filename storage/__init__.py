"""Bytes in, durable files out: atomic writes and locks between processes; compressed files as what they hold."""

from __future__ import annotations

from .atomic_write import append_durably, fsync, make_folder, remove_temporaries, write_atomically
from .checked_text import read_checked, write_checked
from .compression import COMPRESSIONS, UNPACKING_ERRORS, open_unpacked, uncompressed_name, unpack
from .disk_usage import folder_size
from .process_lock import ProcessLock, is_running
from .transient_errors import is_transient

__all__ = [
    "COMPRESSIONS",
    "UNPACKING_ERRORS",
    "ProcessLock",
    "append_durably",
    "folder_size",
    "fsync",
    "is_running",
    "is_transient",
    "make_folder",
    "open_unpacked",
    "read_checked",
    "remove_temporaries",
    "uncompressed_name",
    "unpack",
    "write_atomically",
    "write_checked",
]
