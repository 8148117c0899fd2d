"""The arrival of a batch: since when its first record has waited."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from .batch_journal import Files

__all__ = ["arrival_of"]


def arrival_of(root: Path, files: Files, planned: datetime) -> datetime:
    """Wall clock when the first record of a batch came: the first of its files, else when the batch was planned.

    A file has come when its entry was changed last (`ctime`): a copy may keep the time at which it was written
    elsewhere. Batches of bounded size come in time one by one, while more and more files wait for them.

    Args:
        root: the project's folder, from which the journal names files.
        files: by stream, those of the batch.
        planned: when the batch was planned.
    """
    first = planned.timestamp()
    for names in files.values():
        for name in names:
            with suppress(OSError):  # such as one that was read and is gone
                first = min(first, (root / name).stat().st_ctime)
    return datetime.fromtimestamp(first, UTC)
