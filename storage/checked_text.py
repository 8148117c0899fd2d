"""Texts that are believed only if they are as they were written: their digest stands in their first line."""

from __future__ import annotations

import hashlib
from pathlib import Path

from .atomic_write import write_atomically

__all__ = ["read_checked", "write_checked"]


def write_checked(path: Path, text: str) -> None:
    """Write a text, as a whole or not at all.

    Raises:
        OSError: it cannot be written.
    """
    with write_atomically(path, sync_folder=False) as temporary:
        temporary.write_text(f"{_digest(text)}\n{text}", encoding="utf-8")


def read_checked(path: Path) -> str | None:
    """The text of a file; `None`: there is none, or it is not as it was written."""
    try:
        digest, _, text = path.read_text(encoding="utf-8").partition("\n")
    except (OSError, UnicodeDecodeError):
        return None
    return text if digest == _digest(text) else None


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
