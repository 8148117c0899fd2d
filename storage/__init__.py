"""Bytes in, durable files out: atomic writes and locks between processes."""

from __future__ import annotations

from .atomic_write import make_folder, remove_temporaries, replacing, standing_in, sync
from .process_lock import ProcessLock

__all__ = ["ProcessLock", "make_folder", "remove_temporaries", "replacing", "standing_in", "sync"]
