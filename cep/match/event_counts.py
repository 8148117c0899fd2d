"""How much there is per event of what joins find piece by piece, and what of it goes beyond a ceiling.

Nothing is counted as long as all of it together is below the ceiling, so that little costs nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from ...expressions import Ints
from ..limits import Ceilings, Limit
from ..order import Candidates, combine
from .index_probe import BoundRows, JoinKey

__all__ = ["EventCounts", "NewEvents", "largest_partition"]


@dataclass(slots=True)
class EventCounts:
    """Counts by event.

    Attributes:
        first: the number of the first event that is counted.
        events: how many numbers there are from there on.
        most: the ceiling.
        check: raises an error when it is given a count above the ceiling.
        check_all: likewise for the counts of all events together.
        check_time: raises an error when it takes too long.
    """

    first: int
    events: int
    most: int
    check: Callable[[int], None]
    check_all: Callable[[int], None] = lambda _: None
    check_time: Callable[[], None] = lambda: None
    _all: int = field(init=False, default=0)
    _counts: Ints | None = field(init=False, default=None)
    _uncounted: list[tuple[Callable[[], Ints], Ints | None]] = field(init=False, default_factory=list)
    _left: int = field(init=False)

    def __post_init__(self) -> None:
        self._left = self.most

    def add(self, size: int, numbers: Callable[[], Ints], weights: Ints | None = None) -> None:
        """Count something of events.

        Args:
            size: how much it is, of all events together.
            numbers: gives the numbers of the events.
            weights: how much it is of each; `None`: one.

        Raises:
            CeilingError: there is more of one event than the ceiling allows, or it takes too long.
        """
        self.check_time()
        if size:
            self._all += size
            self.check_all(self._all)
            self._uncounted.append((numbers, weights))
            self._left -= size
            if self._left < 0:
                self._count()

    def _count(self) -> None:
        counts = np.zeros(self.events, dtype=np.int64) if self._counts is None else self._counts
        for numbers, weights in self._uncounted:
            # Sums of doubles are exact below 2**53, and a ceiling is passed long before.
            counts = counts + np.bincount(numbers() - self.first, weights, self.events).astype(np.int64)
        most = int(counts.max())
        self.check(most)
        self._counts, self._uncounted, self._left = counts, [], self.most - most


@dataclass(frozen=True, slots=True)
class NewEvents:
    """The events that were released now, of which something is counted.

    Attributes:
        ceilings: of the query.
        first: the number of the first of them.
        events: how many numbers there are from there on.
    """

    ceilings: Ceilings
    first: int
    events: int

    @classmethod
    def among(cls, candidates: Iterable[Candidates], ceilings: Ceilings) -> NewEvents:
        """Those among the candidates of all variables."""
        new = [c.number[c.first_new :] for c in candidates]
        firsts, lasts = [int(n[0]) for n in new if len(n)], [int(n[-1]) for n in new if len(n)]
        first = min(firsts, default=0)
        return cls(ceilings, first, max(lasts, default=first) - first + 1)

    def matches(self) -> EventCounts:
        """Counts of the matches that become true with each."""
        return self._counts("matches_per_event", self.ceilings.check_batch)

    def runs(self) -> EventCounts:
        """Counts of the partial matches of one state that have just taken each: they are all under way."""
        return self._counts("partial_matches_per_partition", self.ceilings.check_begun)

    def pairs(self) -> EventCounts:
        """Counts of what is compared to find the matches that end with each."""
        return self._counts("pairs_per_event")

    def _counts(self, limit: Limit, check_all: Callable[[int], None] = lambda _: None) -> EventCounts:
        check = partial(self.ceilings.check, limit)
        most, check_time = self.ceilings.most(limit), self.ceilings.check_time
        return EventCounts(self.first, self.events, most, check, check_all, check_time)

    def check_waiting(self, keys: Sequence[JoinKey], candidates: Mapping[str, Candidates], rows: BoundRows) -> None:
        """Ask whether so many partial matches may wait in one place of the pattern.

        Raises:
            CeilingError: those of one partition are more than the ceiling allows.
        """
        size = len(next(iter(rows.values()), ()))
        if size > self.ceilings.limits.partial_matches_per_partition:
            self.ceilings.check("partial_matches_per_partition", largest_partition(keys, candidates, rows))


def largest_partition(keys: Sequence[JoinKey], candidates: Mapping[str, Candidates], rows: BoundRows) -> int:
    """How many partial matches there are of the values of the keys that most of them have.

    Args:
        keys: the equalities.
        candidates: by variable, with their codes.
        rows: partial matches, one or more: by bound variable, rows of its candidates.
    """
    codes: list[Ints] = []
    for place, key in enumerate(keys):
        variable = next((v for v in key.expressions if v in rows), None)
        if variable is not None:
            own = candidates[variable].codes[place][rows[variable]]
            codes = combine([own], codes) if codes else [own]
    if not codes:
        return len(next(iter(rows.values())))
    return int(np.unique(codes[0], return_counts=True)[1].max())
