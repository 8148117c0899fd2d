"""Consumption modes: events wait, others complete them, one after the other (LANGUAGE-2 §8)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Protocol, TypeVar

from kaicep.language.nodes.pattern import Conjunction, CorrelationWindow, Element
from kaicep.language.nodes.pattern import Sequence as Order
from kaicep.language.nodes.query import AfterMatchKind, Query

from .conditions import mentioned
from .expressions import Candidate, Scope, item
from .values import Value


class Combination(Protocol):
    """What a mode asks of a match."""

    @property
    def runs(self) -> Mapping[str, Sequence[Candidate]]: ...


M = TypeVar("M", bound=Combination)


@dataclass(frozen=True)
class Occurrence:
    """What waits, or completes what waits: an event of one variable, or events that were paired before.

    Attributes:
        taken: the event of each of its variables.
        place: of the variable whose event completed it.
    """

    taken: Mapping[str, Candidate]
    place: int

    @property
    def events(self) -> tuple[str, ...]:
        """Its events; the solutions of their PATHs wait and leave together."""
        return tuple(c.event.id for c in self.taken.values())

    @property
    def last(self) -> Candidate:
        """The event with which it is there."""
        return max(self.taken.values(), key=lambda c: c.event.order)

    @property
    def order(self) -> tuple[object, int]:
        """Its place among others: of one event, as which variable's it came."""
        return (self.last.event.order, self.place)


@dataclass(frozen=True)
class Step:
    """Something comes, to complete what waits or to wait itself."""

    place: tuple[object, ...]
    side: int
    events: tuple[str, ...]
    waits: bool


def variables_of(query: Query) -> list[str]:
    """The variables of SEQ, from the left."""
    assert isinstance(query.pattern, Order | Conjunction)
    return [part.variable for part in query.pattern.parts if isinstance(part, Element)]


def stages(query: Query) -> Iterator[Query]:
    """The query of the first two variables, of the first three, …: with the JOINs and WINDOWs that speak of these."""
    names, pattern = variables_of(query), query.pattern
    for count in range(2, len(names) + 1):
        bound = set(names[:count])
        if isinstance(pattern, Order):
            first: Order | Conjunction = replace(pattern, parts=pattern.parts[:count], links=pattern.links[: count - 1])
        else:
            assert isinstance(pattern, Conjunction)
            first = replace(pattern, parts=pattern.parts[:count])
        windows = [w for w in query.windows if isinstance(w, CorrelationWindow) and len(bound & set(w.variables)) > 1]
        yield replace(
            query,
            pattern=first,
            sources=tuple(s for s in query.sources if s.variable in bound),
            joins=tuple(join for join in query.joins if bound >= set(mentioned(join))),
            windows=tuple(replace(w, variables=tuple(v for v in w.variables if v in bound)) for w in windows),
        )


def consumed(
    query: Query, found: Sequence[Sequence[M]], candidates: Mapping[str, Sequence[Candidate]]
) -> list[list[M]]:
    """What one match each is made of: the matches of a mode that stand, those of one event together if cumulative.

    Args:
        query: the query.
        found: of each of its `stages`, every combination of events that is a match without a mode.
        candidates: of all variables, of one partition.
    """
    return list(pairings(query, found, candidates))[-1][0]


def pairings(
    query: Query, found: Sequence[Sequence[M]], candidates: Mapping[str, Sequence[Candidate]]
) -> Iterator[tuple[list[list[M]], list[Occurrence]]]:
    """Stage by stage what `consumed` gives of it, and what goes on waiting; arguments as there."""
    names = variables_of(query)
    single = [[Occurrence({v: c}, place) for c in candidates[v]] for place, v in enumerate(names)]
    left = single[0]
    for count, matches in enumerate(found, 1):
        chosen, waiting = paired(query, names[: count + 1], (left, single[count]), matches)
        yield chosen, waiting
        left = [completed(m, names[: count + 1]) for together in chosen for m in together]


def completed(match: Combination, names: Sequence[str]) -> Occurrence:
    """What a match is to those that come."""
    taken = {v: match.runs[v][0] for v in names}
    last = max(names, key=lambda v: taken[v].event.order)
    return Occurrence(taken, names.index(last))


def paired(
    query: Query, names: Sequence[str], sides: tuple[Sequence[Occurrence], Sequence[Occurrence]], found: Sequence[M]
) -> tuple[list[list[M]], list[Occurrence]]:
    """The pairs of what waits with what completes it, one step after the other, and what waits in the end."""
    kind = query.after_match.kind
    waiting: list[list[Occurrence]] = [[], []]
    used: set[tuple[int, tuple[str, ...]]] = set()
    chosen: list[list[M]] = []
    for step in steps(sides, in_order=isinstance(query.pattern, Order)):
        own = [o for o in sides[step.side] if o.events == step.events]
        if step.waits:
            if (step.side, step.events) not in used:
                waiting[step.side] = kept(query, [*waiting[step.side], *own])
            continue
        other = 1 - step.side
        there = [o for o in waiting[other] if not too_long(query, o, own[0].last.event.time)]
        pairs = [(m, o) for m in found for o in there if is_pair(m, names, o, own)]
        if kind is AfterMatchKind.CHRONICLE and pairs:
            oldest = min((o for _, o in pairs), key=lambda o: o.order)
            pairs = [(m, o) for m, o in pairs if o.events == oldest.events]
        if pairs and kind is not AfterMatchKind.RECENT:
            used.add((step.side, step.events))
            gone = [o.events for _, o in pairs]
            waiting[other] = [o for o in waiting[other] if o.events not in gone]
        matches = [m for m, _ in pairs]
        chosen += [matches] if kind is AfterMatchKind.CUMULATIVE and pairs else [[m] for m in matches]
    return chosen, [*waiting[0], *waiting[1]]


def is_pair(match: Combination, names: Sequence[str], waited: Occurrence, completing: Sequence[Occurrence]) -> bool:
    """Whether a match is made of these two."""
    taken = {v: match.runs[v][0] for v in names}
    return any(taken == {**waited.taken, **one.taken} for one in completing)


def steps(sides: tuple[Sequence[Occurrence], Sequence[Occurrence]], *, in_order: bool) -> list[Step]:
    """What comes, in order: in SEQ what completes is for events of earlier time stamps, so it comes before those."""
    found = {}
    for side, of_side in enumerate(sides):
        for o in of_side:
            for waits in (False, True):
                if in_order and waits == (side == 1):
                    continue
                when = (o.last.event.time, waits, o.order) if in_order else (*o.order, waits)
                found[side, o.events, waits] = Step(when, side, o.events, waits)
    return sorted(found.values(), key=lambda step: step.place)


def kept(query: Query, waiting: Sequence[Occurrence]) -> list[Occurrence]:
    """What goes on waiting: of each value of BY the newest, or as many as KEEP says."""
    recent = query.after_match.kind is AfterMatchKind.RECENT
    extent = 1 if recent else keep_of(query, waiting[-1])
    if not isinstance(extent, int):
        return list(waiting)
    stays = []
    for o in waiting:
        newer = {other.order for other in waiting if values(query, other) == values(query, o)}
        if o.order in sorted(newer)[-extent:]:
            stays.append(o)
    return stays


def values(query: Query, occurrence: Occurrence) -> list[Value | None]:
    """The values of BY of its variables; unbound is a value too."""
    by = dict(query.after_match.by)
    scopes = {v: Scope({v: c}, {v: (c,)}) for v, c in occurrence.taken.items()}
    return [item(by[v], scope) for v, scope in scopes.items() if v in by]


def keep_of(query: Query, occurrence: Occurrence) -> timedelta | int | None:
    """The KEEP of an occurrence is that of its last variable."""
    return dict(query.after_match.keep).get(list(occurrence.taken)[-1])


def too_long(query: Query, occurrence: Occurrence, now: datetime) -> bool:
    """Whether it has waited longer than KEEP says."""
    extent = keep_of(query, occurrence)
    return isinstance(extent, timedelta) and now - occurrence.last.event.time >= extent
