"""What one query takes of the events of its streams, before anything is asked of them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from .....language.nodes import Query
from .....planner import Seam
from ..candidates import EventBatch
from .event_shedding import EventShedding
from .held_events import EventSplits, HeldEvents

__all__ = ["EventIntake"]


class EventIntake:
    """Takes the events of batches in order of arrival.

    Args:
        query: whose.
        share: of the events of source streams, those that are looked at; `None`: all.

    Attributes:
        shed: what it does not look at; `None`: it looks at all.
        seam: what it was given of the past and is not to be given again; `None`: nothing.
        held: what it waits with until it is known in which contexts these events lie.
    """

    def __init__(self, query: Query, share: float | None) -> None:
        self.shed = None if share is None else EventShedding(share, query)
        self.seam: Seam | None = None
        self.held = HeldEvents()
        self._streams = frozenset(source.stream.name for source in query.sources)
        self._holds = False

    def is_whole(self, watermark: datetime | None) -> bool:
        """Whether it takes all events of its streams, as others do, when it is answered up to a watermark."""
        self._pass_seam(watermark)
        return self.seam is None and self.shed is None

    def left(self, events: Mapping[str, EventBatch]) -> Mapping[str, EventBatch]:
        """Of events, those that are looked at, whether its past has given them or not."""
        return events if self.shed is None else self.shed.left(events)

    def taken(self, events: Mapping[str, EventBatch], watermark: datetime | None) -> Mapping[str, EventBatch]:
        """Of what has come, what it takes; it is answered up to a watermark.

        Other queries' rows become events of their streams meanwhile: of more than its own nothing is looked at.
        """
        events = self.left(events)
        self._pass_seam(watermark)
        if self.seam is None:
            return events
        return {stream: _unseen(events[stream], self.seam) for stream in self._streams if stream in events}

    def answered(self, events: Mapping[str, EventBatch], watermark: datetime | None) -> Mapping[str, EventBatch]:
        """Of what it is answered with, what it takes: of what it has waited with all, since it was taken then."""
        return events if self._holds else self.taken(events, watermark)

    def hold(self, events: Mapping[str, EventBatch], watermark: datetime | None) -> None:
        """Wait with what it takes."""
        self._holds = True
        self.held.take(self.taken(events, watermark))

    def release(self, moment: datetime, splits: EventSplits) -> Mapping[str, EventBatch]:
        """What it has waited with and lies before a moment, in order of arrival; it waits with it no more."""
        return self.held.release(moment, splits)

    def _pass_seam(self, watermark: datetime | None) -> None:
        if self.seam is not None and self.seam.passed(watermark):
            self.seam = None


def _unseen(batch: EventBatch, seam: Seam) -> EventBatch:
    table = seam.drop(batch.table)
    return batch if table is batch.table else EventBatch(table)
