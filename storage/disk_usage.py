"""How many bytes the files of a folder have."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

__all__ = ["folder_size"]


def folder_size(folder: Path) -> int:
    """Bytes of all files below a folder; those that come and go meanwhile are left out."""
    found = 0
    for place, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(OSError):
                found += (Path(place) / name).stat().st_size
    return found
