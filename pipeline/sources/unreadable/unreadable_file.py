"""A file of a source that cannot be read (docs/decisions/194)."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from ....errors import PipelineError

__all__ = ["GONE", "FileState", "UnreadableFile", "file_state", "is_torn", "reading_error"]

FileState: TypeAlias = tuple[int, int]
"""Bytes and the time of the last change, nanoseconds: with another one, a file is worth another try."""

GONE = "it was gone before it was read"
_SHORTEST = {".gz": 18, ".bz2": 14}
"""What a compressed file of nothing takes: Spark takes a shorter one for a file without records."""


@dataclass(frozen=True, slots=True)
class UnreadableFile:
    """A file of which nothing was taken.

    Attributes:
        path: of a file of this machine, else its URL.
        reason: why.
        state: before it was last tried; `None`: it was gone, or is no file of this machine.
        fleeting: whether Spark removes it from its place when the batch is done.
    """

    path: str
    reason: str
    state: FileState | None
    fleeting: bool = False

    @property
    def complaint(self) -> str:
        """What is wrong with it, and what to do."""
        if self.state is not None and self.fleeting:
            way_out = "a copy is beside the dead letters: give it again, mended, and it is read"
        elif self.state is not None:
            way_out = "mend it in its place, and it is read"
        elif self.reason == GONE:
            way_out = "put it back, and it is read"
        else:
            way_out = "give it again under another name"
        return f"cannot be read: {self.reason}; {way_out}"


def file_state(path: str | Path) -> FileState | None:
    """The state of a file; `None`: it is not there."""
    try:
        found = os.stat(path)  # noqa: PTH116 - asked for each file of a batch
    except (FileNotFoundError, NotADirectoryError):
        return None
    return found.st_size, found.st_mtime_ns


def is_torn(path: str) -> bool:
    """Whether a compressed file is shorter than any can be, as one that a power cut left."""
    shortest = _SHORTEST.get(os.path.splitext(path)[1].lower())  # noqa: PTH122 - likewise
    if shortest is None:
        return False
    state = file_state(path)
    return state is not None and state[0] < shortest


def reading_error(path: str, reason: str) -> PipelineError:
    """The error of a file that cannot be read now, and may be later."""
    return PipelineError(
        f"cannot read {path}: {reason}", hint="see that it may be read; its batch is read again when that has passed"
    )
