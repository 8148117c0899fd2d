"""Which of the transitions that an event enables a partial match takes (`docs/semantics.md`)."""

from __future__ import annotations

from typing import Any

from ....language.nodes import Link
from ..automaton import BranchChoice
from ..compiler import RegisterValues, State, Transition

__all__ = ["EnabledTransition", "PartialMatch", "preferred"]

PartialMatch = tuple[State, RegisterValues, tuple[Any, ...]]
"""One growing binding: its state, its registers, its events (a node of the shared buffer)."""

EnabledTransition = tuple[Transition, list[PartialMatch]]
"""A transition whose conditions an event satisfies, and the partial matches that it leads to."""


def preferred(enabled: list[EnabledTransition]) -> list[EnabledTransition]:
    """What is taken: what prolongs a repetition before what leaves it, the left side of an OR before the right."""
    if len(enabled) < 2:
        return enabled
    prolonged = frozenset().union(*(transition.inside for transition, _ in enabled))
    left = [one for one in enabled if not one[0].leaves & prolonged]
    sides = [side for transition, _ in left for side in transition.sides]
    return [one for one in left if not any(_is_beaten(side, sides) for side in one[0].sides)] if sides else left


def _is_beaten(side: BranchChoice, sides: list[BranchChoice]) -> bool:
    if side.link is Link.ANY:
        return False
    return any(other.key == side.key and other.index < side.index for other in sides)
