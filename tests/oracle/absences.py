"""NOT: which candidates must not be there, and when that is known (LANGUAGE §3, NOT)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from kaicep.language.nodes.expression import Expression
from kaicep.language.nodes.pattern import CorrelationWindow, Timer
from kaicep.language.nodes.query import Query

from .conditions import Bound, choices, earlier, mentioned, plainly
from .events import Event
from .expressions import Candidate, Scope, holds_stepwise
from .terms import Absence, Place
from .values import EPOCH, later


@dataclass(frozen=True)
class Surroundings:
    """What a NOT looks at.

    Attributes:
        query: the query.
        end: the greatest time stamp of all sources; `None`: there is no event.
        candidates: of every variable, in total order.
        events: all events of the streams in FROM, in total order.
    """

    query: Query
    candidates: Mapping[str, Sequence[Candidate]]
    events: Sequence[Event]
    end: datetime | None = None

    @property
    def longest(self) -> timedelta | None:
        """How long after the first event a timer holds at the most; `None`: however long."""
        widths = [w.width for w in self.query.windows if isinstance(w, CorrelationWindow)]
        return min([*widths, *([] if self.query.retention is None else [self.query.retention])], default=None)

    @property
    def width(self) -> timedelta:
        """The pattern's shortest WINDOW."""
        return min(w.width for w in self.query.windows if isinstance(w, CorrelationWindow))

    def next_of(self, event: Event) -> Event | None:
        """The very next event of all streams."""
        return next((e for e in self.events if e.order > event.order), None)


def timed(absences: Sequence[Absence], moment: datetime | None) -> list[Absence]:
    """NOTs and timers with the moments of the timers around them; `moment`: the one of EVERY that is asked about."""
    found = []
    for place, absence in enumerate(absences):
        before = [a for a in absences[:place] if a.last == absence.last and isinstance(a.node, Timer)]
        behind = [a for a in absences[place:] if a.last == absence.last and isinstance(a.node, Timer)]
        begin, end = (moment_of(some[at], moment) if some else None for some, at in ((before, -1), (behind, 0)))
        found.append(replace(absence, begin=begin, end=end))
    return found


def moment_of(timer: Absence, moment: datetime | None) -> datetime | None:
    """When a timer holds; of EVERY the moment that is asked about."""
    assert isinstance(timer.node, Timer)
    assert timer.last is not None
    return later(timer.last.time, timer.node.duration) if timer.node.until is None else moment


def moments(absences: Sequence[Absence], bound: Bound, around: Surroundings) -> Iterator[datetime | None]:
    """The moments at which a match may become true by a last timer; without one `None`, once."""
    last = absences[-1] if absences and absences[-1].next is None else None
    if last is None or not isinstance(last.node, Timer) or last.last is None:
        yield None
    elif last.node.until is None:
        yield later(last.last.time, last.node.duration)
    else:
        first, moment = bound.taken[0].candidate.event.time, later(last.last.time, last.node.duration)
        while around.end is not None and moment <= around.end:
            if around.longest is not None and moment - first > around.longest:
                break
            yield moment
            moment = later(moment, last.node.duration)


def comes_after(moment: datetime, absences: Sequence[Absence], bound: Bound, around: Surroundings) -> bool:
    """Whether a last timer holds after all durations in front of it."""
    waits = [end_of(a, bound, around) for a in absences[:-1] if a.next is None and a.node.duration is not None]
    return all(end is None or end < moment for end in waits)


def in_width(absence: Absence, bound: Bound, around: Surroundings) -> bool:
    """Whether a timer holds within the shortest WINDOW."""
    first = bound.taken[0].candidate.event.time
    if not isinstance(absence.node, Timer) or absence.end is None or around.longest is None:
        return True
    return absence.end - first <= around.longest


def is_violated(absence: Absence, bound: Bound, pattern: Bound, around: Surroundings, *, ended: bool) -> bool:
    """Whether it is known that a forbidden candidate is there.

    Args:
        absence: the NOT, or the timer.
        bound: all that is bound; `pattern`: by SEQ alone.
        pattern: see there.
        around: what is looked at.
        ended: nothing more will be bound.
    """
    if not ended and (absence.next is None or (absence.last is None and absence.node.duration is None)):
        return False
    own = forbidden(absence)
    if own is None:
        return False
    joins = [c for c in around.query.joins if own in mentioned(c)]
    if not all(_is_decided(c, absence, bound) for c in joins):
        return False
    forbids = _interval(absence, pattern, around)
    return any(
        forbids(n.event) and all(_satisfies(n, c, absence, bound) for c in joins) for n in around.candidates[own]
    )


def forbidden(absence: Absence) -> str | None:
    """The variable of a NOT, or of UNTIL behind EVERY; `None`: AFTER forbids nothing."""
    return absence.node.until if isinstance(absence.node, Timer) else absence.node.variable


def _interval(absence: Absence, bound: Bound, around: Surroundings) -> Callable[[Event], bool]:
    """Which events lie where none must be."""
    first, final = bound.taken[0].candidate.event.time, bound.taken[-1].candidate.event.time
    last, following, duration = absence.last, absence.next, absence.node.duration
    begun = EPOCH if absence.begin is None else absence.begin
    if isinstance(absence.node, Timer):
        assert last is not None
        assert absence.end is not None
        since, until = max(last.time, begun), absence.end
        return lambda n: since < n.time <= until
    if last is not None and (absence.end is not None or absence.begin is not None):
        return _beside_timers(absence, last, begun, first, around)
    if duration is not None:
        begin = None if last is None else last.time
        return (lambda n: timedelta(0) < first - n.time <= duration) if begin is None else (
            lambda n: timedelta(0) < n.time - begin <= duration)  # fmt: skip
    if last is None:
        return lambda n: final - n.time <= around.width and n.time < first
    if absence.strict:
        very_next = around.next_of(last)
        return lambda n: n == very_next
    if following is None:
        return lambda n: final < n.time and n.time - first <= around.width
    return lambda n: last.time < n.time < following.time


def _beside_timers(
    absence: Absence, last: Event, begun: datetime, first: datetime, around: Surroundings
) -> Callable[[Event], bool]:
    """The same of a NOT with a timer before or behind it: it begins behind the one, and ends before the other."""
    since, duration, end = max(last.time, begun), absence.node.duration, absence.end
    if duration is not None:
        return lambda n: since < n.time and n.time - last.time <= duration
    if end is not None:
        return lambda n: since < n.time < end
    following = absence.next
    if following is None:
        return lambda n: since < n.time and n.time - first <= around.width
    return lambda n: since < n.time < following.time


def end_of(absence: Absence, bound: Bound, around: Surroundings) -> datetime | None:
    """Where the interval of a FOR or of a last NOT ends; `None`: it says nothing about the time of the report."""
    first = bound.taken[0].candidate.event.time
    if absence.last is None:
        return None
    if isinstance(absence.node, Timer) or (absence.end is not None and absence.node.duration is None):
        return absence.end
    if absence.node.duration is not None:
        return later(absence.last.time, absence.node.duration)
    if absence.next is not None:
        return None
    if absence.strict:
        very_next = around.next_of(absence.last)
        return None if very_next is None else very_next.time
    return later(first, around.width)


def is_within(absence: Absence, bound: Bound, around: Surroundings, within: Callable[[datetime], bool]) -> bool:
    """Whether the interval of a FOR or of a last NOT lies within the bounds, its end known."""
    if absence.last is None and absence.node.duration is not None:
        return within(later(bound.taken[0].candidate.event.time, -absence.node.duration))
    if absence.strict and absence.next is None and absence.last is not None:
        return around.next_of(absence.last) is not None
    end = end_of(absence, bound, around)
    return end is None or within(end)


def _around(condition: Expression, absence: Absence, bound: Bound) -> Place:
    """The repetitions that a JOIN with the NOT's variable is asked in."""
    return absence.place[: bound.depth(mentioned(condition))]


def _is_decided(condition: Expression, absence: Absence, bound: Bound) -> bool:
    around = _around(condition, absence, bound)
    return all(bound.is_complete(v, around) for v in mentioned(condition) if v != forbidden(absence))


def _satisfies(candidate: Candidate, condition: Expression, absence: Absence, bound: Bound) -> bool:
    """Whether a candidate of the NOT satisfies a JOIN with every event of the other variables."""
    around, own = _around(condition, absence, bound), forbidden(absence)
    assert own is not None
    variables = mentioned(condition)
    if any(v != own and bound.is_left_out(v, around) for v in variables):
        return True
    runs = {v: bound.run(v, around) for v in variables} | {own: (candidate,)}
    return all(
        holds_stepwise(condition, Scope(chosen, runs, earlier(condition, bound, chosen, candidate)))
        for chosen in choices(runs, plainly(condition))
    )
