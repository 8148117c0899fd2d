"""A sink whose rows others may write for it, where they are: as a file, which the sink takes over.

Of rows that executors find the driver then has the name of a file, and how many there are (docs/decisions/288).
"""

from __future__ import annotations

import errno
import shutil
from abc import abstractmethod
from pathlib import Path

from ...storage import write_atomically
from ..flow import RowTarget
from .sink import PieceSink

__all__ = ["FileSink", "take_over"]


class FileSink(PieceSink):
    """A sink that takes what a `RowTarget` has written."""

    @abstractmethod
    def target(self, query_name: str) -> RowTarget | None:
        """How rows of a query are written for it; `None`: they have to be given."""

    @abstractmethod
    def take(self, batch_id: int, query_name: str, path: Path) -> None:
        """Take the rows of one query in one batch, instead of `begin`; the same batch again must change nothing.

        Args:
            batch_id: the batch.
            query_name: the query.
            path: what `target` wrote, which is there no more afterwards.
        """


def take_over(path: Path, target: Path) -> None:
    """Give a durable file its place, also on another disk; its name there is not durable yet."""
    try:
        path.replace(target)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        with write_atomically(target, sync_folder=False) as temporary:
            shutil.copyfile(path, temporary)
        path.unlink()
