"""What a semantic subquery has cost, and of how much it holds."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, fields, replace

import numpy as np

from .event_selection import Mask

__all__ = ["KeyCount", "SubqueryStatistics"]

_MOST_KEYS = 100_000


@dataclass(slots=True)
class SubqueryStatistics:
    """What a subquery has cost so far, and of how much it holds.

    Attributes:
        events: events that it was asked about.
        keys: verdicts that were looked up: one per distinct key of a batch; without buffer or cache one per event.
        hits: those that were there already, from the cache or materialised; that says nothing of what they are.
        misses: those that had to be evaluated.
        evaluation_seconds: time spent in SPARQL, that of materialisation included.
        seconds: time spent in all, materialisation not included.
        held: events of which it holds.
        distinct: distinct keys that the events of the stream had, most often individuals; `None`: nobody has counted.
        holding: those of which it holds, whatever its conditions on columns say.
    """

    events: int = 0
    keys: int = 0
    hits: int = 0
    misses: int = 0
    evaluation_seconds: float = 0.0
    seconds: float = 0.0
    held: int = 0
    distinct: int | None = None
    holding: int | None = None

    def add(self, other: SubqueryStatistics) -> None:
        """Count what another has cost as well; which keys hold by other knowledge says nothing here."""
        for field in fields(self):
            if field.name not in ("distinct", "holding"):
                setattr(self, field.name, getattr(self, field.name) + getattr(other, field.name))

    @property
    def hit_rate(self) -> float | None:
        """Hits per key; `None` before the first."""
        return self.hits / self.keys if self.keys else None

    def __str__(self) -> str:
        rate = "no verdict asked for" if self.hit_rate is None else f"{self.keys:,} verdicts, {self.hit_rate:.1%} ready"
        return (
            f"holds for {self.held:,} of {self.events:,} events{self._of_keys}; {rate}, "
            f"{self.misses:,} evaluated in {1e3 * self.evaluation_seconds:,.1f} ms, {1e3 * self.seconds:,.1f} ms in all"
        )

    @property
    def _of_keys(self) -> str:
        return "" if self.distinct is None else f" ({self.holding or 0:,} of {self.distinct:,} keys)"


class KeyCount:
    """The distinct keys that a subquery was asked about, and which of them hold; of too many none is counted."""

    def __init__(self) -> None:
        self._asked: set[Hashable] | None = set()
        self._holding: set[Hashable] = set()

    def note(self, keys: Sequence[Hashable], holds: Mask) -> None:
        """Note keys, and whether the subquery holds of each."""
        if self._asked is None:
            return
        self._asked.update(keys)
        self._holding.update(keys[place] for place in np.flatnonzero(holds).tolist())
        if len(self._asked) > _MOST_KEYS:
            self._asked, self._holding = None, set()

    def uncountable(self) -> None:
        """Give up: the keys are combinations that nobody looks at one by one."""
        self._asked = None

    def counted(self, statistics: SubqueryStatistics) -> SubqueryStatistics:
        """The statistics, with these numbers."""
        if not self._asked:
            return replace(statistics)
        return replace(statistics, distinct=len(self._asked), holding=len(self._holding))
