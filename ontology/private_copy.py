"""A copy of a closure that may be written to; when nobody has it any more, its files are gone."""

from __future__ import annotations

import shutil
from pathlib import Path
from weakref import finalize

from pyoxigraph import Store

__all__ = ["PrivateCopy"]


class PrivateCopy:
    """A store of one's own.

    Args:
        store: the copy.
        folder: where its files are; `None`: it is in memory.
    """

    def __init__(self, store: Store, folder: Path | None = None) -> None:
        self.store = store
        self.in_memory = folder is None
        if folder is not None:
            finalize(self, shutil.rmtree, folder, ignore_errors=True)
