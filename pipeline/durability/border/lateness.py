"""Lateness: how far batches lie behind what queries ask for, and which query is to wait, or to come back, for that.

Source: EStreams (paper 002) §4.7 and 6, "quality of service"; docs/decisions/250.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from enum import Enum, auto

from ....config import QuerySettings

__all__ = ["Lateness", "Relief"]

_LATE, _GOOD = 3, 10
_HALF = 2


class Relief(Enum):
    """What batches in a row ask for."""

    WAIT = auto()
    RETURN = auto()


@dataclass(slots=True)
class Lateness:
    """Counts batches that are late, and those that leave room.

    One that is late: a query that is answered by it misses its latency. One that leaves room takes at most half of the
    latency of each of them: what comes back needs the rest, and would be sent away again otherwise.

    Attributes:
        services: what is asked of queries.
        late: batches in a row that were late.
        good: batches in a row that left room.
        missed: the greatest priority among those that missed theirs; `None`: none did.
    """

    services: QuerySettings
    late: int = 0
    good: int = 0
    missed: int | None = None

    def note(self, seconds: float, answered: Iterable[str]) -> Relief | None:
        """Note how late a batch was.

        Args:
            seconds: from when its first record came until its rows were durable.
            answered: the queries that are answered by it.

        Returns:
            What is to be done now, if something is.
        """
        asked = {label: self.services.service(label) for label in answered}
        allowed = {label: one.latency.total_seconds() for label, one in asked.items() if one.latency is not None}
        late = [asked[label].priority for label, most in allowed.items() if seconds > most]
        has_room = all(seconds * _HALF <= most for most in allowed.values())
        self.late, self.good = (self.late + 1 if late else 0), (self.good + 1 if has_room else 0)
        self.missed = max(late, default=None if has_room else self.missed)
        if self.late >= _LATE:
            self.late = 0
            return Relief.WAIT
        if self.good >= _GOOD:
            self.good = 0
            return Relief.RETURN
        return None

    def next_to_wait(self, free: Iterable[str]) -> str | None:
        """Which query waits, so that those that miss their latency come sooner; `None`: none that would help them.

        Args:
            free: those that nobody needs, in the order of their registration: of equal ones the last one waits.
        """
        return min(reversed(self.below(free)), key=self._priority, default=None)

    def below(self, labels: Iterable[str]) -> list[str]:
        """Those of some queries that may stand back for those that miss their latency."""
        return [label for label in labels if self.missed is not None and self._priority(label) < self.missed]

    def next_to_return(self, waiting: Collection[str]) -> str | None:
        """Which query comes back: that of the greatest priority, of equal ones that which has waited longest."""
        return max(waiting, key=self._priority, default=None)

    def _priority(self, label: str) -> int:
        return self.services.service(label).priority
