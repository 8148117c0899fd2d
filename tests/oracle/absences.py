"""NOT: which candidates must not be there, and when that is known (LANGUAGE §3, NOT)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from kaicep.language.nodes.expression import Expression
from kaicep.language.nodes.pattern import CorrelationWindow
from kaicep.language.nodes.query import Query

from .conditions import Bound, choices, earlier, mentioned, plainly
from .events import Event
from .expressions import Candidate, Scope, holds_stepwise
from .terms import Absence, Place
from .values import later


@dataclass(frozen=True)
class Surroundings:
    """What a NOT looks at.

    Attributes:
        query: the query.
        candidates: of every variable, in total order.
        events: all events of the streams in FROM, in total order.
    """

    query: Query
    candidates: Mapping[str, Sequence[Candidate]]
    events: Sequence[Event]

    @property
    def width(self) -> timedelta:
        """The pattern's shortest WINDOW."""
        return min(w.width for w in self.query.windows if isinstance(w, CorrelationWindow))

    def next_of(self, event: Event) -> Event | None:
        """The very next event of all streams."""
        return next((e for e in self.events if e.order > event.order), None)


def is_violated(absence: Absence, bound: Bound, pattern: Bound, around: Surroundings, *, ended: bool) -> bool:
    """Whether it is known that a forbidden candidate is there.

    Args:
        absence: the NOT.
        bound: all that is bound; `pattern`: by SEQ alone.
        pattern: see there.
        around: what is looked at.
        ended: nothing more will be bound.
    """
    if not ended and (absence.next is None or (absence.last is None and absence.node.duration is None)):
        return False
    joins = [c for c in around.query.joins if absence.node.variable in mentioned(c)]
    if not ended and not all(_is_decided(c, absence, bound) for c in joins):
        return False
    forbids = _interval(absence, pattern, around)
    return any(
        forbids(n.event) and all(_satisfies(n, c, absence, bound) for c in joins)
        for n in around.candidates[absence.node.variable]
    )


def _interval(absence: Absence, bound: Bound, around: Surroundings) -> Callable[[Event], bool]:
    """Which events lie where none must be."""
    first, final = bound.taken[0].candidate.event.time, bound.taken[-1].candidate.event.time
    last, following, duration = absence.last, absence.next, absence.node.duration
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


def end_of(absence: Absence, bound: Bound, around: Surroundings) -> datetime | None:
    """Where the interval of a FOR or of a last NOT ends; `None`: it says nothing about the time of the report."""
    first = bound.taken[0].candidate.event.time
    if absence.last is None:
        return None
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
    return all(bound.is_complete(v, around) for v in mentioned(condition) if v != absence.node.variable)


def _satisfies(candidate: Candidate, condition: Expression, absence: Absence, bound: Bound) -> bool:
    """Whether a candidate of the NOT satisfies a JOIN with every event of the other variables."""
    around, own = _around(condition, absence, bound), absence.node.variable
    variables = mentioned(condition)
    if any(v != own and bound.is_left_out(v, around) for v in variables):
        return True
    runs = {v: bound.run(v, around) for v in variables} | {own: (candidate,)}
    return all(
        holds_stepwise(condition, Scope(chosen, runs, earlier(condition, bound, chosen, candidate)))
        for chosen in choices(runs, plainly(condition))
    )
