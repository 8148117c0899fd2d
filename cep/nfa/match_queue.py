"""Matches wait here until all that comes before them in the output is known."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from ...expressions import Names
from ...language.nodes import Element, Group, Query, walk_pattern
from ..limits import EVENT_BYTES, Ceilings
from ..match import AfterMatchSkip, CandidateBuffer, MatchReporter, Partition
from ..output import UNBOUND, MatchFrame, MatchTable
from ..partitions import PartitionWindows
from .shared_buffer import flattened, total_length

__all__ = ["MatchPlace", "MatchQueue", "QueuedMatches"]


QueuedMatches = tuple[int, tuple[Any, ...], tuple[Any, ...]]
"""When matches became true, in microseconds, what begins with T and the number of their first event, and their events.

These are a node of the shared buffer: its sequences are enumerated when they are reported, all at once.
"""

MatchPlace = tuple[int, int, int]
"""Where a match stands in output order: when it became true, and the numbers of its last and its first event."""


class MatchQueue:
    """Holds matches, and reports those in front in output order.

    Args:
        query: the query.
        variables: those that are matched, in order of FROM; events go by their places.
        ceilings: of the query.
        windows: of a query in contexts, what is known of their windows.

    Attributes:
        buffer: their candidates, as far as matches may still hold them.
        found: what waits.
    """

    def __init__(
        self, query: Query, variables: Sequence[str], ceilings: Ceilings, windows: PartitionWindows | None = None
    ) -> None:
        self._ceilings = ceilings
        self._settled = self._bytes = 0
        self._variables, self._repeated = variables, _repeated(query)
        conditions = [c for item in query.items if (c := item.condition) is not None]
        conditions += [] if query.having is None else [query.having]
        self._reporter = MatchReporter(query, conditions, windows, partial=True, ambiguous=True)
        self._reported: list[MatchFrame] = []
        self.buffer = CandidateBuffer({v: [] for v in variables})
        self.found: list[QueuedMatches] = []

    @property
    def names(self) -> Names:
        """See `MatchReporter`."""
        return self._reporter.names

    @property
    def considered(self) -> int:
        """Matches that were found and became due."""
        return self._reporter.considered

    @property
    def skip(self) -> AfterMatchSkip:
        """What AFTER MATCH forbids."""
        return self._reporter.skip

    @property
    def size(self) -> int:
        """How many candidates are kept."""
        return sum(frame.height for frame in self.buffer.frames.values())

    @property
    def earliest(self) -> int | None:
        """The earliest time of what is not reported yet."""
        return min((time for time, _, _ in self.found), default=None)

    def settle(self, before: int) -> None:
        """Find what stands of the matches that became true before a moment, when none before them will be found."""
        due = [match for match in self.found if match[0] < before]
        if due:
            self.found = [match for match in self.found if match[0] >= before] if len(due) < len(self.found) else []
            self._check(due)
            candidates = {v: self.buffer.candidates(v) for v in self._variables}
            standing = self._reporter.standing(self._table(due), candidates)
            reported = self._reporter.report(standing, candidates)
            self._reported += [] if reported is None else [reported]

    def foreseen(
        self, ended: Sequence[QueuedMatches], bound_of: Callable[[Partition], MatchPlace | None]
    ) -> tuple[AfterMatchSkip, MatchFrame | None]:
        """What AFTER MATCH forbids when also those matches are settled before which nothing can come, and these.

        Args:
            ended: more matches than those that wait here.
            bound_of: by partition, where in output order something else may still come; `None`: nowhere.
        """
        trial, known = self._reporter.trial(), [*self.found, *ended]
        if not known:
            return trial.skip, None
        candidates = {v: self.buffer.candidates(v) for v in self._variables}
        matches = self._table(known)
        ends = (matches.last_numbers(candidates), matches.first_numbers(candidates))
        places = zip(*(column.tolist() for column in (matches.time, *ends)), strict=True)
        bounds = map(bound_of, trial.skip.partitions(matches, candidates))
        settled = [bound is None or place < bound for place, bound in zip(places, bounds, strict=True)]
        standing = trial.standing(matches.at(np.array(settled)), candidates)
        return trial.skip, trial.report(standing, candidates)

    def report(self) -> MatchFrame | None:
        """What was settled."""
        reported, self._reported = self._reported, []
        self._settled = self._bytes = 0
        return MatchFrame.joined(reported) if reported else None

    def _check(self, due: Sequence[QueuedMatches]) -> None:
        """Ask whether so many matches may be enumerated for one batch.

        Raises:
            CeilingError: they may not.
        """
        nodes = [node for _, _, node in due]
        count = sum(node[0] for node in nodes)
        self._settled += count
        self._ceilings.check_batch(self._settled)
        self._bytes += count * self._ceilings.row_bytes + EVENT_BYTES * total_length(nodes)
        self._ceilings.check_batch(self._settled, self._bytes)

    def _table(self, due: Sequence[QueuedMatches]) -> MatchTable:
        """Matches as columns."""
        nodes = [node for _, _, node in due]
        place_of, row_of, length = flattened(nodes)
        count = len(length)
        match_of = np.repeat(np.arange(count), length)
        rows, offsets = {}, {}
        for place, v in enumerate(self._variables):
            own = np.flatnonzero(place_of == place)
            of_variable = row_of[own] - self.buffer.forgotten.get(v, 0)
            if v in self._repeated:
                rows[v] = of_variable
                offsets[v] = np.concatenate([[0], np.cumsum(np.bincount(match_of[own], minlength=count))])
            else:
                rows[v] = np.full(count, UNBOUND)
                rows[v][match_of[own]] = of_variable
        time = np.repeat(np.array([time for time, _, _ in due], dtype=np.int64), [node[0] for node in nodes])
        return MatchTable(np.zeros(count, dtype=np.int64), rows, time, offsets)

    def tables(self) -> dict[str, pl.DataFrame]:
        """The candidates, and what AFTER MATCH forbids."""
        return {f"kept.{v}": frame for v, frame in self.buffer.frames.items()} | self.skip.tables()

    def load(self, tables: Mapping[str, pl.DataFrame], forgotten: Mapping[str, int]) -> None:
        """Go on from what `tables` gave; `forgotten`: see `CandidateBuffer`."""
        self.buffer.frames = {v: tables[f"kept.{v}"] for v in self._variables if f"kept.{v}" in tables}
        self.buffer.forgotten = dict(forgotten)
        self.skip.load(tables)


def _repeated(query: Query) -> frozenset[str]:
    """The variables that a match may bind to several events: those of quantifiers, and of groups that have one."""
    parts = [] if query.pattern is None else list(walk_pattern(query.pattern))
    outermost = [part for part in parts if isinstance(part, Group) or (isinstance(part, Element) and part.quantifier)]
    inside = [inner for part in outermost for inner in walk_pattern(part)]
    return frozenset(inner.variable for inner in inside if isinstance(inner, Element))
