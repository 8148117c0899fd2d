"""Consumption modes (Snoop's contexts): which of the matches of two events stand, and what waits no more.

What waits is what is kept of each variable: nothing else is remembered. An event waits for those that complete it; in
SEQ what completes comes first among events of one time stamp, because it is for those of earlier ones.
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
from ..order import Candidates
from ..output import MatchTable

__all__ = ["ConsumptionMode"]

_WAITS, _COMPLETES = 1, 0


@dataclass(frozen=True, slots=True)
class _Pairs:
    """The two events of each match: by row of its candidate, with the place of its variable.

    Attributes:
        waiting: the place of the variable whose event waited.
        first: the number of the event that waited.
        last: the number of the event that completes the match.
        moment: the time stamp of that.
        row: of the candidate that waited.
    """

    waiting: Ints
    first: Ints
    last: Ints
    moment: Ints
    row: Ints


@dataclass(slots=True)
class _Waiting:
    """What waits while events of a batch are gone through, where KEEP counts.

    Attributes:
        consumed: (place of the variable, number) of events that wait no more.
        left: rows of candidates that had to leave, by place of the variable.
        queues: by place of the variable and value of BY, the rows that wait.
    """

    consumed: set[tuple[int, int]] = field(default_factory=set)
    left: dict[int, set[int]] = field(default_factory=lambda: defaultdict(set))
    queues: dict[tuple[int, int], list[int]] = field(default_factory=lambda: defaultdict(list))

    def add(self, place: int, group: int, row: int, numbers: Ints, most: int) -> None:
        """Let a candidate wait; of more events than `most` the oldest leave."""
        if (place, int(numbers[row])) in self.consumed:
            return
        queue = self.queues[place, group]
        queue[:] = [one for one in queue if (place, int(numbers[one])) not in self.consumed]
        queue.append(row)
        kept = sorted({int(numbers[one]) for one in queue})[-most:]
        self.left[place].update(one for one in queue if numbers[one] < kept[0])
        queue[:] = [one for one in queue if numbers[one] >= kept[0]]


class ConsumptionMode:
    """The mode of a query.

    Args:
        query: a query whose POLICY is a mode, over two variables.
    """

    def __init__(self, query: Query) -> None:
        pattern, after = query.pattern, query.after_match
        parts = () if pattern is None or not hasattr(pattern, "parts") else pattern.parts
        self._either = isinstance(pattern, Conjunction)
        self._variables = [part.variable for part in parts if isinstance(part, Element)]
        self._kind = after.kind
        self._by = {v: column_expression(key) for v, key in after.by}
        self._partition = [dict(columns) for columns in query.partition_by]
        self._most = {v: extent for v, extent in after.keep if isinstance(extent, int)}
        self._long = {v: micros(extent) for v, extent in after.keep if isinstance(extent, timedelta)}
        self._spent: dict[str, Bools] = {}

    def spent(self, frames: Mapping[str, pl.DataFrame]) -> dict[str, Bools]:
        """Which of the candidates that are kept wait no more, behind what was gone through last."""
        return {v: self._spent.get(v, np.zeros(frame.height, dtype=bool)) for v, frame in frames.items()}

    def standing(self, matches: MatchTable, candidates: Mapping[str, Candidates]) -> MatchTable:
        """The matches that stand; of cumulative, all of one event that completes as one."""
        pairs = self._in_time(matches, candidates)
        groups = {v: self._groups(v, candidates[v].frame) for v in self._variables}
        self._spent = self._too_old(candidates)
        if self._kind is AfterMatchKind.RECENT:
            return matches.at(self._newest(pairs, groups, candidates))
        state, places = self._consuming(pairs, groups, candidates)
        for place, v in enumerate(self._variables):
            consumed = [number for of, number in state.consumed if of == place]
            self._spent[v] |= np.isin(candidates[v].number, consumed)
            self._spent[v][list(state.left[place])] = True
        chosen = np.array(places, dtype=np.int64)
        return self._together(matches, pairs, chosen) if self._kind is AfterMatchKind.CUMULATIVE else matches.at(chosen)

    def _in_time(self, matches: MatchTable, candidates: Mapping[str, Candidates]) -> _Pairs:
        """Who waited and who completes."""
        (a, b), rows = (candidates[v] for v in self._variables), [matches.rows[v] for v in self._variables]
        numbers = np.stack([a.number[rows[0]], b.number[rows[1]]])
        times = np.stack([a.time[rows[0]], b.time[rows[1]]])
        waiting = np.where(numbers[0] > numbers[1], 1, 0) if self._either else np.zeros(len(rows[0]), dtype=np.int64)
        every = np.arange(len(waiting))
        return _Pairs(
            waiting,
            numbers[waiting, every],
            numbers[1 - waiting, every],
            times[1 - waiting, every],
            np.stack(rows)[waiting, every],
        )

    def _groups(self, variable: str, frame: pl.DataFrame) -> Ints:
        """A number for what waits apart from others: the value of BY, in each partition."""
        keys = [pl.col(of[variable]).alias(f"#{i}") for i, of in enumerate(self._partition)]
        keys += [self._by[variable].alias("#by")] if variable in self._by else []
        if not keys or not frame.height:
            return np.zeros(frame.height, dtype=np.int64)
        return frame.select(pl.struct(keys).rank("dense").cast(pl.Int64)).to_series().to_numpy()

    def _too_old(self, candidates: Mapping[str, Candidates]) -> dict[str, Bools]:
        """What KEEP lets wait for no event to come, and what never waits: the last of SEQ."""
        latest = max((int(of.time[-1]) for of in candidates.values() if len(of.time)), default=0)
        found = {}
        for place, v in enumerate(self._variables):
            never = place == 1 and not self._either
            mask = np.full(len(candidates[v].time), never)
            found[v] = mask | (candidates[v].time <= latest - self._long[v]) if v in self._long else mask
        return found

    def _in_keep(self, pairs: _Pairs, candidates: Mapping[str, Candidates]) -> Bools:
        """Whether who waited has not waited longer than KEEP says."""
        inside = np.ones(len(pairs.row), dtype=bool)
        for place, v in enumerate(self._variables):
            if v in self._long:
                own = np.flatnonzero(pairs.waiting == place)
                inside[own] = pairs.moment[own] - candidates[v].time[pairs.row[own]] < self._long[v]
        return inside

    def _newest(self, pairs: _Pairs, groups: Mapping[str, Ints], candidates: Mapping[str, Candidates]) -> Bools:
        """Which matches pair the newest that waits; what newer ones replace waits no more."""
        stands = self._in_keep(pairs, candidates)
        for place, v in enumerate(self._variables):
            number, moment = _successors(groups[v], candidates[v])
            self._spent[v] |= number >= 0
            own = np.flatnonzero(pairs.waiting == place)
            after, row = number[pairs.row[own]], pairs.row[own]
            if self._either:
                later = (after > pairs.last[own]) | ((after == pairs.last[own]) & (place == 1))
            else:
                later = moment[row] >= pairs.moment[own]
            stands[own] &= (after < 0) | later
        return stands

    def _consuming(
        self, pairs: _Pairs, groups: Mapping[str, Ints], candidates: Mapping[str, Candidates]
    ) -> tuple[_Waiting, list[int]]:
        """Go through what completes, in order: each depends on what those before it have used up."""
        state, chosen = _Waiting(), []
        numbers = [candidates[v].number for v in self._variables]
        for matches, arrival in self._steps(pairs, groups, candidates):
            if arrival is not None:
                place, group, row = arrival
                state.add(place, group, row, numbers[place], self._most[self._variables[place]])
                continue
            place, last = int(pairs.waiting[matches[0]]), int(pairs.last[matches[0]])
            free = [m for m in matches if (place, int(pairs.first[m])) not in state.consumed]
            free = [m for m in free if int(pairs.row[m]) not in state.left[place]]
            if self._kind is AfterMatchKind.CHRONICLE and free:
                oldest = min(int(pairs.first[m]) for m in free)
                free = [m for m in free if pairs.first[m] == oldest]
            if free:
                state.consumed.update((place, int(pairs.first[m])) for m in free)
                state.consumed.add((1 - place, last))
                chosen += free
        return state, chosen

    def _steps(
        self, pairs: _Pairs, groups: Mapping[str, Ints], candidates: Mapping[str, Candidates]
    ) -> Iterator[tuple[list[int], tuple[int, int, int] | None]]:
        """In order: the matches that one event completes, or a candidate that begins to wait where KEEP counts."""
        steps: dict[tuple[int, ...], list[int]] = defaultdict(list)
        inside = np.flatnonzero(self._in_keep(pairs, candidates))
        columns = (pairs.moment, pairs.last, 1 - pairs.waiting)
        for m, moment, last, side in zip(inside.tolist(), *(c[inside].tolist() for c in columns), strict=True):
            steps[self._key(moment, last, side, _COMPLETES)].append(m)
        arrivals: dict[tuple[int, ...], tuple[int, int, int]] = {}
        for place, v in enumerate(self._variables):
            if v not in self._most or (place == 1 and not self._either):
                continue
            own = candidates[v]
            columns = (own.time, own.number, groups[v])
            for row, (moment, number, group) in enumerate(zip(*(c.tolist() for c in columns), strict=True)):
                arrivals[(*self._key(moment, number, place, _WAITS), row)] = (place, group, row)
        for key in sorted([*steps, *arrivals]):
            yield (steps[key], None) if key in steps else ([], arrivals[key])

    def _key(self, moment: int, number: int, place: int, what: int) -> tuple[int, ...]:
        return (number, place, what) if self._either else (moment, what, number)

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


def _successors(groups: Ints, candidates: Candidates) -> tuple[Ints, Ints]:
    """Of each candidate, number and time stamp of the next event of its group; −1: there is none yet."""
    frame = pl.DataFrame({"group": groups, "number": candidates.number, "time": candidates.time})
    events = frame.unique(["group", "number"]).sort("group", "number")
    events = events.with_columns(
        after=pl.col("number").shift(-1).over("group"), moment=pl.col("time").shift(-1).over("group")
    )
    found = frame.join(events.drop("time"), on=["group", "number"], how="left", maintain_order="left")
    return found["after"].fill_null(-1).to_numpy(), found["moment"].fill_null(-1).to_numpy()
