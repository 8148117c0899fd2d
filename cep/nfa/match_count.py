"""How many matches became true with the event that is looked at."""

from __future__ import annotations

from typing import Any

from ..limits import Ceilings
from .event_layout import NUMBER, ROW
from .shared_buffer import paths

__all__ = ["MatchCount"]

_TOLD_APART = 10_000
"""So many sequences, or twice the ceiling, are told apart; beyond that there are too many even if they are alike."""


class MatchCount:
    """Counts sequences of nodes; several of the same events, as where one side of an OR is empty or the other, are one.

    They are told apart only where all of them are more than the ceiling.

    Args:
        ceilings: of the query.
    """

    def __init__(self, ceilings: Ceilings) -> None:
        self._ceilings = ceilings
        self._most = ceilings.limits.matches_per_event
        self._last = -1
        self._count = 0
        self._unseen: list[tuple[Any, ...]] = []
        self._seen: dict[int, set[frozenset[tuple[int, int]]]] = {}

    def add(self, node: tuple[Any, ...]) -> None:
        """Count the sequences of a node.

        Raises:
            CeilingError: more matches became true with one event than the ceiling allows.
        """
        last = node[3][NUMBER] if len(node) == 4 else -1  # sequences that are held as one may end with several events
        if last != self._last or last < 0:
            self._last, self._count = last, 0
            self._unseen, self._seen = [], {}
        self._count += node[0]
        self._unseen.append(node)
        if self._count <= self._most:
            return
        if self._count > max(2 * self._most, _TOLD_APART):
            self._ceilings.check("matches_per_event", self._count)
        for path in (path for one in self._unseen for path in paths(one)):
            end = max(event[NUMBER] for _, event in path)
            seen = self._seen.setdefault(end, set())
            seen.add(frozenset((place, event[ROW]) for place, event in path))
            if len(seen) > self._most:
                self._ceilings.check("matches_per_event", len(seen))
        self._unseen = []
