"""Which of the elements that an event satisfies a run takes (docs/semantics.md 3.8)."""

from __future__ import annotations

from typing import Any

from ...language.nodes import Link
from .pattern_items import Side
from .stages import Run, Stage, Step

__all__ = ["Made", "Satisfied", "kept"]

Made = tuple[Stage, Run, tuple[Any, ...]]
"""A run that took an event: its stage, its slots, its events."""

Satisfied = tuple[Step, list[Made]]
"""An element that an event satisfies, and the runs that take it."""


def kept(satisfied: list[Satisfied]) -> list[Satisfied]:
    """What of several elements is taken: what prolongs before what leaves, the left side of an OR before the right."""
    if len(satisfied) < 2:
        return satisfied
    prolonged = frozenset().union(*(step.inside for step, _ in satisfied))
    left = [one for one in satisfied if not one[0].leaves & prolonged]
    sides = [side for step, _ in left for side in step.sides]
    return [one for one in left if not any(_is_beaten(side, sides) for side in one[0].sides)] if sides else left


def _is_beaten(side: Side, sides: list[Side]) -> bool:
    if side.link is Link.ANY:
        return False
    return any(other.key == side.key and other.index < side.index for other in sides)
