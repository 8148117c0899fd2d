"""What the sides of an AND carry, whose events come in any order: what was met before, and what their ends come to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from .pattern_items import EpsilonPath, ItemSet, PassedNegation, PatternItem, anchor_of

__all__ = ["after_way", "all_ended", "behind_others", "opening_anchors", "settled"]


def after_way(way: EpsilonPath, thread: PatternItem) -> PatternItem:
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


def behind_others(side: ItemSet, before: tuple[str, ...] | None, anchor: str) -> ItemSet:
    """A side of an AND that comes behind an event of the AND, and so behind all that stands before it.

    What stands before may be of the same variables, an iteration earlier: their last events are others by now. So NOTs
    look from the anchor on.
    """

    def moved(absences: tuple[PassedNegation, ...]) -> tuple[PassedNegation, ...]:
        return tuple(replace(a, before=(anchor,)) if before and a.before == before else a for a in absences)

    return tuple(
        replace(
            item,
            before=item.before if item.variable is None else None,
            absences=moved(item.absences),
            floors=moved(item.floors),
            anchors=tuple((name, (anchor,) if of == before else of) for name, of in item.anchors),
        )
        for item in side
    )


def opening_anchors(sides: Iterable[ItemSet], way: EpsilonPath, start: int) -> Iterator[tuple[str, tuple[str, ...]]]:
    """What has to be remembered when an AND begins that has NOTs on its sides."""
    if way.before and any(item.absences or item.floors or item.anchors for side in sides for item in side):
        yield anchor_of(start), way.before


def settled(way: EpsilonPath) -> EpsilonPath:
    """What stands before an AND once an event of it has come: NOTs and repetitions on the way are settled."""
    return replace(
        way, absences=(), leaves=frozenset(), sides=(), quits=frozenset(), enters=frozenset(), empty=frozenset()
    )


def all_ended(ends: tuple[PatternItem, ...], way: EpsilonPath) -> EpsilonPath:
    """The way on from an AND, each of whose sides has come to its end."""
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
