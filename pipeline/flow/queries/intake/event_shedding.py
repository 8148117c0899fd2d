"""Shedding: of a query that looks at a share of its source streams only."""

from __future__ import annotations

from collections.abc import Mapping

from .....language.nodes import Query
from ..candidates import EventBatch

__all__ = ["EventShedding"]


class EventShedding:
    """What one query does not look at. What it reads of other queries, and the changes of contexts, it takes whole.

    Args:
        share: of the events that it looks at.
        query: whose.

    Attributes:
        passed: how many events it was given, and has not looked at.
        read: how many it was given.
    """

    def __init__(self, share: float, query: Query) -> None:
        self.share = share
        self.passed = self.read = 0
        self._streams = {source.stream.name for source in query.sources if source.stream.event_type is not None}

    def left(self, events: Mapping[str, EventBatch]) -> dict[str, EventBatch]:
        """The same events without those that are not looked at."""
        left = dict(events)
        for stream in self._streams & events.keys():
            left[stream] = events[stream].sample(self.share)
            given = events[stream].table.num_rows
            self.read, self.passed = self.read + given, self.passed + given - left[stream].table.num_rows
        return left
