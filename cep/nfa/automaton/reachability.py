"""What may still come in a state of an automaton."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import cast

from ....language.nodes import Element, Group, Negation, Pattern, Quantifier, subpatterns, walk_pattern
from .pattern_items import (
    BranchEnd,
    Continuation,
    InterleavedRest,
    ItemSet,
    PatternEnd,
    PatternItem,
    RepetitionRest,
    SequenceRest,
    frames,
)

__all__ = ["ReachableVariables", "open_groups", "reachable_variables"]

ReachableVariables = frozenset[tuple[str, frozenset[int]]]
"""Variables that may still come, also under NOT, each with the repetitions under way that it is part of."""


def reachable_variables(state: ItemSet) -> ReachableVariables:
    """What may still come in a state."""
    return frozenset().union(*(_coming_by(thread) for thread in state))


def _coming_by(thread: PatternItem) -> ReachableVariables:
    found = set(_coming_behind(thread.rest))
    if thread.variable is not None:
        found.add((thread.variable, frozenset(_groups(thread.rest))))
    return frozenset((variable, groups - thread.enters) for variable, groups in found)


@lru_cache(maxsize=4096)
def _coming_behind(rest: Continuation) -> ReachableVariables:
    match rest:
        case PatternEnd() | BranchEnd():
            return frozenset()
        case SequenceRest(node=node, position=position):
            groups = frozenset(_groups(rest))
            here = {(v, groups) for part in node.parts[position:] for v in _variables(part)}
        case RepetitionRest(node=node, count=count, final=final):
            quantifier = cast("Quantifier", node.quantifier)
            goes = (quantifier.maximum is None or count < quantifier.maximum) and final is not True
            groups = frozenset(_groups(rest.rest))
            here = {(v, groups) for v in _variables(node)} if goes else set()
        case InterleavedRest(inner=inner, own=own, sides=sides):
            others = (t for i, side in enumerate(sides) if i != own for t in side)
            here = set(_coming_behind(inner)).union(*(_coming_by(t) for t in others))
    return frozenset(here) | _coming_behind(rest.rest)


def open_groups(state: ItemSet) -> frozenset[int]:
    """The groups of which a repetition has begun and not ended."""
    return frozenset().union(*(set(_groups(t.rest)) - t.enters for t in state))


def _groups(rest: Continuation) -> Iterator[int]:
    for frame in frames(rest):
        if isinstance(frame, RepetitionRest) and isinstance(frame.node, Group):
            yield frame.node.span.start
        if isinstance(frame, InterleavedRest):
            yield from _groups(frame.inner)


def _variables(part: Pattern) -> frozenset[str]:
    """The variables of a part; without those of which it was decided that they do not come (`optional_expansions`)."""
    if isinstance(part, Element | Group) and part.quantifier is not None:
        if part.quantifier.maximum == 0:
            return frozenset()
        if part.quantifier.maximum != 1:  # later repetitions decide for themselves
            return frozenset(p.variable for p in walk_pattern(part) if isinstance(p, Element | Negation))
    if isinstance(part, Element | Negation):
        return frozenset({part.variable})
    return frozenset[str]().union(*(_variables(inner) for inner in subpatterns(part)))
