"""Consumption modes (Snoop's contexts): which pairs stand, and what waits no more.

An event waits for those that complete it; in SEQ what completes comes first among events of one time stamp, because it
is for those of earlier ones. Of two variables, what waits is what is kept of each: nothing else is remembered. Of
more, what was paired waits in turn (`joins/mode_search.py`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import timedelta

import numpy as np
import polars as pl

from ...expressions import Bools, Ints, column_expression, micros
from ...language.nodes import AfterMatchKind, Conjunction, Element, Query
from ..order import UNBOUNDED, Candidates
from ..output import MatchTable

__all__ = ["ConsumptionMode", "Occurrences"]

_WAITS, _COMPLETES = 1, 0


@dataclass(frozen=True, slots=True)
class Occurrences:
    """What waits or completes, in order: the events of one variable, or what was paired before.

    Attributes:
        time: the time stamp of each, of several events that of the last.
        number: its place among the occurrences of both sides; solutions of one event have the same.
        group: a number for what waits apart from others: the value of BY, in each partition.
    """

    time: Ints
    number: Ints
    group: Ints


Sides = tuple[Occurrences, Occurrences]


@dataclass(frozen=True, slots=True)
class _Pairs:
    """Of each match what waited and what completes it.

    Attributes:
        waiting: the side of what waited.
        first: the number of what waited.
        last: the number of what completes the match.
        moment: the time stamp of that.
        row: of what waited, in its side.
    """

    waiting: Ints
    first: Ints
    last: Ints
    moment: Ints
    row: Ints


@dataclass(slots=True)
class _Waiting:
    """What waits while a batch is gone through, where KEEP counts.

    Attributes:
        consumed: (side, number) of what waits no more.
        left: rows that had to leave, by side.
        queues: by side and value of BY, the rows that wait.
    """

    consumed: set[tuple[int, int]] = field(default_factory=set)
    left: dict[int, set[int]] = field(default_factory=lambda: defaultdict(set))
    queues: dict[tuple[int, int], list[int]] = field(default_factory=lambda: defaultdict(list))

    def add(self, side: int, group: int, row: int, numbers: Ints, most: int) -> None:
        """Let something wait; of more than `most` the oldest leave."""
        if (side, int(numbers[row])) in self.consumed:
            return
        queue = self.queues[side, group]
        queue[:] = [one for one in queue if (side, int(numbers[one])) not in self.consumed]
        queue.append(row)
        kept = sorted({int(numbers[one]) for one in queue})[-most:]
        self.left[side].update(one for one in queue if numbers[one] < kept[0])
        queue[:] = [one for one in queue if numbers[one] >= kept[0]]


class ConsumptionMode:
    """The mode of a query: what it pairs of the first variables, paired before, and of the next.

    Args:
        query: a query whose POLICY is a mode.
        count: how many variables come before the next.

    Attributes:
        spent: of each side, what waits no more, behind what was gone through last.
    """

    def __init__(self, query: Query, count: int = 1) -> None:
        pattern, after = query.pattern, query.after_match
        parts = () if pattern is None or not hasattr(pattern, "parts") else pattern.parts
        self._either = isinstance(pattern, Conjunction)
        self._variables = [part.variable for part in parts if isinstance(part, Element)]
        self._kind = after.kind
        self._by = {v: column_expression(key) for v, key in after.by}
        self._partition = [dict(columns) for columns in query.partition_by]
        keep = [dict(after.keep).get(v) for v in self._variables[count - 1 : count + 1]]
        self._most = {side: extent for side, extent in enumerate(keep) if isinstance(extent, int)}
        self._long = {side: micros(extent) for side, extent in enumerate(keep) if isinstance(extent, timedelta)}
        nobody = np.empty(0, dtype=bool)
        self.spent: tuple[Bools, Bools] = (nobody, nobody)

    def standing(self, matches: MatchTable, candidates: Mapping[str, Candidates]) -> MatchTable:
        """The matches of two variables that stand; of cumulative, all of one event that completes as one."""
        sides, pairs = self._pairs(matches, candidates)
        chosen = self._chosen(sides, pairs)
        return self._together(matches, pairs, chosen) if self._kind is AfterMatchKind.CUMULATIVE else matches.at(chosen)

    def together(self, matches: MatchTable, candidates: Mapping[str, Candidates]) -> MatchTable:
        """The same of matches that stand."""
        if self._kind is not AfterMatchKind.CUMULATIVE:
            return matches
        _, pairs = self._pairs(matches, candidates)
        return self._together(matches, pairs, np.arange(len(matches.time)))

    def _pairs(self, matches: MatchTable, candidates: Mapping[str, Candidates]) -> tuple[Sides, _Pairs]:
        a, b = (self._occurrences(v, candidates[v]) for v in self._variables)
        rows = [matches.rows[v] for v in self._variables]
        return (a, b), self._in_time((a, b), (rows[0], rows[1]))

    def let_go(self, time: Ints, side: int) -> Ints:
        """When KEEP lets go of what waits on a side, of these time stamps."""
        return time + self._long[side] if side in self._long else np.full(len(time), UNBOUNDED)

    def chosen(self, sides: Sides, rows: tuple[Ints, Ints]) -> Ints:
        """The places of the pairs that stand.

        Args:
            sides: all that waits, and all that came.
            rows: of each pair, those of its sides.
        """
        return self._chosen(sides, self._in_time(sides, rows))

    def groups(self, frames: Mapping[str, pl.DataFrame]) -> Ints:
        """What waits apart: the values of BY of its variables, in each partition.

        Args:
            frames: by variable, its events, a row for each occurrence.
        """
        first, height = next(iter(frames)), next(iter(frames.values())).height
        keys = [frames[first].select(pl.col(of[first]).alias(f"#{i}") for i, of in enumerate(self._partition))]
        keys += [frame.select(self._by[v].alias(f"?{v}")) for v, frame in frames.items() if v in self._by]
        together = pl.DataFrame([column for key in keys for column in key.get_columns()])
        if not together.width or not height:
            return np.zeros(height, dtype=np.int64)
        return together.select(pl.struct(pl.all()).rank("dense").cast(pl.Int64)).to_series().to_numpy()

    @property
    def forbidden(self) -> dict[str, Bools]:
        """Of two variables, which candidates wait no more."""
        return dict(zip(self._variables, self.spent, strict=True))

    def _occurrences(self, variable: str, of: Candidates) -> Occurrences:
        return Occurrences(of.time, of.number, self.groups({variable: of.frame}))

    def _chosen(self, sides: Sides, pairs: _Pairs) -> Ints:
        self.spent = self._too_old(sides)
        if self._kind is AfterMatchKind.RECENT:
            return np.flatnonzero(self._newest(pairs, sides))
        state, places = self._consuming(pairs, sides)
        for side, (of, spent) in enumerate(zip(sides, self.spent, strict=True)):
            np.logical_or(spent, np.isin(of.number, [n for where, n in state.consumed if where == side]), out=spent)
            spent[list(state.left[side])] = True
        return np.array(places, dtype=np.int64)

    def _in_time(self, sides: Sides, rows: tuple[Ints, Ints]) -> _Pairs:
        """Who waited and who completes."""
        numbers = np.stack([of.number[own] for of, own in zip(sides, rows, strict=True)])
        times = np.stack([of.time[own] for of, own in zip(sides, rows, strict=True)])
        waiting = np.where(numbers[0] > numbers[1], 1, 0) if self._either else np.zeros(len(rows[0]), dtype=np.int64)
        every = np.arange(len(waiting))
        return _Pairs(
            waiting,
            numbers[waiting, every],
            numbers[1 - waiting, every],
            times[1 - waiting, every],
            np.stack(rows)[waiting, every],
        )

    def _too_old(self, sides: Sides) -> tuple[Bools, Bools]:
        """What KEEP lets wait for no event to come, and what never waits: the last of SEQ."""
        latest = max((int(of.time.max()) for of in sides if len(of.time)), default=0)
        found = [np.full(len(of.time), side == 1 and not self._either) for side, of in enumerate(sides)]
        for side, length in self._long.items():
            found[side] |= sides[side].time <= latest - length
        return found[0], found[1]

    def _in_keep(self, pairs: _Pairs, sides: Sides) -> Bools:
        """Whether who waited has not waited longer than KEEP says."""
        inside = np.ones(len(pairs.row), dtype=bool)
        for side, length in self._long.items():
            own = np.flatnonzero(pairs.waiting == side)
            inside[own] = pairs.moment[own] - sides[side].time[pairs.row[own]] < length
        return inside

    def _newest(self, pairs: _Pairs, sides: Sides) -> Bools:
        """Which matches pair the newest that waits; what newer ones replace waits no more."""
        stands = self._in_keep(pairs, sides)
        for side, (of, spent) in enumerate(zip(sides, self.spent, strict=True)):
            number, moment = _successors(of)
            np.logical_or(spent, number >= 0, out=spent)
            own = np.flatnonzero(pairs.waiting == side)
            after, row = number[pairs.row[own]], pairs.row[own]
            if self._either:
                later = (after > pairs.last[own]) | ((after == pairs.last[own]) & (side == 1))
            else:
                later = moment[row] >= pairs.moment[own]
            stands[own] &= (after < 0) | later
        return stands

    def _consuming(self, pairs: _Pairs, sides: Sides) -> tuple[_Waiting, list[int]]:
        """Go through what completes, in order: each depends on what those before it have used up."""
        state, chosen = _Waiting(), list[int]()
        for matches, arrival in self._steps(pairs, sides):
            if arrival is not None:
                side, group, row = arrival
                state.add(side, group, row, sides[side].number, self._most[side])
                continue
            side, last = int(pairs.waiting[matches[0]]), int(pairs.last[matches[0]])
            free = [m for m in matches if (side, int(pairs.first[m])) not in state.consumed]
            free = [m for m in free if int(pairs.row[m]) not in state.left[side]]
            if self._kind is AfterMatchKind.CHRONICLE and free:
                oldest = min(int(pairs.first[m]) for m in free)
                free = [m for m in free if pairs.first[m] == oldest]
            if free:
                state.consumed.update((side, int(pairs.first[m])) for m in free)
                state.consumed.add((1 - side, last))
                chosen += free
        return state, chosen

    def _steps(self, pairs: _Pairs, sides: Sides) -> Iterator[tuple[list[int], tuple[int, int, int] | None]]:
        """In order: the matches that something completes, or what begins to wait where KEEP counts."""
        steps: dict[tuple[int, ...], list[int]] = defaultdict(list)
        inside = np.flatnonzero(self._in_keep(pairs, sides))
        columns = (pairs.moment, pairs.last, 1 - pairs.waiting)
        for m, moment, last, side in zip(inside.tolist(), *(c[inside].tolist() for c in columns), strict=True):
            steps[self._key(moment, last, side, _COMPLETES)].append(m)
        arrivals: dict[tuple[int, ...], tuple[int, int, int]] = {}
        for side in self._most if self._either else self._most.keys() & {0}:
            own = sides[side]
            columns = (own.time, own.number, own.group)
            for row, (moment, number, group) in enumerate(zip(*(c.tolist() for c in columns), strict=True)):
                arrivals[(*self._key(moment, number, side, _WAITS), row)] = (side, group, row)
        for key in sorted([*steps, *arrivals]):
            yield (steps[key], None) if key in steps else ([], arrivals[key])

    def _key(self, moment: int, number: int, side: int, what: int) -> tuple[int, ...]:
        return (number, side, what) if self._either else (moment, what, number)

    def _together(self, matches: MatchTable, pairs: _Pairs, chosen: Ints) -> MatchTable:
        """One match of all that one event completes: the variables are runs."""
        of = {v: matches.rows[v][chosen] for v in self._variables}
        waiting, last, first = pairs.waiting[chosen], pairs.last[chosen], pairs.first[chosen]
        order = np.lexsort((first, waiting, last))
        waiting, last = waiting[order], last[order]
        begins = np.flatnonzero(np.diff(last, prepend=-1) | np.diff(waiting, prepend=-1)) if len(last) else order
        ends = np.append(begins[1:], len(order))
        rows, offsets = {}, {}
        for place, v in enumerate(self._variables):
            whole = of[v][order]
            of_one = waiting[begins] != place  # the one event that completes
            counts = np.where(of_one, 1, ends - begins)
            taken = np.concatenate(
                [np.empty(0, np.int64), *(np.arange(b, b + n) for b, n in zip(begins, counts, strict=True))]
            )
            rows[v], offsets[v] = whole[taken], np.concatenate([[0], np.cumsum(counts)])
        firsts = chosen[order][begins]
        windows = None if matches.windows is None else matches.windows[firsts]
        return MatchTable(matches.disjunct[firsts], rows, matches.time[firsts], offsets, windows)


def _successors(of: Occurrences) -> tuple[Ints, Ints]:
    """Of each, number and time stamp of the next of its group; −1: there is none yet."""
    frame = pl.DataFrame({"group": of.group, "number": of.number, "time": of.time})
    events = frame.unique(["group", "number"]).sort("group", "number")
    events = events.with_columns(
        after=pl.col("number").shift(-1).over("group"), moment=pl.col("time").shift(-1).over("group")
    )
    found = frame.join(events.drop("time"), on=["group", "number"], how="left", maintain_order="left")
    return found["after"].fill_null(-1).to_numpy(), found["moment"].fill_null(-1).to_numpy()
