"""Consumption modes: events wait, others complete them, one after the other (LANGUAGE-2 §8)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol, TypeVar

from kaicep.language.nodes.expression import Expression
from kaicep.language.nodes.pattern import Conjunction, Element
from kaicep.language.nodes.pattern import Sequence as Order
from kaicep.language.nodes.query import AfterMatchKind, Query

from .expressions import Candidate, Scope, item
from .values import Value


class Pair(Protocol):
    """What a mode asks of a match of two events."""

    @property
    def runs(self) -> Mapping[str, Sequence[Candidate]]: ...


M = TypeVar("M", bound=Pair)


@dataclass(frozen=True)
class Step:
    """An event comes, to complete what waits or to wait itself."""

    place: tuple[object, ...]
    variable: str
    event: str
    waits: bool


def consumed(query: Query, found: Sequence[M], candidates: Mapping[str, Sequence[Candidate]]) -> list[list[M]]:
    """What one match each is made of: the pairs of a mode that stand, those of one event together if cumulative.

    Args:
        query: the query.
        found: every pair of events that is a match without a mode.
        candidates: of both variables, of one partition.
    """
    mode, pattern = query.after_match, query.pattern
    assert isinstance(pattern, Order | Conjunction)
    names = [part.variable for part in pattern.parts if isinstance(part, Element)]
    other = dict(zip(names, reversed(names), strict=True))
    waiting: dict[str, list[Candidate]] = {name: [] for name in names}
    completed: set[tuple[str, str]] = set()
    chosen: list[list[M]] = []
    for step in steps(names, candidates, in_order=isinstance(pattern, Order)):
        own = [c for c in candidates[step.variable] if c.event.id == step.event]
        if step.waits:
            if (step.variable, step.event) not in completed:
                waiting[step.variable] = kept(query, step.variable, [*waiting[step.variable], *own])
            continue
        partner = other[step.variable]
        now = own[0].event.time
        there = [c for c in waiting[partner] if not too_long(query, partner, c, now)]
        pairs = [m for m in found if m.runs[step.variable][0] in own and m.runs[partner][0] in there]
        if mode.kind is AfterMatchKind.CHRONICLE and pairs:
            oldest = min(m.runs[partner][0].event.order for m in pairs)
            pairs = [m for m in pairs if m.runs[partner][0].event.order == oldest]
        if pairs and mode.kind is not AfterMatchKind.RECENT:
            completed.add((step.variable, step.event))
            gone = {m.runs[partner][0].event.id for m in pairs}
            waiting[partner] = [c for c in waiting[partner] if c.event.id not in gone]
        chosen += [pairs] if mode.kind is AfterMatchKind.CUMULATIVE and pairs else [[m] for m in pairs]
    return chosen


def steps(names: Sequence[str], candidates: Mapping[str, Sequence[Candidate]], *, in_order: bool) -> list[Step]:
    """What comes, in order: in SEQ what completes is for events of earlier time stamps, so it comes before those."""
    found = {}
    for place, name in enumerate(names):
        for c in candidates[name]:
            for waits in (False, True):
                if in_order and waits == (name == names[-1]):
                    continue
                when = (c.event.time, waits, c.event.order) if in_order else (c.event.order, place, waits)
                found[name, c.event.id, waits] = Step(when, name, c.event.id, waits)
    return sorted(found.values(), key=lambda step: step.place)


def kept(query: Query, variable: str, waiting: Sequence[Candidate]) -> list[Candidate]:
    """What goes on waiting: of each value of BY the newest, or as many as KEEP says."""
    recent = query.after_match.kind is AfterMatchKind.RECENT
    extent = 1 if recent else dict(query.after_match.keep).get(variable)
    if not isinstance(extent, int):
        return list(waiting)
    key = dict(query.after_match.by).get(variable)
    stays = []
    for c in waiting:
        newer = {o.event.order for o in waiting if value(key, variable, o) == value(key, variable, c)}
        if c.event.order in sorted(newer)[-extent:]:
            stays.append(c)
    return stays


def value(key: Expression | None, variable: str, candidate: Candidate) -> Value | None:
    """The value of BY; unbound is a value too."""
    return None if key is None else item(key, Scope({variable: candidate}, {variable: (candidate,)}))


def too_long(query: Query, variable: str, candidate: Candidate, now: datetime) -> bool:
    """Whether it has waited longer than KEEP says."""
    extent = dict(query.after_match.keep).get(variable)
    return isinstance(extent, timedelta) and now - candidate.event.time >= extent
