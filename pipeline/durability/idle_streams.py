"""Silent streams: their watermarks are moved by wall clock, and where to is durable before it takes effect."""

from __future__ import annotations

from datetime import datetime

from ...archive.log import IdleWatermarkLog, Position
from ..flow import Dataflow
from .idleness import Idleness

__all__ = ["Silence", "advances_of"]


class Silence:
    """Moves the watermarks of a data flow's silent streams, in each batch once.

    Args:
        advances: where it is kept what was moved.
        generation: of the log's batches.
        forgets: nobody replays the log: only the batch at work is kept.
    """

    def __init__(self, advances: IdleWatermarkLog, generation: int, *, forgets: bool) -> None:
        self._advances = advances
        self._generation = generation
        self._forgets = forgets
        self._since: Position | None = None

    def move(self, dataflow: Dataflow, batch: int, *, quiet: bool, idleness: Idleness | None) -> None:
        """Move the watermarks of silent streams.

        A batch that may have been begun before moves what it moved then and nothing else, so its rows are the same.

        Args:
            dataflow: whose they are.
            batch: its number.
            quiet: it has no record.
            idleness: `None`: the batch may have been begun before, or wall clock moves nothing.
        """
        if not quiet:
            self._since = None
        position = Position(self._generation, batch)
        if idleness is None:
            watermarks = self._advances.read(position)
        else:
            watermarks = advances_of(dataflow, idleness)
            self._advances.write(position, watermarks, self._since)
        if watermarks:
            self._since = position  # with no event in between, the next note replaces this one
        dataflow.advance(watermarks)
        if self._forgets:
            self._advances.remove(before=position)


def advances_of(dataflow: Dataflow, idleness: Idleness) -> dict[str, datetime]:
    """Which watermarks silence moves now, and where to."""
    return idleness.advances(dataflow.due, dataflow.watermarks, dataflow.begun)
