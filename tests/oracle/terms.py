"""What is left of a pattern after some events: the ways on from there.

A *term* is a pattern, or what remains of one. Its *ways* are the elements that may come next, each with the link that
stands before it, and the ways in which nothing more has to come. LANGUAGE §3, Pattern elements, Links, Runs.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import singledispatch
from typing import NamedTuple, Protocol

from kaicep.language.nodes.pattern import Alternative, Conjunction, Element, Group, Link, Negation, Pattern, Timer
from kaicep.language.nodes.pattern import Sequence as Links

from .events import Event
from .values import later

Place = tuple[tuple[int, int], ...]
"""The repetitions that surround something, outermost first: which group (by its place in the text), which one of it."""
Key = tuple[int, Place]
"""One occurrence of a part of the pattern: its place in the text, the repetitions around it."""


@dataclass(frozen=True)
class Before:
    """What stands before a place in the pattern.

    Attributes:
        link: the link right before it; `None` at the beginning.
        since: the event from which the link counts what is passed over; `None`: nothing came yet.
        last: the event that ends what stands before.
        floor: what comes at that place comes after this moment.
    """

    link: Link | None = None
    since: Event | None = None
    last: Event | None = None
    floor: datetime | None = None


@dataclass(frozen=True)
class Absence:
    """A NOT or a timer between two events.

    Attributes:
        node: the NOT, or the timer.
        strict: `=>` stands before it.
        last: the event before it; `None`: it is the first of the pattern.
        place: the repetitions around it.
        next: the event after it; `None`: it is the last of the pattern.
        begin: the moment of the timer before it; `None`: there is none since `last`.
        end: the moment of the timer behind it, of a timer its own; `None`: there is none before `next`.
    """

    node: Negation | Timer
    strict: bool
    last: Event | None
    place: Place
    next: Event | None = None
    begin: datetime | None = None
    end: datetime | None = None


@dataclass(frozen=True)
class Side:
    """The side of an OR that was taken; `link` stands before the OR."""

    key: Key
    index: int
    link: Link


@dataclass(frozen=True)
class Way:
    """One way on.

    Attributes:
        variable: the element that comes next; `None`: nothing more has to come.
        before: what stands before that element, or before whatever follows the term.
        rest: what is left of the term after it.
        place: the repetitions around the element.
        absences: the NOTs on the way.
        inside: the greedy repetitions that the element is part of.
        leaves: the greedy repetitions that could be prolonged and are left instead.
        sides: the sides taken of ORs.
        loops: all repetitions that the element is part of, as (part of the pattern, place).
        written: whether anything was; what is repeated zero times is not.
    """

    variable: str | None
    before: Before
    rest: Term
    place: Place = ()
    absences: tuple[Absence, ...] = ()
    inside: frozenset[Key] = frozenset()
    leaves: frozenset[Key] = frozenset()
    sides: tuple[Side, ...] = ()
    loops: tuple[tuple[Element | Group, Place], ...] = ()
    written: bool = True


class Look(Protocol):
    """A run that looks at an event."""

    @property
    def event(self) -> Event | None:
        """The event; `None`: the run only asks whether it may end."""

    @property
    def policy(self) -> Link:
        """The link that `,` is."""

    def goes_on(self, key: Key, count: int, *, may_stop: bool, may_go: bool) -> bool:
        """Whether an every-length repetition goes on after so many: each length is a run of its own."""

    def is_ended(self, node: Element | Group, place: Place, since: Event) -> bool:
        """Whether an event after `since` satisfied the UNTIL."""


@dataclass(frozen=True)
class Done:
    """An element that has its event."""

    last: Event | None


@dataclass(frozen=True)
class Rest:
    """What is left of a sequence: `head` has begun, behind `entered`; `written`: something came before it."""

    head: Term
    tail: tuple[tuple[Link, Pattern], ...]
    entered: Before
    written: bool


@dataclass(frozen=True)
class Both:
    """What is left of an AND, and its last event."""

    parts: tuple[Term, ...]
    last: Event | None


@dataclass(frozen=True)
class Loop:
    """A repetition that has begun.

    Attributes:
        node: what is repeated.
        count: how often it has come already.
        current: what is left of the one that is coming, and `entered` what stood before it.
        first: its first event.
    """

    node: Element | Group
    count: int
    current: Term
    entered: Before
    first: Event | None


Term = Pattern | Done | Rest | Both | Loop


@singledispatch
def ways(term: Term, before: Before, place: Place, look: Look) -> Iterator[Way]:
    """The ways on."""
    raise TypeError(type(term))


@ways.register
def _(term: Done, before: Before, place: Place, look: Look) -> Iterator[Way]:
    assert term.last is not None
    yield Way(None, Before(None, term.last, term.last, term.last.time), term)


@ways.register
def _(term: Element, before: Before, place: Place, look: Look) -> Iterator[Way]:
    if term.quantifier is None:
        yield Way(term.variable, before, Done(look.event), place)
    else:
        yield from _boundary(term, 0, Way(None, before, term, written=False), None, Spot(before, place, look))


@ways.register
def _(term: Group, before: Before, place: Place, look: Look) -> Iterator[Way]:
    yield from _boundary(term, 0, Way(None, before, term, written=False), None, Spot(before, place, look))


@ways.register
def _(term: Negation, before: Before, place: Place, look: Look) -> Iterator[Way]:
    """`NOT ?n`; the link behind it counts from the event before it, and FOR keeps off what follows."""
    strict = before.link is Link.STRICT and before.last is not None and term.duration is None
    absence = Absence(term, strict, before.last, place)
    floors = [] if before.floor is None else [before.floor]
    if term.duration is not None and before.last is not None:
        floors.append(later(before.last.time, term.duration))
    after = Before(None, before.last, before.last, max(floors, default=None))
    yield Way(None, after, term, absences=(absence,))


@ways.register
def _(term: Timer, before: Before, place: Place, look: Look) -> Iterator[Way]:
    """What follows AFTER comes after its moment; nothing follows EVERY."""
    assert before.last is not None
    floors = [later(before.last.time, term.duration), *([] if before.floor is None else [before.floor])]
    after = Before(None, before.last, before.last, max(floors))
    yield Way(None, after, term, absences=(Absence(term, strict=False, last=before.last, place=place),))


@ways.register
def _(term: Links, before: Before, place: Place, look: Look) -> Iterator[Way]:
    tail = tuple(zip(term.links, term.parts[1:], strict=True))
    yield from _along(Rest(term.parts[0], tail, before, written=False), before, place, look)


@ways.register
def _(term: Rest, before: Before, place: Place, look: Look) -> Iterator[Way]:
    yield from _along(term, before, place, look)


def _along(rest: Rest, outer: Before, place: Place, look: Look) -> Iterator[Way]:
    """Through a sequence; what is repeated zero times is passed together with the link before it."""
    for way in ways(rest.head, rest.entered, place, look):
        if way.variable is not None:
            yield replace(way, rest=replace(rest, head=way.rest))
            continue
        written = rest.written or way.written
        if not rest.tail:
            yield replace(way, written=written)
            continue
        (link, part), *more = rest.tail
        entered = replace(way.before, link=link if written else outer.link)
        for further in _along(Rest(part, tuple(more), entered, written), outer, place, look):
            yield _joined(way, further)


def _joined(way: Way, further: Way) -> Way:
    return replace(
        further,
        absences=(*way.absences, *further.absences),
        leaves=way.leaves | further.leaves,
        sides=(*way.sides, *further.sides),
    )


@ways.register
def _(term: Alternative, before: Before, place: Place, look: Look) -> Iterator[Way]:
    link = before.link or look.policy
    for index, branch in enumerate(term.branches):
        side = Side((term.span.start, place), index, link)
        for way in ways(branch, replace(before, link=link), place, look):
            yield replace(way, sides=(side, *way.sides))


@ways.register
def _(term: Conjunction, before: Before, place: Place, look: Look) -> Iterator[Way]:
    yield from ways(Both(term.parts, None), before, place, look)


@ways.register
def _(term: Both, before: Before, place: Place, look: Look) -> Iterator[Way]:
    """The link before an AND is also between its events."""
    inner = replace(before, link=before.link or look.policy, since=term.last or before.since)
    found = [list(ways(part, inner, place, look)) for part in term.parts]
    for position, of_part in enumerate(found):
        for way in of_part:
            if way.variable is not None:
                parts = (*term.parts[:position], way.rest, *term.parts[position + 1 :])
                yield replace(way, rest=Both(parts, look.event))
    for ends in itertools.product(*([w for w in of_part if w.variable is None] for of_part in found)):
        yield _all_ended(ends, before)


def _all_ended(ends: Sequence[Way], before: Before) -> Way:
    """The end of an AND: the latest of the ends of its parts."""
    lasts = [way.before.last for way in ends if way.before.last is not None]
    last = max(lasts, key=lambda event: event.order, default=None)
    floor = max((way.before.floor for way in ends if way.before.floor is not None), default=None)
    written = any(way.written for way in ends)
    way = Way(None, Before(None, last, last, floor) if written else before, ends[0].rest, written=written)
    for end in reversed(ends):
        way = _joined(end, way)
    return way


class Spot(NamedTuple):
    """Where a repetition stands, and who looks at it: the arguments of `ways`."""

    before: Before
    place: Place
    look: Look


@ways.register
def _(term: Loop, before: Before, place: Place, look: Look) -> Iterator[Way]:
    spot = Spot(before, place, look)
    for way in ways(term.current, term.entered, _inner(term.node, place, term.count), look):
        if way.variable is None:
            yield from _boundary(term.node, term.count + 1, way, term.first, spot)
        elif not _is_ended(term.node, term.first, spot):
            yield _prolonging(replace(term, current=way.rest, first=term.first or look.event), way, place)


def _inner(node: Element | Group, place: Place, count: int) -> Place:
    return (*place, (node.span.start, count)) if isinstance(node, Group) else place


def _is_ended(node: Element | Group, first: Event | None, spot: Spot) -> bool:
    """UNTIL: from the first event on; before it from what stands before, unless the link before is `->>`."""
    since = first or (spot.before.since if spot.before.link is not Link.ANY else None)
    return since is not None and spot.look.is_ended(node, spot.place, since)


def _boundary(node: Element | Group, count: int, end: Way, first: Event | None, spot: Spot) -> Iterator[Way]:
    """Between two repetitions, `count` of which have come: on to the next one, or out."""
    quantifier = node.quantifier
    assert quantifier is not None
    key = (node.span.start, spot.place)
    stops, goes = count >= quantifier.minimum, quantifier.maximum is None or count < quantifier.maximum
    if quantifier.every_length:
        goes = spot.look.goes_on(key, count, may_stop=stops, may_go=goes)
        stops = not goes
    goes = goes and not _is_ended(node, first, spot)
    if goes:
        body = node.pattern if isinstance(node, Group) else replace(node, quantifier=None)
        entered = replace(end.before, link=quantifier.link) if count else spot.before
        for way in ways(body, entered, _inner(node, spot.place, count), spot.look):
            if way.variable is not None:
                loop = Loop(node, count, way.rest, entered, first or spot.look.event)
                yield _joined(end, _prolonging(loop, way, spot.place))
    if stops:
        greedy = goes and not quantifier.every_length
        yield replace(end, leaves=end.leaves | {key} if greedy else end.leaves, written=count > 0)


def _prolonging(loop: Loop, way: Way, place: Place) -> Way:
    """A way inside a repetition."""
    quantifier = loop.node.quantifier
    assert quantifier is not None
    key = frozenset() if quantifier.every_length else frozenset({(loop.node.span.start, place)})
    return replace(way, rest=loop, inside=way.inside | key, loops=(*way.loops, (loop.node, place)))


@singledispatch
def remaining(term: Term, place: Place, look: Look) -> frozenset[tuple[str, Place]]:
    """The variables that may still get events, each with the repetitions around it."""
    raise TypeError(type(term))


@remaining.register
def _(term: Done | Negation | Timer, place: Place, look: Look) -> frozenset[tuple[str, Place]]:
    return frozenset()


@remaining.register
def _(term: Element, place: Place, look: Look) -> frozenset[tuple[str, Place]]:
    return _more(term, 0, place, look) if term.quantifier else frozenset({(term.variable, place)})


@remaining.register
def _(term: Group, place: Place, look: Look) -> frozenset[tuple[str, Place]]:
    return _more(term, 0, place, look)


@remaining.register
def _(term: Links | Conjunction | Both, place: Place, look: Look) -> frozenset[tuple[str, Place]]:
    return frozenset().union(*(remaining(part, place, look) for part in term.parts))


@remaining.register
def _(term: Alternative, place: Place, look: Look) -> frozenset[tuple[str, Place]]:
    return frozenset().union(*(remaining(branch, place, look) for branch in term.branches))


@remaining.register
def _(term: Rest, place: Place, look: Look) -> frozenset[tuple[str, Place]]:
    return frozenset().union(*(remaining(part, place, look) for part in (term.head, *(part for _, part in term.tail))))


@remaining.register
def _(term: Loop, place: Place, look: Look) -> frozenset[tuple[str, Place]]:
    current = remaining(term.current, _inner(term.node, place, term.count), look)
    return current | _more(term.node, term.count + 1, place, look)


def _more(node: Element | Group, count: int, place: Place, look: Look) -> frozenset[tuple[str, Place]]:
    """What further repetitions may bind; of `~` it is known how many there will be."""
    quantifier = node.quantifier
    assert quantifier is not None
    stops, goes = count >= quantifier.minimum, quantifier.maximum is None or count < quantifier.maximum
    if quantifier.every_length:
        goes = look.goes_on((node.span.start, place), count, may_stop=stops, may_go=goes)
    body = node.pattern if isinstance(node, Group) else replace(node, quantifier=None)
    return remaining(body, _inner(node, place, count), look) if goes else frozenset()
