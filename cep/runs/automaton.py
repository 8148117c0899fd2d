"""A pattern as an automaton: what may come next, and what then (LANGUAGE §3, Pattern elements, Links, Runs).

A *state* is the set of *threads* that are enabled at once. A thread is an element that may come next, with the link
before it, what its coming means for the repetitions, NOTs and ORs around it, and its *continuation*: the frames of the
pattern that are left once it has come. So states are the partial derivatives of the pattern (Antimirov 1996), with
counters for repetitions, and are made only as far as events lead to them. A thread without a variable is an end.

Where each length is a run of its own, a step leads to several states instead of one. Such a repetition is decided as
late as possible: when it could go on and could stop. Where a condition asks whether its run is complete it is decided
early, when the repetition begins that may be its last.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import cast

from ...language.pattern import Alternative, Conjunction, Element, Group, Link, Negation, Pattern, Quantifier, Sequence
from ...language.walking import walk_pattern

__all__ = [
    "Absence",
    "Automaton",
    "Coming",
    "Side",
    "State",
    "Thread",
    "Until",
    "barred",
    "coming",
    "groups_under_way",
    "threads_of",
]

Key = tuple[int, tuple[int, ...]]
"""A repetition or an OR: where it begins in the text, and which repetition of each loop around it (even or odd)."""


@dataclass(frozen=True, slots=True)
class Absence:
    """A NOT on the way to an element or to the end.

    Attributes:
        variable: its variable.
        strict: whether `=>` stands before it.
        before: the variables whose last event stands before it; `None`: it is the first of the pattern.
        enters: the groups a repetition of which begins between what stands before it and the NOT.
    """

    variable: str
    strict: bool
    before: tuple[str, ...] | None
    enters: frozenset[int]


@dataclass(frozen=True, slots=True)
class Side:
    """A side of an OR; `link` stands before the OR."""

    key: Key
    index: int
    link: Link


@dataclass(frozen=True, slots=True)
class Until:
    """A repetition with UNTIL that the element is part of.

    Attributes:
        start: where the repetition begins in the text.
        begun: whether it has an event already.
        counts: whether what came since the event before ends it.
    """

    start: int
    begun: bool
    counts: bool


@dataclass(frozen=True, slots=True)
class _Way:
    """What was met on the way from the last event to a place in the pattern.

    Attributes:
        link: the link right before the place; `None` at the beginning.
        before: the variables whose last events end what stands before; `None`: nothing does.
        floors: NOTs with FOR, after whose intervals comes what follows.
        written: whether anything was passed that counts as written.
        quits: groups of which a repetition has ended.
    """

    link: Link | None = None
    before: tuple[str, ...] | None = None
    floors: tuple[Absence, ...] = ()
    absences: tuple[Absence, ...] = ()
    leaves: frozenset[Key] = frozenset()
    sides: tuple[Side, ...] = ()
    quits: frozenset[int] = frozenset()
    enters: frozenset[int] = frozenset()
    empty: frozenset[int] = frozenset()
    written: bool = True


@dataclass(frozen=True, slots=True)
class _End:
    """Nothing is left."""


@dataclass(frozen=True, slots=True)
class _Along:
    """The parts of a sequence from `position` on; `written`: one before it was, else `outer` is the link."""

    node: Sequence
    position: int
    written: bool
    outer: Link | None
    rest: _Frame


@dataclass(frozen=True, slots=True)
class _Loop:
    """The end of the `count`th repetition. `final`: it was decided whether that is the last."""

    node: Element | Group
    count: int
    parity: int
    final: bool | None
    rest: _Frame


@dataclass(frozen=True, slots=True)
class _SideEnd:
    """The end of one side of an AND."""

    rest: _Frame


@dataclass(frozen=True, slots=True)
class _Beside:
    """What is left of one side of an AND, beside the threads of the others."""

    inner: _Frame
    own: int
    sides: tuple[tuple[Thread, ...], ...]
    begun: tuple[bool, ...]
    way: _Way
    rest: _Frame


_Frame = _End | _Along | _Loop | _SideEnd | _Beside


@dataclass(frozen=True, slots=True)
class Thread:
    """An element that may come next, or an end.

    Attributes:
        variable: the element's; `None`: an end of the pattern (or of a side of an AND).
        link: what may be passed over before it comes.
        before: the variables whose last events stand before it; `None`: nothing does.
        floors: the NOTs with FOR after whose intervals it comes.
        absences: the NOTs that end with it.
        leaves: greedy repetitions that could be prolonged and are left.
        inside: greedy repetitions that it is part of.
        sides: the sides of ORs that it takes.
        untils: the repetitions with UNTIL that it is part of.
        quits: groups of which a repetition has ended when it comes; `enters`: those of which one begins with it.
        rest: what is left after it.
    """

    variable: str | None
    link: Link
    before: tuple[str, ...] | None
    floors: tuple[Absence, ...]
    absences: tuple[Absence, ...]
    leaves: frozenset[Key]
    inside: frozenset[Key]
    sides: tuple[Side, ...]
    untils: tuple[Until, ...]
    quits: frozenset[int]
    enters: frozenset[int]
    rest: _Frame
    written: bool = True


State = tuple[Thread, ...]
_States = list[State]
_NOWHERE: _States = [()]


@dataclass(slots=True)
class Automaton:
    """The states of a pattern.

    Args:
        pattern: the pattern of SEQ.
        policy: the link before an AND or OR at the beginning.
        is_early: for each every-length repetition, whether its lengths have to be told apart early.
    """

    pattern: Pattern
    policy: Link
    is_early: Callable[[Element | Group], bool]

    def beginnings(self) -> _States:
        """The states in which nothing has come."""
        return [state for state in self._enter(self.pattern, _Way(), _End()) if state]

    def after(self, thread: Thread, *, gap: bool = False) -> _States:
        """The states to which an element leads that comes; several: each is a run of its own.

        Args:
            thread: the element's.
            gap: whether the run passed over events that nothing took since its last event.
        """
        rest = _barred(thread.rest, Link.STRICT) if gap else thread.rest
        return [state for state in self._resume(rest, _Way(before=(cast("str", thread.variable),))) if state]

    # What follows enters parts of the pattern and goes on behind them.

    def _enter(self, part: Pattern, way: _Way, rest: _Frame) -> _States:
        match part:
            case Element(quantifier=None, variable=variable):
                return [(_thread(variable, way, rest),)]
            case Element() | Group():
                return self._begin(part, way, rest)
            case Negation():
                return self._pass(part, way, rest)
            case Sequence():
                return self._go_along(_Along(part, 0, written=False, outer=way.link, rest=rest), way)
            case Alternative(branches=branches):
                link = way.link or self.policy
                key = (part.span.start, _parities(rest))
                sided = (replace(way, link=link, sides=(*way.sides, Side(key, i, link))) for i in range(len(branches)))
                return _beside(self._enter(b, w, rest) for b, w in zip(branches, sided, strict=True))
            case Conjunction(parts=parts):
                inner = replace(way, link=way.link or self.policy, absences=(), sides=(), quits=frozenset(),
                                enters=frozenset(), leaves=frozenset(), empty=frozenset(), written=False)  # fmt: skip
                entered = [self._enter(p, inner, _SideEnd(rest)) for p in parts]
                begun = (False,) * len(parts)
                return [s for sides in itertools.product(*entered) for s in self._side_by_side(sides, begun, way, rest)]

    def _resume(self, frame: _Frame, way: _Way) -> _States:
        """Behind what has come."""
        match frame:
            case _End() | _SideEnd():
                return [(_thread(None, way, frame),)]
            case _Along():
                return self._go_along(frame, way)
            case _Loop():
                return self._repeat(frame, way)
            case _Beside():
                begun = tuple(b or i == frame.own for i, b in enumerate(frame.begun))
                found: _States = []
                for own in self._resume(frame.inner, way):
                    sides = (*frame.sides[: frame.own], own, *frame.sides[frame.own + 1 :])
                    found += self._side_by_side(sides, begun, _later(frame.way), frame.rest)
                return found

    def _pass(self, node: Negation, way: _Way, rest: _Frame) -> _States:
        strict = way.link is Link.STRICT and way.before is not None and node.duration is None
        absence = Absence(node.variable, strict, way.before, way.enters)
        floors = way.floors
        if node.duration is not None and way.before is not None:
            floors = (*floors, absence)
        further = replace(way, link=None, floors=floors, absences=(*way.absences, absence), written=True)
        return self._resume(rest, further)

    def _go_along(self, frame: _Along, way: _Way) -> _States:
        """What is repeated zero times is passed together with the link before it."""
        written = frame.position > 0 and (frame.written or way.written)
        if frame.position == len(frame.node.parts):
            return self._resume(frame.rest, replace(way, written=written))
        link = frame.node.links[frame.position - 1] if written else frame.outer
        behind = replace(frame, position=frame.position + 1, written=written)
        return self._enter(frame.node.parts[frame.position], replace(way, link=link, written=False), behind)

    def _begin(self, node: Element | Group, way: _Way, rest: _Frame) -> _States:
        return self._either(node, 0, way, rest, first=True)

    def _repeat(self, frame: _Loop, way: _Way) -> _States:
        start = frame.node.span.start
        if start in way.empty:
            return _NOWHERE
        ended = replace(way, written=True, quits=way.quits | ({start} if isinstance(frame.node, Group) else set()))
        return self._either(frame.node, frame.count, ended, frame.rest, frame=frame)

    def _either(
        self,
        node: Element | Group,
        count: int,
        way: _Way,
        rest: _Frame,
        *,
        first: bool = False,
        frame: _Loop | None = None,
    ) -> _States:
        """On to the next repetition, or out."""
        quantifier = cast("Quantifier", node.quantifier)
        key = (node.span.start, _parities(rest))
        parity = 0 if frame is None or not _tells_repetitions_apart(node) else 1 - frame.parity
        stops = count >= quantifier.minimum
        goes = quantifier.maximum is None or count < quantifier.maximum
        if frame is not None and frame.final is not None:
            stops, goes = frame.final, not frame.final
        out: _States = []
        if stops:
            greedy = goes and not quantifier.every_length
            leaves = way.leaves | {key} if greedy else way.leaves
            left = replace(way, leaves=leaves, written=not first, empty=way.empty - {node.span.start})
            out = self._resume(rest, left)
        on = self._once_more(node, count + 1, parity, way, rest, begun=not first) if goes else []
        if not (on and out):
            return on or out or _NOWHERE
        return [*out, *on] if quantifier.every_length else _beside([on, out])

    def _once_more(
        self, node: Element | Group, count: int, parity: int, way: _Way, rest: _Frame, *, begun: bool
    ) -> _States:
        """One repetition more; where lengths are told apart early, once as the last and once as another."""
        quantifier = cast("Quantifier", node.quantifier)
        start = node.span.start
        known = count if quantifier.maximum is not None else min(count, max(quantifier.minimum, 1))
        finals: list[bool | None] = [None]
        if quantifier.every_length and self.is_early(node):
            may_stop, may_go = count >= quantifier.minimum, quantifier.maximum is None or count < quantifier.maximum
            finals = [final for final, possible in ((True, may_stop), (False, may_go)) if possible]
        body = node.pattern if isinstance(node, Group) else replace(node, quantifier=None)
        link = quantifier.link if begun else way.link
        enters = way.enters | {start} if isinstance(node, Group) else way.enters
        entered = replace(way, link=link, enters=enters, empty=way.empty | {start}, written=False)
        found: _States = []
        for final in finals:
            for state in self._enter(body, entered, _Loop(node, known, parity, final, rest)):
                found.append(tuple(_with_until(t, node, begun=begun, link=way.link) for t in state))
        return found

    def _side_by_side(self, sides: tuple[State, ...], begun: tuple[bool, ...], way: _Way, rest: _Frame) -> _States:
        """The threads of all sides of an AND, and of what follows once each has come to its end."""
        own: list[Thread] = []
        for i, side in enumerate(sides):
            for thread in side:
                if thread.variable is not None:
                    others = (*sides[:i], (), *sides[i + 1 :])
                    beside = _Beside(thread.rest, i, others, begun, way, rest)
                    own.append(_behind(way, replace(thread, rest=beside)))
        states: _States = [tuple(own)]
        ends = [[t for t in side if t.variable is None] for side in sides]
        for end in itertools.product(*ends):
            further = self._resume(rest, _all_ended(end, way))
            states = [(*state, *more) for state in states for more in further]
        return states


def _thread(variable: str | None, way: _Way, rest: _Frame) -> Thread:
    return Thread(
        variable,
        way.link or Link.ANY,
        way.before,
        way.floors,
        way.absences,
        way.leaves,
        frozenset(_greedy(rest)),
        way.sides,
        tuple(_untils(rest)),
        way.quits,
        way.enters,
        rest,
        way.written,
    )


def _tells_repetitions_apart(node: Element | Group) -> bool:
    """Whether a repetition holds repetitions or ORs, those of the next one being others."""
    inner = walk_pattern(node.pattern) if isinstance(node, Group) else ()
    return any(
        isinstance(part, Alternative) or (isinstance(part, Element | Group) and part.quantifier is not None)
        for part in inner
    )


def _frames(rest: _Frame) -> Iterator[_Frame]:
    """What is left, from the inside out."""
    while not isinstance(rest, _End):
        yield rest
        rest = rest.rest


def _parities(rest: _Frame) -> tuple[int, ...]:
    return tuple(frame.parity for frame in _frames(rest) if isinstance(frame, _Loop))


def _greedy(rest: _Frame) -> Iterator[Key]:
    for frame in _frames(rest):
        if isinstance(frame, _Loop):
            quantifier = frame.node.quantifier
            if quantifier is not None and not quantifier.every_length:
                yield frame.node.span.start, _parities(frame.rest)


def _untils(rest: _Frame) -> Iterator[Until]:
    for frame in _frames(rest):
        if isinstance(frame, _Loop) and frame.node.quantifier is not None and frame.node.quantifier.until is not None:
            yield Until(frame.node.span.start, begun=True, counts=True)


def _with_until(thread: Thread, node: Element | Group, *, begun: bool, link: Link | None) -> Thread:
    """Before its first event a repetition is ended by what came since the event before, unless its link is `->>`."""
    if begun or thread.variable is None:
        return thread
    counts = link not in (None, Link.ANY)
    untils = tuple(replace(u, begun=False, counts=counts) if u.start == node.span.start else u for u in thread.untils)
    return replace(thread, untils=untils)


def _behind(way: _Way, thread: Thread) -> Thread:
    """A thread of an AND, with what was met on the way to the AND."""
    return replace(
        thread,
        absences=(*way.absences, *thread.absences),
        leaves=way.leaves | thread.leaves,
        sides=(*way.sides, *thread.sides),
        quits=way.quits | thread.quits,
        enters=way.enters | thread.enters,
        floors=tuple(dict.fromkeys((*way.floors, *thread.floors))),
    )


def _later(way: _Way) -> _Way:
    """What stands before an AND once an event of it has come: NOTs and repetitions on the way are settled."""
    return replace(
        way, absences=(), leaves=frozenset(), sides=(), quits=frozenset(), enters=frozenset(), empty=frozenset()
    )


def _all_ended(ends: tuple[Thread, ...], way: _Way) -> _Way:
    written = any(end.written for end in ends)
    before = tuple(dict.fromkeys(v for end in ends if end.before is not None for v in end.before))
    return replace(
        way,
        link=None if written else way.link,
        before=before or None if written else way.before,
        floors=tuple(dict.fromkeys((*(() if written else way.floors), *(f for end in ends for f in end.floors)))),
        absences=(*way.absences, *(a for end in ends for a in end.absences)),
        leaves=way.leaves.union(*(end.leaves for end in ends)),
        sides=(*way.sides, *(s for end in ends for s in end.sides)),
        quits=way.quits.union(*(end.quits for end in ends)),
        written=written,
    )


def _beside(several: Iterator[_States] | list[_States]) -> _States:
    """Threads that are enabled at once."""
    return [tuple(itertools.chain.from_iterable(chosen)) for chosen in itertools.product(*several)]


Coming = frozenset[tuple[str, frozenset[int]]]
"""Variables that may still come, also under NOT, each with the repetitions under way that it is part of."""


def coming(state: State) -> Coming:
    """What may still come in a state."""
    return frozenset().union(*(_coming_by(thread) for thread in state))


def _coming_by(thread: Thread) -> Coming:
    found = set(_coming_behind(thread.rest))
    if thread.variable is not None:
        found.add((thread.variable, frozenset(_groups(thread.rest))))
    return frozenset((variable, groups - thread.enters) for variable, groups in found)


@lru_cache(maxsize=4096)
def _coming_behind(rest: _Frame) -> Coming:
    match rest:
        case _End() | _SideEnd():
            return frozenset()
        case _Along(node=node, position=position):
            groups = frozenset(_groups(rest))
            here = {(v, groups) for part in node.parts[position:] for v in _variables(part)}
        case _Loop(node=node, count=count, final=final):
            quantifier = cast("Quantifier", node.quantifier)
            goes = (quantifier.maximum is None or count < quantifier.maximum) and final is not True
            groups = frozenset(_groups(rest.rest))
            here = {(v, groups) for v in _variables(node)} if goes else set()
        case _Beside(inner=inner, own=own, sides=sides):
            others = (t for i, side in enumerate(sides) if i != own for t in side)
            here = set(_coming_behind(inner)).union(*(_coming_by(t) for t in others))
    return frozenset(here) | _coming_behind(rest.rest)


def groups_under_way(state: State) -> frozenset[int]:
    """The groups of which a repetition has begun and not ended."""
    return frozenset().union(*(set(_groups(t.rest)) - t.enters for t in state))


def _groups(rest: _Frame) -> Iterator[int]:
    for frame in _frames(rest):
        if isinstance(frame, _Loop) and isinstance(frame.node, Group):
            yield frame.node.span.start
        if isinstance(frame, _Beside):
            yield from _groups(frame.inner)


def _variables(part: Pattern) -> frozenset[str]:
    return frozenset(p.variable for p in walk_pattern(part) if isinstance(p, Element | Negation))


def threads_of(state: State) -> Iterator[Thread]:
    """The threads of a state, and those of ANDs' sides that wait for what they stand before."""
    for thread in state:
        yield thread
        for frame in _frames(thread.rest):
            if isinstance(frame, _Beside):
                yield from itertools.chain.from_iterable(map(threads_of, frame.sides))


def barred(state: State, link: Link) -> State:
    """What is left of a state when an event was passed over: by one that nothing took `=>` is lost, else `->` too."""
    lost = (Link.STRICT,) if link is Link.STRICT else (Link.STRICT, Link.NEXT)
    return tuple(
        replace(thread, rest=_barred(thread.rest, link))
        for thread in state
        if thread.variable is not None and thread.link not in lost
    )


@lru_cache(maxsize=4096)
def _barred(rest: _Frame, link: Link) -> _Frame:
    """The same for the sides of an AND that have begun; one that has not counts from the last event of the AND."""
    if isinstance(rest, _End):
        return rest
    if not isinstance(rest, _Beside):
        return replace(rest, rest=_barred(rest.rest, link))
    sides = tuple(
        _kept_open(side, link) if begun and i != rest.own else side
        for i, (side, begun) in enumerate(zip(rest.sides, rest.begun, strict=True))
    )
    return replace(rest, inner=_barred(rest.inner, link), sides=sides, rest=_barred(rest.rest, link))


def _kept_open(side: State, link: Link) -> State:
    return (*barred(side, link), *(thread for thread in side if thread.variable is None))
