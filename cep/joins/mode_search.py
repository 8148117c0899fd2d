"""Consumption modes over more than two variables: from the left, what was paired waits for the next variable.

Each stage pairs what was paired before with the events of one more variable, in columns, and its mode says which pairs
stand (`match/consumption_mode.py`). Those that the last stage lets stand are the matches. What waits is remembered by
rows of its candidates; candidates that nothing names are forgotten at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import polars as pl

from ...expressions import Bools, Ints, timestamps
from ...language.nodes import Conjunction, CorrelationWindow, Element, Pattern, Query, variables_of
from ...language.nodes import Sequence as Links
from ..match import (
    BoundRows,
    CandidateBuffer,
    ConsumptionMode,
    EventCounts,
    IndexProbe,
    NegationConstraint,
    NewEvents,
    Occurrences,
    Refutation,
    rows_between,
)
from ..order import Bounds
from ..query_state import HeldRows, latest_completion
from .pattern_plan import plan_pattern

__all__ = ["ModeSearch"]

Rows = Mapping[str, Ints]
_NOTHING = np.empty(0, dtype=np.int64)


@dataclass(frozen=True, slots=True)
class _Stage:
    """What pairs the events of one more variable with what was paired before.

    Attributes:
        before: the variables that are paired before, from the left.
        variable: the next.
        mode: says which pairs stand.
        reach: how far apart in time the events of these lie.
    """

    before: tuple[str, ...]
    variable: str
    mode: ConsumptionMode
    reach: Bounds

    def latest(self, times: Mapping[str, Ints], *, single: bool) -> Ints:
        """The last moment at which something may come that completes what waits.

        Args:
            times: the time stamps of what waits, by variable.
            single: whether it is of the next variable.
        """
        if single:
            widest = max(self.reach[v, self.variable] for v in self.before)
            return times[self.variable] + widest
        latest: Ints = np.min([times[v] + self.reach[self.variable, v] for v in self.before], axis=0)
        return latest


class ModeSearch:
    """Finds the matches of a mode, stage by stage.

    Args:
        query: a query whose POLICY is a mode.
    """

    remembers_nothing = False

    def __init__(self, query: Query) -> None:
        names = _names(query)
        self._query = query
        self._required = () if query.in_context is None else query.in_context.required
        self.undecided: Mapping[int, tuple[NegationConstraint, ...]] = {}
        self._places = {v: place for place, v in enumerate(names)}
        self._stages = [_stage(query, names[:n], names[n]) for n in range(1, len(names))]
        # By stage: what was paired before and waits, and the events of the next variable that wait; rows as `fixed`.
        self._paired: list[Rows] = [dict.fromkeys(stage.before, _NOTHING) for stage in self._stages]
        self._single: list[Rows] = [{stage.variable: _NOTHING} for stage in self._stages]

    def find(
        self,
        refutation: Refutation,
        buffer: CandidateBuffer,
        events: pl.DataFrame | None,  # noqa: ARG002 - the protocol's
        watermark: int,  # noqa: ARG002 - the protocol's
        new: NewEvents,
    ) -> Iterator[tuple[int, BoundRows]]:
        """See `MatchFinder.find`."""
        probe = refutation.probe
        variable = self._stages[0].before[0]
        came: BoundRows = {variable: _new(probe, variable)}
        for place in range(len(self._stages)):
            came = self._pair(place, probe, buffer, came, new)
            new.check_waiting(probe.keys, probe.candidates, buffer.current(self._paired[place]))
        yield 0, came

    def _pair(
        self, place: int, probe: IndexProbe, buffer: CandidateBuffer, came: BoundRows, new: NewEvents
    ) -> BoundRows:
        """What a stage pairs of what came now, with what waits; what waits no more is dropped."""
        stage = self._stages[place]
        waited, alone = buffer.current(self._paired[place]), buffer.current(self._single[place])
        left = {v: np.concatenate([waited[v], came[v]]) for v in stage.before}
        right = np.concatenate([alone[stage.variable], _new(probe, stage.variable)])
        old = len(waited[stage.before[0]])
        places, rows = _pairs(stage, probe, left, old, new.pairs())
        of_row = np.full(len(probe.candidates[stage.variable].number), -1)
        of_row[right] = np.arange(len(right))
        waits = of_row[rows] >= 0
        pairs = places[waits], of_row[rows[waits]]
        sides = self._occurrences(stage, probe, left), self._occurrences(stage, probe, {stage.variable: right})
        chosen = stage.mode.chosen(sides, pairs)
        gone = stage.mode.spent
        self._paired[place] = buffer.fixed({v: of[~gone[0]] for v, of in left.items()})
        self._single[place] = buffer.fixed({stage.variable: right[~gone[1]]})
        return {**{v: of[pairs[0][chosen]] for v, of in left.items()}, stage.variable: right[pairs[1][chosen]]}

    def _occurrences(self, stage: _Stage, probe: IndexProbe, rows: BoundRows) -> Occurrences:
        """What takes part, its events numbered so that of one event each variable comes in its turn."""
        own = {v: probe.candidates[v] for v in rows}
        numbers = [own[v].number[of] * len(self._places) + self._places[v] for v, of in rows.items()]
        times = [own[v].time[of] for v, of in rows.items()]
        groups = stage.mode.groups({v: own[v].frame[of] for v, of in rows.items()})
        return Occurrences(np.max(times, axis=0), np.max(numbers, axis=0), groups)

    def drop(self, buffer: CandidateBuffer, forbidden: Mapping[str, Bools]) -> None:
        """See `MatchFinder.drop`."""
        self._keep(lambda rows, _: ~np.any([forbidden[v][of] for v, of in buffer.current(rows).items()], axis=0))

    def retire(self, buffer: CandidateBuffer, gone: Mapping[str, Bools]) -> None:
        """See `MatchFinder.retire`."""
        self.drop(buffer, gone)

    def forget(self, buffer: CandidateBuffer, watermark: int, used: Sequence[Rows]) -> None:  # noqa: ARG002 - no NOT
        """See `MatchFinder.forget`: candidates that nothing names go, wherever they stand."""
        frames = buffer.frames
        times = {v: timestamps(frame["_time"]) for v, frame in frames.items()}

        def in_time(rows: Rows, stage: _Stage) -> Bools:
            of_rows = {v: times[v][of] for v, of in buffer.current(rows).items()}
            return stage.latest(of_rows, single=stage.variable in rows) >= watermark

        if not frames:
            return
        self._keep(in_time)
        waiting = [*self._paired, *self._single]
        kept = {v: np.unique(np.concatenate([rows[v] for rows in waiting if v in rows])) for v in frames}
        places = {v: buffer.current({v: rows})[v] for v, rows in kept.items()}
        for v, rows in places.items():
            if len(rows) < frames[v].height:
                frames[v] = frames[v][rows]
        moved = {v: buffer.fixed({v: np.arange(len(rows))})[v] for v, rows in kept.items()}
        again: list[Rows] = [{v: moved[v][np.searchsorted(kept[v], of)] for v, of in rows.items()} for rows in waiting]
        self._paired, self._single = again[: len(self._stages)], again[len(self._stages) :]

    def _keep(self, stays: Callable[[Rows, _Stage], Bools]) -> None:
        """Let what waits in the stages go on waiting where something is true of it."""
        for waiting in (self._paired, self._single):
            for place, (rows, stage) in enumerate(zip(waiting, self._stages, strict=True)):
                if len(next(iter(rows.values()))):
                    keep = stays(rows, stage)
                    waiting[place] = {v: of[keep] for v, of in rows.items()}

    def waiting(self, buffer: CandidateBuffer, moment: int) -> HeldRows:
        """What waits behind a moment, in microseconds: what WINDOWs and KEEP let something complete that is to come."""
        found: list[Mapping[str, Sequence[int]]] = []
        until: list[int] = []
        inside: list[int] = []
        for place, stage in enumerate(self._stages if buffer.frames else ()):
            for side, waiting in enumerate((self._paired[place], self._single[place])):
                rows = buffer.current(waiting)
                times = {v: timestamps(buffer.frames[v]["_time"])[of] for v, of in rows.items()}
                windows = latest_completion(self._query, times)
                kept = stage.mode.let_go(np.max(list(times.values()), axis=0), side)  # it waits no more at that moment
                ends = np.minimum(windows, kept)
                left = np.flatnonzero((windows > moment) & (kept > moment + 1))
                columns = [of[left].tolist() for of in rows.values()]
                found += [dict(zip(rows, ([row] for row in one), strict=True)) for one in zip(*columns, strict=True)]
                never = [-1] * len(left)
                asked = any(v in self._required and v not in rows for v in self._places)
                until += never if asked else ends[left].tolist()
                inside += ends[left].tolist() if asked else never
        return HeldRows(buffer.frames, found, until, inside)

    def mark(self) -> Callable[[], None]:
        """See `MatchFinder.mark`."""
        paired, single = list(self._paired), list(self._single)

        def rewind() -> None:
            self._paired, self._single = paired, single

        return rewind

    def tables(self) -> dict[str, pl.DataFrame]:
        """What waits, by stage."""
        paired = {f"paired.{place}": pl.DataFrame(dict(rows)) for place, rows in enumerate(self._paired)}
        return paired | {f"single.{place}": pl.DataFrame(dict(rows)) for place, rows in enumerate(self._single)}

    def load(self, tables: Mapping[str, pl.DataFrame]) -> None:
        """See `MatchFinder.load`."""
        for name, waiting in (("paired", self._paired), ("single", self._single)):
            for place in range(len(waiting)):
                table = tables[f"{name}.{place}"]
                waiting[place] = {v: table[v].to_numpy() for v in table.columns}


def _names(query: Query) -> tuple[str, ...]:
    parts: tuple[Pattern, ...] = getattr(query.pattern, "parts", ())
    return tuple(part.variable for part in parts if isinstance(part, Element))


def _stage(query: Query, before: tuple[str, ...], variable: str) -> _Stage:
    """The stage of a variable; bounds are those of the WINDOWs over the variables up to it."""
    names, pattern = {*before, variable}, query.pattern
    match pattern:
        case Links():
            pattern = replace(pattern, parts=pattern.parts[: len(names)], links=pattern.links[: len(before)])
        case Conjunction():
            pattern = replace(pattern, parts=pattern.parts[: len(names)])
    of_first = replace(
        query,
        pattern=pattern,
        sources=tuple(s for s in query.sources if s.variable in names),
        joins=tuple(join for join in query.joins if names >= variables_of(join)),
        windows=tuple(
            replace(w, variables=tuple(v for v in w.variables if v in names))
            for w in query.windows
            if isinstance(w, CorrelationWindow)
        ),
    )
    return _Stage(before, variable, ConsumptionMode(query, len(before)), plan_pattern(of_first).disjuncts[0].reach)


def _new(probe: IndexProbe, variable: str) -> Ints:
    own = probe.candidates[variable]
    return np.arange(own.first_new, len(own.number))


def _pairs(stage: _Stage, probe: IndexProbe, left: BoundRows, old: int, counts: EventCounts) -> tuple[Ints, Ints]:
    """Places in `left` and rows of the next variable that JOINs and WINDOWs admit, and of which one came now.

    Args:
        stage: whose.
        probe: looks for them.
        left: what was paired before.
        old: so many of them have been offered all that was there.
        counts: of what was found, by its last event.
    """
    own = probe.candidates[stage.variable]
    start, end = rows_between(stage.reach, probe, left, stage.variable)
    start[:old] = np.maximum(start[:old], own.first_new)
    ranges = probe.ranges(left, stage.variable, (start, end))
    latest = np.max([probe.candidates[v].number[of] for v, of in left.items()], axis=0)
    found = [(_NOTHING, _NOTHING)]
    for places, rows in probe.pairs(left, stage.variable, ranges, probe.tests(left, stage.variable)):
        number = own.number[rows]
        apart = np.all([probe.candidates[v].number[of[places]] != number for v, of in left.items()], axis=0)
        last = np.maximum(latest[places[apart]], number[apart])
        counts.add(len(last), partial(np.asarray, last))
        found.append((places[apart], rows[apart]))
    return np.concatenate([p for p, _ in found]), np.concatenate([r for _, r in found])
