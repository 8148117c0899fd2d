"""What automata of patterns are made of: threads, what is left behind them, and what is met on the way to them.

A *thread* is an element that may come next, with the link before it, what its coming means for the repetitions, NOTs
and ORs around it, and its *continuation*: the frames of the pattern that are left once it has come. A *state* is the
threads that are enabled at once.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

from ...language.nodes import Element, Group, Link, Sequence

__all__ = [
    "Absence",
    "Along",
    "Beside",
    "End",
    "Frame",
    "Key",
    "Loop",
    "Side",
    "SideEnd",
    "State",
    "Thread",
    "Until",
    "Way",
    "frames",
    "parities",
    "thread_at",
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
class Way:
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
class End:
    """Nothing is left."""


@dataclass(frozen=True, slots=True)
class Along:
    """The parts of a sequence from `position` on; `written`: one before it was, else `outer` is the link."""

    node: Sequence
    position: int
    written: bool
    outer: Link | None
    rest: Frame


@dataclass(frozen=True, slots=True)
class Loop:
    """The end of the `count`th repetition. `final`: it was decided whether that is the last."""

    node: Element | Group
    count: int
    parity: int
    final: bool | None
    rest: Frame


@dataclass(frozen=True, slots=True)
class SideEnd:
    """The end of one side of an AND."""

    rest: Frame


@dataclass(frozen=True, slots=True)
class Beside:
    """What is left of one side of an AND, beside the threads of the others."""

    inner: Frame
    own: int
    sides: tuple[tuple[Thread, ...], ...]
    begun: tuple[bool, ...]
    way: Way
    rest: Frame


Frame = End | Along | Loop | SideEnd | Beside


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
    rest: Frame
    written: bool = True


State = tuple[Thread, ...]


def frames(rest: Frame) -> Iterator[Frame]:
    """What is left, from the inside out."""
    while not isinstance(rest, End):
        yield rest
        rest = rest.rest


def parities(rest: Frame) -> tuple[int, ...]:
    """Which repetition, even or odd, of each loop around it something stands in."""
    return tuple(frame.parity for frame in frames(rest) if isinstance(frame, Loop))


def _greedy(rest: Frame) -> Iterator[Key]:
    for frame in frames(rest):
        if isinstance(frame, Loop):
            quantifier = frame.node.quantifier
            if quantifier is not None and not quantifier.every_length:
                yield frame.node.span.start, parities(frame.rest)


def _untils(rest: Frame) -> Iterator[Until]:
    for frame in frames(rest):
        if isinstance(frame, Loop) and frame.node.quantifier is not None and frame.node.quantifier.until is not None:
            yield Until(frame.node.span.start, begun=True, counts=True)


def thread_at(variable: str | None, way: Way, rest: Frame) -> Thread:
    """An element, or an end, at the end of a way."""
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


def threads_of(state: State) -> Iterator[Thread]:
    """The threads of a state, and those of ANDs' sides that wait for what they stand before."""
    for thread in state:
        yield thread
        for frame in frames(thread.rest):
            if isinstance(frame, Beside):
                yield from itertools.chain.from_iterable(map(threads_of, frame.sides))
