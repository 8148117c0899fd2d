"""Variables that SEQ does not name: joined to complete matches of SEQ, in any order (docs/semantics.md 3.4).

They have no say in which events SEQ takes. A match of SEQ is remembered as long as an event of theirs may still come
that lies within its WINDOWs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import Enum, auto
from functools import partial
from typing import TypeVar

import numpy as np
import polars as pl

from ...expressions import Bools, Ints
from ..order import UNBOUNDED, Bounds
from .candidate_buffer import CandidateBuffer
from .index_probe import BoundRows, IndexProbe

__all__ = ["Age", "FreeVariableJoin", "join_free_variables", "rows_between"]

M = TypeVar("M")


class Age(Enum):
    """Which candidates of a variable are asked for: all, those of earlier calls, those that came now."""

    ANY = auto()
    OLD = auto()
    NEW = auto()


def join_free_variables(
    free: Sequence[str], new: Iterable[M], old: Iterable[M], extended: Callable[[M, str, Age], Iterator[M]]
) -> Iterator[M]:
    """Every combination of a match of SEQ with candidates of the free variables in which something is new.

    Args:
        free: the variables that SEQ does not name, in the order in which they are bound.
        new: matches of SEQ that are complete now, or columns of such matches.
        old: those that were complete before.
        extended: a match with each candidate of a variable that goes with it.
    """

    def bound(match: M, place: int, newest: int | None) -> Iterator[M]:
        """`newest`: the first variable whose candidate is new; those before it have old ones."""
        if place == len(free):
            yield match
            return
        age = Age.ANY if newest is None or place > newest else Age.OLD if place < newest else Age.NEW
        for grown in extended(match, free[place], age):
            yield from bound(grown, place + 1, newest)

    for match in new:
        yield from bound(match, 0, None)
    for match in old:
        for newest in range(len(free)):
            yield from bound(match, 0, newest)


class FreeVariableJoin:
    """Joins columns of matches of SEQ, old ones and new ones.

    Args:
        free: the variables that SEQ does not name.
        reaches: by disjunct of the pattern, how far apart in time the events of a match lie.
    """

    def __init__(self, free: Sequence[str], reaches: Sequence[Bounds]) -> None:
        self._free, self._reaches = free, reaches
        self._complete: dict[int, Mapping[str, Ints]] = {}

    def __bool__(self) -> bool:
        return bool(self._free)

    def join(
        self, probe: IndexProbe, buffer: CandidateBuffer, complete: Iterable[tuple[int, BoundRows]], watermark: int
    ) -> Iterator[tuple[int, BoundRows]]:
        """The matches whose last event is new: of SEQs that are complete now, and of those before."""
        new: dict[int, list[BoundRows]] = {}
        for disjunct, rows in complete:
            new.setdefault(disjunct, []).append(rows)
        for disjunct in {*new, *self._complete}:
            reach = self._reaches[disjunct]
            came = [_stacked(new[disjunct])] if disjunct in new else []
            before = [buffer.current(self._complete[disjunct])] if disjunct in self._complete else []
            for match in join_free_variables(self._free, came, before, partial(_extended, reach, probe)):
                yield disjunct, match
            kept = [self._open(reach, probe, part, watermark) for part in (*before, *came)]
            self._complete[disjunct] = buffer.fixed(_stacked(kept))

    def _open(self, reach: Bounds, probe: IndexProbe, rows: BoundRows, watermark: int) -> BoundRows:
        """Matches of SEQ that an event at the watermark or later can still be joined to."""
        size = len(next(iter(rows.values())))
        latest = np.full((len(self._free), size), UNBOUNDED)
        for place, variable in enumerate(self._free):
            for other, of_other in rows.items():
                width = reach[variable, other]
                if width < UNBOUNDED:
                    np.minimum(latest[place], probe.candidates[other].time[of_other] + width, out=latest[place])
        left = np.flatnonzero(latest.max(axis=0) >= watermark)
        return {v: of_variable[left] for v, of_variable in rows.items()}

    def mark(self) -> Callable[[], None]:
        """What brings back the state of now, once."""
        complete = dict(self._complete)

        def rewind() -> None:
            self._complete = complete

        return rewind

    def rows(self) -> list[Mapping[str, Ints]]:
        """The rows of what is remembered, as the buffer fixed them."""
        return list(self._complete.values())

    def drop(self, buffer: CandidateBuffer, forbidden: Mapping[str, Bools]) -> None:
        """Drop what holds a forbidden candidate."""
        for disjunct, fixed in self._complete.items():
            rows = buffer.current(fixed)
            held = np.any([forbidden[v][of_variable] for v, of_variable in rows.items()], axis=0)
            self._complete[disjunct] = {v: of_variable[~held] for v, of_variable in fixed.items()}

    def tables(self) -> dict[str, pl.DataFrame]:
        """What is remembered, by disjunct."""
        return {f"complete.{disjunct}": pl.DataFrame(dict(rows)) for disjunct, rows in self._complete.items()}

    def load(self, tables: Mapping[str, pl.DataFrame]) -> None:
        """Go on from what `tables` gave."""
        names = {disjunct: f"complete.{disjunct}" for disjunct in range(len(self._reaches))}
        found = {disjunct: tables[name] for disjunct, name in names.items() if name in tables}
        self._complete = {d: {v: frame[v].to_numpy() for v in frame.columns} for d, frame in found.items()}


def _stacked(parts: list[BoundRows]) -> BoundRows:
    return {v: np.concatenate([part[v] for part in parts]) for v in parts[0]}


def _extended(reach: Bounds, probe: IndexProbe, match: BoundRows, variable: str, age: Age) -> Iterator[BoundRows]:
    """Partial matches with each candidate of a variable that their WINDOWs and JOINs admit, and that is not theirs."""
    own = probe.candidates[variable]
    start, end = rows_between(reach, probe, match, variable)
    if age is Age.OLD:
        end = np.minimum(end, own.first_new)
    elif age is Age.NEW:
        start = np.maximum(start, own.first_new)
    ranges = probe.ranges(match, variable, (start, end))
    for places, found in probe.pairs(match, variable, ranges, probe.tests(match, variable)):
        grown = {**{v: rows[places] for v, rows in match.items()}, variable: found}
        number = own.number[found]
        apart = np.all([probe.candidates[v].number[grown[v]] != number for v in match], axis=0)
        yield {v: rows[apart] for v, rows in grown.items()}


def rows_between(reach: Bounds, probe: IndexProbe, match: BoundRows, variable: str) -> tuple[Ints, Ints]:
    """The rows of `variable` whose time stamps fit those of the bound variables."""
    size = len(next(iter(match.values())))
    earliest, latest = np.full(size, -UNBOUNDED), np.full(size, UNBOUNDED)
    for other, rows in match.items():
        time = probe.candidates[other].time[rows]
        if reach[other, variable] < UNBOUNDED:
            np.maximum(earliest, time - reach[other, variable], out=earliest)
        if reach[variable, other] < UNBOUNDED:
            np.minimum(latest, time + reach[variable, other], out=latest)
    own = probe.candidates[variable].time
    return np.searchsorted(own, earliest, "left"), np.searchsorted(own, latest, "right")
