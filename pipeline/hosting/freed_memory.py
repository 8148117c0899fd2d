"""Memory that a batch gives back is kept for the next one (docs/decisions/212)."""

from __future__ import annotations

import ctypes
import os
import platform

__all__ = ["keep_freed_memory"]

# The parameters of `mallopt` in glibc's malloc.h, and their values in bytes.
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
_KEPT, _OWN_MAPPING = 32 << 20, 16 << 20
_ASKED_OTHERWISE = ("MALLOC_TRIM_THRESHOLD_", "MALLOC_MMAP_THRESHOLD_", "GLIBC_TUNABLES")


def keep_freed_memory() -> bool:
    """Let this process keep up to 32 MiB of what it frees per arena; arrays from 16 MiB on go back at once.

    By itself glibc keeps twice the largest array that was freed so far, so the smaller the pieces are in which a batch
    is answered, the more often are the same pages given back, asked for again and zeroed.

    Returns:
        Whether it does: other C libraries are left alone, and who has set glibc's own variables knows better.
    """
    if platform.libc_ver()[0] != "glibc" or any(name in os.environ for name in _ASKED_OTHERWISE):
        return False
    set_to = ctypes.CDLL(None).mallopt
    return bool(set_to(_TRIM_THRESHOLD, _KEPT) and set_to(_MMAP_THRESHOLD, _OWN_MAPPING))
