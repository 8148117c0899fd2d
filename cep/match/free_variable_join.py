"""Variables that SEQ does not name: joined to complete matches of SEQ, in any order (docs/semantics.md 3.5).

They have no say in which events SEQ takes. A complete match is remembered as long as an event of theirs may still come
that lies within its WINDOWs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np
import polars as pl

from ...expressions import Ints
from ..order import UNBOUNDED, Bounds
from .candidate_buffer import CandidateBuffer
from .index_probe import BoundRows, IndexProbe

__all__ = ["FreeVariableJoin"]


class FreeVariableJoin:
    """Joins candidates of free variables to complete matches, old ones and new ones.

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
            came = _stacked(new[disjunct]) if disjunct in new else None
            before = buffer.current(self._complete[disjunct]) if disjunct in self._complete else None
            if came is not None:
                yield from ((disjunct, match) for match in self._extended(reach, probe, came, None))
            if before is not None:
                for newest in range(len(self._free)):
                    yield from ((disjunct, match) for match in self._extended(reach, probe, before, newest))
            kept = [self._open(reach, probe, part, watermark) for part in (before, came) if part is not None]
            self._complete[disjunct] = buffer.fixed(_stacked(kept))

    def _extended(self, reach: Bounds, probe: IndexProbe, rows: BoundRows, newest: int | None) -> Iterator[BoundRows]:
        """Matches with every event of the free variables; `newest`: the first of these whose event is new."""

        def extend(partial: BoundRows, place: int) -> Iterator[BoundRows]:
            if place == len(self._free):
                yield partial
                return
            variable = self._free[place]
            own = probe.candidates[variable]
            start, end = self._between(reach, probe, partial, variable)
            if newest is not None and place < newest:
                end = np.minimum(end, own.first_new)
            elif place == newest:
                start = np.maximum(start, own.first_new)
            ranges = probe.ranges(partial, variable, (start, end))
            for match, found in probe.pairs(partial, variable, ranges, probe.tests(partial, variable)):
                grown = {**{v: r[match] for v, r in partial.items()}, variable: found}
                number = own.number[found]
                apart = np.all([probe.candidates[v].number[grown[v]] != number for v in partial], axis=0)
                yield from extend({v: r[apart] for v, r in grown.items()}, place + 1)

        return extend(rows, 0)

    @staticmethod
    def _between(reach: Bounds, probe: IndexProbe, partial: BoundRows, variable: str) -> tuple[Ints, Ints]:
        """The rows of `variable` whose time stamps fit those of the bound variables."""
        size = len(next(iter(partial.values())))
        earliest, latest = np.full(size, -UNBOUNDED), np.full(size, UNBOUNDED)
        for other, rows in partial.items():
            time = probe.candidates[other].time[rows]
            if reach[other, variable] < UNBOUNDED:
                np.maximum(earliest, time - reach[other, variable], out=earliest)
            if reach[variable, other] < UNBOUNDED:
                np.minimum(latest, time + reach[variable, other], out=latest)
        own = probe.candidates[variable].time
        return np.searchsorted(own, earliest, "left"), np.searchsorted(own, latest, "right")

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

    def rows(self) -> list[Mapping[str, Ints]]:
        """The rows of what is remembered, as the buffer fixed them."""
        return list(self._complete.values())

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
