"""Which variables would complete what is in a state of an automaton: those that may be bound on the way to the end."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from functools import lru_cache
from itertools import product
from typing import cast

from ....language.nodes import (
    Alternative,
    Conjunction,
    Element,
    Group,
    Negation,
    Pattern,
    Quantifier,
    Sequence,
    Timer,
)
from .pattern_items import (
    BranchEnd,
    Continuation,
    InterleavedRest,
    ItemSet,
    PatternEnd,
    PatternItem,
    RepetitionRest,
    SequenceRest,
)

__all__ = ["Completions", "completions_by", "completions_in", "minimal_completions"]

Completions = frozenset[frozenset[str]]
"""Sets of variables, each of which gets one event at least; what is repeated counts once."""

_NOTHING: Completions = frozenset({frozenset()})


def completions_by(item: PatternItem, targets: Iterable[ItemSet]) -> Completions:
    """What completes a partial match by an element, which leads to one of some states."""
    own = frozenset() if item.variable is None else frozenset({item.variable})
    behind = frozenset[frozenset[str]]().union(*(completions_in(target) for target in targets))
    return frozenset(own | rest for rest in behind)


def minimal_completions(every: Completions, apart: AbstractSet[str]) -> Completions:
    """The sets that hold no other; those with one of some variables, and those without, each by themselves.

    What a larger set waits for is over no later than what a smaller one does.
    """
    sides = [{s for s in every if bool(s & apart) is inside} for inside in (False, True)]
    return frozenset(s for side in sides for s in side if not any(other < s for other in side))


def completions_in(threads: ItemSet) -> Completions:
    """What completes a partial match in a state."""
    return frozenset().union(*map(_of_thread, threads)) if threads else _NOTHING


def _of_thread(thread: PatternItem) -> Completions:
    own = _NOTHING if thread.variable is None else frozenset({frozenset({thread.variable})})
    return _together((own, _behind(thread.rest)))


@lru_cache(maxsize=4096)
def _behind(rest: Continuation) -> Completions:
    match rest:
        case PatternEnd() | BranchEnd():
            return _NOTHING
        case SequenceRest(node=node, position=position):
            here = _together(map(_of_pattern, node.parts[position:]))
        case RepetitionRest(node=node, count=count, final=final):
            quantifier = cast("Quantifier", node.quantifier)
            stops = count >= quantifier.minimum and final is not False
            goes = (quantifier.maximum is None or count < quantifier.maximum) and final is not True
            here = (_of_body(node) if goes else frozenset()) | (_NOTHING if stops else frozenset())
        case InterleavedRest(inner=inner, own=own, sides=sides):
            others = (completions_in(side) for i, side in enumerate(sides) if i != own)
            here = _together((_behind(inner), *others))
    return _together((here, _behind(rest.rest)))


def _of_pattern(part: Pattern) -> Completions:
    match part:
        case Negation() | Timer():
            return _NOTHING
        case Element(quantifier=None):
            return _of_body(part)
        case Element(quantifier=quantifier) | Group(quantifier=quantifier):
            most, least = cast("Quantifier", quantifier).maximum, cast("Quantifier", quantifier).minimum
            return (_of_body(part) if most != 0 else _NOTHING) | (frozenset() if least else _NOTHING)
        case Alternative(branches=branches):
            return frozenset().union(*map(_of_pattern, branches))
        case Sequence(parts=parts) | Conjunction(parts=parts):
            return _together(map(_of_pattern, parts))


def _of_body(node: Element | Group) -> Completions:
    return frozenset({frozenset({node.variable})}) if isinstance(node, Element) else _of_pattern(node.pattern)


def _together(parts: Iterable[Completions]) -> Completions:
    """One of each."""
    return frozenset(frozenset[str]().union(*choice) for choice in product(*parts))
