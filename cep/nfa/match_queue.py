"""Matches wait here until all that comes before them in the output is known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from ...expressions import Names
from ...language.nodes import Element, Group, Query, walk_pattern
from ..match import AfterMatchSkip, CandidateBuffer, MatchReporter
from ..output import UNBOUND, MatchFrame, MatchTable
from .event_layout import ROW
from .shared_buffer import Path

__all__ = ["MatchPath", "MatchQueue"]


@dataclass(frozen=True, slots=True)
class MatchPath:
    """A match.

    Attributes:
        time: when it became true, in microseconds.
        path: its events, in total order, each with the place of its variable.
    """

    time: int
    path: Path


class MatchQueue:
    """Holds matches, and reports those in front in output order.

    Args:
        query: the query.
        variables: those that are matched, in order of FROM; a path goes by their places.

    Attributes:
        buffer: their candidates, as far as matches may still hold them.
        found: what waits.
    """

    def __init__(self, query: Query, variables: Sequence[str]) -> None:
        self._variables, self._repeated = variables, _repeated(query)
        conditions = [c for item in query.items if (c := item.condition) is not None]
        conditions += [] if query.having is None else [query.having]
        self._reporter = MatchReporter(query, conditions, partial=True, ambiguous=True)
        self._reported: list[MatchFrame] = []
        self.buffer = CandidateBuffer({v: [] for v in variables})
        self.found: list[MatchPath] = []

    @property
    def names(self) -> Names:
        """See `MatchReporter`."""
        return self._reporter.names

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
        return min((match.time for match in self.found), default=None)

    def settle(self, before: int) -> None:
        """Find what stands of the matches that became true before a moment, when none before them will be found."""
        due = [match for match in self.found if match.time < before]
        if due:
            self.found = [match for match in self.found if match.time >= before]
            candidates = {v: self.buffer.candidates(v) for v in self._variables}
            standing = self._reporter.standing(self._table(due), candidates)
            reported = self._reporter.report(standing, candidates)
            self._reported += [] if reported is None else [reported]

    def report(self) -> MatchFrame | None:
        """What was settled."""
        reported, self._reported = self._reported, []
        return MatchFrame.joined(reported) if reported else None

    def _table(self, due: Sequence[MatchPath]) -> MatchTable:
        """Matches as columns."""
        count = len(due)
        flat = np.array([(place, event[ROW]) for match in due for place, event in match.path], dtype=np.int64)
        match_of = np.repeat(np.arange(count), [len(match.path) for match in due])
        rows, offsets = {}, {}
        for place, v in enumerate(self._variables):
            own = np.flatnonzero(flat[:, 0] == place)
            of_variable = flat[own, 1] - self.buffer.forgotten.get(v, 0)
            if v in self._repeated:
                rows[v] = of_variable
                offsets[v] = np.concatenate([[0], np.cumsum(np.bincount(match_of[own], minlength=count))])
            else:
                rows[v] = np.full(count, UNBOUND)
                rows[v][match_of[own]] = of_variable
        time = np.array([match.time for match in due], dtype=np.int64)
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
