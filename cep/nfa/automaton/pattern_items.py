"""What states of a pattern's automaton are made of: items, their continuations, and the way to each.

An *item* is an element that may come next, with the link before it, what its coming means for the repetitions, NOTs and
ORs around it, and its *continuation*: what is left of the pattern once it has come. The items that are enabled at once
make a state.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

from ....language.nodes import Element, Group, Link, Sequence

__all__ = [
    "BranchChoice",
    "BranchEnd",
    "Continuation",
    "EpsilonPath",
    "InterleavedRest",
    "ItemSet",
    "PassedNegation",
    "PatternEnd",
    "PatternItem",
    "RepetitionKey",
    "RepetitionRest",
    "SequenceRest",
    "StopScope",
    "anchor_of",
    "frames",
    "item_at",
    "items_of",
    "parities",
]

RepetitionKey = tuple[int, tuple[int, ...]]
"""A repetition or an OR: where it begins in the text, and which repetition of each loop around it (even or odd)."""


@dataclass(frozen=True, slots=True)
class PassedNegation:
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
class BranchChoice:
    """A side of an OR; `link` stands before the OR."""

    key: RepetitionKey
    index: int
    link: Link


@dataclass(frozen=True, slots=True)
class StopScope:
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
class EpsilonPath:
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
    floors: tuple[PassedNegation, ...] = ()
    absences: tuple[PassedNegation, ...] = ()
    leaves: frozenset[RepetitionKey] = frozenset()
    sides: tuple[BranchChoice, ...] = ()
    quits: frozenset[int] = frozenset()
    enters: frozenset[int] = frozenset()
    empty: frozenset[int] = frozenset()
    written: bool = True


@dataclass(frozen=True, slots=True)
class PatternEnd:
    """Nothing is left."""


@dataclass(frozen=True, slots=True)
class SequenceRest:
    """The parts of a sequence from `position` on; `written`: one before it was, else `outer` is the link."""

    node: Sequence
    position: int
    written: bool
    outer: Link | None
    rest: Continuation


@dataclass(frozen=True, slots=True)
class RepetitionRest:
    """The end of the `count`th repetition. `final`: it was decided whether that is the last."""

    node: Element | Group
    count: int
    parity: int
    final: bool | None
    rest: Continuation


@dataclass(frozen=True, slots=True)
class BranchEnd:
    """The end of one side of an AND."""

    rest: Continuation


@dataclass(frozen=True, slots=True)
class InterleavedRest:
    """What is left of one side of an AND, beside the threads of the others; `start`: where it begins in the text."""

    inner: Continuation
    own: int
    sides: tuple[tuple[PatternItem, ...], ...]
    begun: tuple[bool, ...]
    way: EpsilonPath
    rest: Continuation
    start: int


Continuation = PatternEnd | SequenceRest | RepetitionRest | BranchEnd | InterleavedRest


@dataclass(frozen=True, slots=True)
class PatternItem:
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
        anchors: the ANDs that begin with it, each with the variables whose last events end what stands before.
    """

    variable: str | None
    link: Link
    before: tuple[str, ...] | None
    floors: tuple[PassedNegation, ...]
    absences: tuple[PassedNegation, ...]
    leaves: frozenset[RepetitionKey]
    inside: frozenset[RepetitionKey]
    sides: tuple[BranchChoice, ...]
    untils: tuple[StopScope, ...]
    quits: frozenset[int]
    enters: frozenset[int]
    rest: Continuation
    written: bool = True
    anchors: tuple[tuple[str, tuple[str, ...]], ...] = ()


ItemSet = tuple[PatternItem, ...]


def anchor_of(start: int) -> str:
    """What stands for the last event before an AND, by where that begins in the text; no variable is called so.

    A NOT on a side of an AND looks from there on, and the variables of that event may have other events by then: those
    of the AND itself, where it is repeated.
    """
    return f"&{start}"


def frames(rest: Continuation) -> Iterator[Continuation]:
    """What is left, from the inside out."""
    while not isinstance(rest, PatternEnd):
        yield rest
        rest = rest.rest


def parities(rest: Continuation) -> tuple[int, ...]:
    """Which repetition, even or odd, of each loop around it something stands in."""
    return tuple(frame.parity for frame in frames(rest) if isinstance(frame, RepetitionRest))


def _greedy(rest: Continuation) -> Iterator[RepetitionKey]:
    for frame in frames(rest):
        if isinstance(frame, RepetitionRest):
            quantifier = frame.node.quantifier
            if quantifier is not None and not quantifier.every_length:
                yield frame.node.span.start, parities(frame.rest)


def _untils(rest: Continuation) -> Iterator[StopScope]:
    for frame in frames(rest):
        if (
            isinstance(frame, RepetitionRest)
            and frame.node.quantifier is not None
            and frame.node.quantifier.until is not None
        ):
            yield StopScope(frame.node.span.start, begun=True, counts=True)


def item_at(variable: str | None, way: EpsilonPath, rest: Continuation) -> PatternItem:
    """An element, or an end, at the end of a way."""
    return PatternItem(
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


def items_of(state: ItemSet) -> Iterator[PatternItem]:
    """The items of a state, and those of ANDs' sides that wait for what they stand before, ANDs within ANDs too."""
    for item in state:
        yield item
        yield from _waiting(item.rest)


def _waiting(rest: Continuation) -> Iterator[PatternItem]:
    for frame in frames(rest):
        if isinstance(frame, InterleavedRest):
            yield from itertools.chain.from_iterable(map(items_of, frame.sides))
            yield from _waiting(frame.inner)
