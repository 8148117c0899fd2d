"""Variables that SEQ does not name: joined to complete runs, in any order, without a say in what runs take."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import numpy as np
import polars as pl

from ...expressions import Ints
from ..order import UNBOUNDED
from .candidate_buffer import Memory
from .index_probe import Probe
from .match_finder import Partial
from .pattern_plan import PatternPlan, QueryPlan

__all__ = ["Outside"]


class Outside:
    """Remembers complete runs as long as what SEQ does not name may still come.

    Args:
        plan: the query.
        inside: the variables that SEQ names.
    """

    def __init__(self, plan: QueryPlan, inside: frozenset[str]) -> None:
        self._plan = plan
        self._free = [v for v in plan.ways[0].variables if v not in inside]
        self._ended: dict[int, Mapping[str, Ints]] = {}

    def __bool__(self) -> bool:
        return bool(self._free)

    def join(
        self, probe: Probe, memory: Memory, complete: Iterable[tuple[int, Partial]], watermark: int
    ) -> Iterator[tuple[int, Partial]]:
        """The matches whose last event is new: of runs that are complete now, and of those before."""
        new: dict[int, list[Partial]] = {}
        for way, runs in complete:
            new.setdefault(way, []).append(runs)
        for way in {*new, *self._ended}:
            plan = self._plan.ways[way]
            came = _stacked(new[way]) if way in new else None
            before = memory.current(self._ended[way]) if way in self._ended else None
            if came is not None:
                yield from ((way, match) for match in self._extended(plan, probe, came, None))
            if before is not None:
                for newest in range(len(self._free)):
                    yield from ((way, match) for match in self._extended(plan, probe, before, newest))
            kept = [self._open(plan, probe, part, watermark) for part in (before, came) if part is not None]
            self._ended[way] = memory.fixed(_stacked(kept))

    def _extended(self, plan: PatternPlan, probe: Probe, runs: Partial, newest: int | None) -> Iterator[Partial]:
        """Runs with every event of the other variables; `newest`: the first of these whose event is new."""

        def extend(partial: Partial, place: int) -> Iterator[Partial]:
            if place == len(self._free):
                yield partial
                return
            variable = self._free[place]
            own = probe.candidates[variable]
            start, end = self._rows(plan, probe, partial, variable)
            if newest is not None and place < newest:
                end = np.minimum(end, own.first_new)
            elif place == newest:
                start = np.maximum(start, own.first_new)
            ranges = probe.ranges(partial, variable, (start, end))
            for match, rows in probe.pairs(partial, variable, ranges, probe.tests(partial, variable)):
                grown = {**{v: r[match] for v, r in partial.items()}, variable: rows}
                number = own.number[rows]
                apart = np.all([probe.candidates[v].number[grown[v]] != number for v in partial], axis=0)
                yield from extend({v: r[apart] for v, r in grown.items()}, place + 1)

        return extend(runs, 0)

    @staticmethod
    def _rows(plan: PatternPlan, probe: Probe, partial: Partial, variable: str) -> tuple[Ints, Ints]:
        """The rows of `variable` whose time stamps fit those of the bound variables."""
        size = len(next(iter(partial.values())))
        earliest, latest = np.full(size, -UNBOUNDED), np.full(size, UNBOUNDED)
        for other, rows in partial.items():
            time = probe.candidates[other].time[rows]
            if plan.reach[other, variable] < UNBOUNDED:
                np.maximum(earliest, time - plan.reach[other, variable], out=earliest)
            if plan.reach[variable, other] < UNBOUNDED:
                np.minimum(latest, time + plan.reach[variable, other], out=latest)
        own = probe.candidates[variable].time
        return np.searchsorted(own, earliest, "left"), np.searchsorted(own, latest, "right")

    def _open(self, plan: PatternPlan, probe: Probe, runs: Partial, watermark: int) -> Partial:
        """Runs that an event at the watermark or later can still be joined to."""
        size = len(next(iter(runs.values())))
        latest = np.full((len(self._free), size), UNBOUNDED)
        for place, variable in enumerate(self._free):
            for other, rows in runs.items():
                width = plan.reach[variable, other]
                if width < UNBOUNDED:
                    np.minimum(latest[place], probe.candidates[other].time[rows] + width, out=latest[place])
        left = np.flatnonzero(latest.max(axis=0) >= watermark)
        return {v: rows[left] for v, rows in runs.items()}

    def rows(self) -> list[Mapping[str, Ints]]:
        """The rows of the runs that are remembered, as the memory fixed them."""
        return list(self._ended.values())

    def tables(self) -> dict[str, pl.DataFrame]:
        """The runs that are remembered, by way."""
        return {f"ended.{way}": pl.DataFrame(dict(rows)) for way, rows in self._ended.items()}

    def load(self, tables: Mapping[str, pl.DataFrame]) -> None:
        """Go on from what `tables` gave."""
        names = {way: f"ended.{way}" for way in range(len(self._plan.ways))}
        found = {way: tables[name] for way, name in names.items() if name in tables}
        self._ended = {way: {v: frame[v].to_numpy() for v in frame.columns} for way, frame in found.items()}


def _stacked(parts: list[Partial]) -> Partial:
    return {v: np.concatenate([part[v] for part in parts]) for v in parts[0]}
