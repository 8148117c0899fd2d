"""When the whole state is written: a large one not after each small batch, since the log leads on from an older one."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto

__all__ = ["SnapshotDue", "SnapshotInterval"]

_LARGE = 1_000_000
_BATCHES = 100
_ROW = 100
"""About so many bytes of state are worth a row that is replayed."""


class SnapshotDue(Enum):
    """Whether the state after a batch is to be written.

    Attributes:
        NOT: the log leads on from an older one.
        LATER: it does so too, but the next start would read it for long: beside the next batches.
        NOW: with the batch.
    """

    NOT = auto()
    LATER = auto()
    NOW = auto()


@dataclass(slots=True)
class SnapshotInterval:
    """How long ago the last snapshot was written, and what it would take to go on from there.

    Attributes:
        size: its bytes; `None`: none was written, or the log does not lead on from it.
        batches: that were done since.
        rows: that the log has of them.
    """

    size: int | None = None
    batches: int = 0
    rows: int = 0

    def due(self, rows: int) -> SnapshotDue:
        """Whether the state after one more batch, of so many rows, is to be written: the next start reads it sooner."""
        self.batches, self.rows = self.batches + 1, self.rows + rows
        if self.size is None or self.size < _LARGE:
            return SnapshotDue.NOW
        much = self.batches >= _BATCHES or self.rows * _ROW >= self.size
        return SnapshotDue.LATER if much else SnapshotDue.NOT

    def begun(self) -> None:
        """Count from a batch on whose state is being written."""
        self.batches, self.rows = 0, 0

    def written(self, size: int) -> None:
        """Learn that the state was written with the last batch."""
        self.begun()
        self.size = size

    def written_later(self, size: int) -> None:
        """Learn that the state was written that was `begun` some batches ago."""
        if self.size is not None:
            self.size = size

    def end(self) -> None:
        """Write the state after the next batch: what changed meanwhile is in no log."""
        self.size = None
