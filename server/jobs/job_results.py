"""Results of jobs that are documents, as files: they may be large, and wait to be fetched."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

from ...storage import is_running, write_atomically
from ..problem import ProblemError
from ..sparql import Document

__all__ = ["JobResults"]


class JobResults:
    """The documents of one server.

    Args:
        folder: of the servers of a project; each has a folder in it, which ends with it.
    """

    def __init__(self, folder: Path) -> None:
        self._all, self._own = folder, folder / str(os.getpid())

    def keep(self, job: str, document: Document) -> dict[str, Any]:
        """Keep the document of a job; what the job tells of it, `media_type` and `bytes`.

        Raises:
            ProblemError: 503, there is no room for it.
        """
        try:
            if not self._own.is_dir():
                self._remove_left()
                self._own.mkdir(parents=True)
            with write_atomically(self._own / job) as temporary:
                temporary.write_bytes(document.content)
        except OSError as error:
            raise ProblemError(503, f"the result cannot be kept: {error}", "see that the disk has room") from error
        return {"media_type": document.media_type, "bytes": len(document.content)}

    def find(self, job: str) -> Path | None:
        """The file of a job's document; `None`: it has none."""
        file = self._own / job
        return file if file.is_file() else None

    def drop(self, job: str) -> None:
        """Forget it."""
        (self._own / job).unlink(missing_ok=True)

    def close(self) -> None:
        """Forget all."""
        shutil.rmtree(self._own, ignore_errors=True)

    def _remove_left(self) -> None:
        """Remove what servers have left that were killed."""
        for folder in self._all.glob("*"):
            if not is_running(folder.name):
                shutil.rmtree(folder, ignore_errors=True)
