"""Which repetitions of every length come at all: decided before anything that could be repeated in front of them.

`~` makes each length a run of its own, as if each were a separate pattern (docs/semantics.md 3.9). One run's pattern
has `?c?~` or has it not; a run must not go on without it, repeat what stands before it, and come to it again. Nor is an
aggregate over `?c*~` open in the run whose pattern is without it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import product
from typing import TypeVar

from ....language.nodes import Alternative, Conjunction, Element, Group, Negation, Pattern, Sequence, Timer

__all__ = ["optional_expansions"]

Repetition = TypeVar("Repetition", Element, Group)


def optional_expansions(part: Pattern, decides: Callable[[Element | Group], bool]) -> list[Pattern]:
    """The patterns that a pattern is, one for each way to decide.

    Args:
        part: the pattern.
        decides: whether a repetition of every length, which may come zero times, is to be decided.

    Returns:
        Patterns in which decided repetitions have a maximum of 0 or a minimum of 1. A group's pattern is that of its
        first repetition: others decide for themselves.
    """
    match part:
        case Element(quantifier=None) | Negation() | Timer():
            return [part]
        case Element():
            return list(_lengths(part, decides))
        case Group():
            bodies = optional_expansions(part.pattern, decides)
            none, *some = _lengths(part, decides)
            reachable_variables = [replace(one, pattern=body) for one in some or [none] for body in bodies]
            return [none, *reachable_variables] if some else [*reachable_variables]
        case Sequence():
            return [replace(part, parts=chosen) for chosen in _chosen(part.parts, decides)]
        case Conjunction():
            return [replace(part, parts=chosen) for chosen in _chosen(part.parts, decides)]
        case Alternative():
            return [replace(part, branches=chosen) for chosen in _chosen(part.branches, decides)]


def _chosen(parts: tuple[Pattern, ...], decides: Callable[[Element | Group], bool]) -> list[tuple[Pattern, ...]]:
    return list(product(*(optional_expansions(part, decides) for part in parts)))


def _lengths(node: Repetition, decides: Callable[[Element | Group], bool]) -> tuple[Repetition, ...]:
    """A repetition without any event and one with some, or the repetition as it is."""
    quantifier = node.quantifier
    if quantifier is None or quantifier.minimum or not quantifier.every_length or not decides(node):
        return (node,)
    return (
        replace(node, quantifier=replace(quantifier, maximum=0)),
        replace(node, quantifier=replace(quantifier, minimum=1)),
    )
