"""Partial matches of a SEQ beside variables that it does not name (LANGUAGE-2 §9).

What SEQ has bound so far is tried with every choice of events for those variables, or with none yet. What is asked is
what the whole match will be asked, as far as it is decided: WINDOWs and JOINs of what is bound, and NOTs whose JOINs
speak of nothing that is still to come.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..order import UNBOUNDED
from .event_layout import NUMBER, TIME, Event
from .free_variable_conditions import Runs, Sides
from .free_variable_matches import FreeVariableMatches
from .shared_buffer import Path

__all__ = ["FreeVariableProspects", "SequenceProspect"]

_PAST = -1
_NONE: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class SequenceProspect:
    """What may become of a run of SEQ, in one way.

    Attributes:
        shared: the values of PARTITION BY.
        path: its events.
        first: the earliest moment at which anything may come.
        coming: sets of variables of SEQ, each of which would complete it.
        ahead: the variables of SEQ that may still come.
        sides: the sides of ORs that it takes.
        doubtful: as of `SequenceMatch`.
        until: the last moment at which it may be completed, as far as a last NOT or a timer says; beyond the calendar:
            they say nothing.
        ended: whether SEQ is a match by then, so that something else has to be unbound.
    """

    shared: tuple[object, ...]
    path: Path
    first: int
    coming: Iterable[frozenset[str]] = (_NONE,)
    ahead: frozenset[str] = _NONE
    sides: Sides = None
    doubtful: tuple[tuple[Event, ...], ...] = ()
    until: int = UNBOUNDED
    ended: bool = False


class FreeVariableProspects:
    """Tries the events of variables that SEQ does not name beside what SEQ has bound.

    Args:
        joining: has their candidates.
        windows: variables whose events lie within so many microseconds.
        required: the variables of FOR.
    """

    def __init__(
        self,
        joining: FreeVariableMatches,
        windows: Sequence[tuple[frozenset[str], int]],
        required: frozenset[str],
    ) -> None:
        self._joining, self._windows, self._required = joining, windows, required

    def of(self, one: SequenceProspect) -> Iterator[tuple[Path, int, int]]:
        """The partial matches: events, and until when each may be completed, as in `HeldMatches`."""
        runs = self._joining.runs_of(one.path)
        for bound in self._choices(one, runs, list(self._joining.free)):
            unbound = frozenset(v for v in self._joining.free if not bound[v])
            if (one.ended and not unbound) or not any(bound.values()) or not self._may_be(one, bound, unbound):
                continue
            ends = [_PAST, _PAST]
            for variables in one.coming:
                every = variables | unbound
                end = min([one.until, *(self._latest(v, bound) for v in every)])
                if end >= one.first:
                    side = bool(every & self._required)
                    ends[side] = max(ends[side], end)
            if max(ends) > _PAST:
                yield self._joining.path_of(one.path, bound), ends[0], ends[1]

    def _choices(self, one: SequenceProspect, runs: Runs, free: list[str]) -> Iterator[Runs]:
        """With an event of each of these variables, or none; in the WINDOWs, and none twice."""
        if not free:
            yield runs
            return
        first, *others = free
        yield from self._choices(one, runs, others)
        taken = {event[NUMBER] for events in runs.values() for event in events}
        for event in self._joining.all_candidates(first, one.shared):
            grown = {**runs, first: [event]}
            if event[NUMBER] not in taken and self._fits(first, grown):
                yield from self._choices(one, grown, others)

    def _fits(self, variable: str, runs: Runs) -> bool:
        for members, width in self._windows:
            if variable in members:
                times = [event[TIME] for v in members for event in runs.get(v, ())]
                if max(times) - min(times) > width:
                    return False
        return True

    def _may_be(self, one: SequenceProspect, runs: Runs, unbound: frozenset[str]) -> bool:
        """Whether nothing that is decided forbids it."""
        open_ = one.ahead | unbound
        for c in self._joining.conditions:
            if open_.isdisjoint(c.whole) and not c.holds(runs, one.sides):
                return False
        for (n, asked), events in zip(self._joining.absent, one.doubtful, strict=False):
            if all(open_.isdisjoint(c.variables) for c in asked) and any(
                all(c.holds({**runs, n: [event]}, one.sides) for c in asked) for event in events
            ):
                return False
        return True

    def _latest(self, variable: str, runs: Mapping[str, Sequence[Event]]) -> int:
        """The last moment at which an event of a variable may come."""
        ends = [UNBOUNDED]
        for members, width in self._windows:
            times = [event[TIME] for v in members for event in runs.get(v, ())]
            if variable in members and times:
                ends.append(min(times) + width)
        return min(ends)
