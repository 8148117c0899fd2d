"""Where the variables of a pattern stand: groups around them, repetition, sides of ORs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from ....language.nodes import (
    Alternative,
    Conjunction,
    Element,
    Group,
    Negation,
    Pattern,
    Sequence,
    Timer,
    may_be_empty,
)

__all__ = ["PatternScopes", "scopes_of"]

Groups = tuple[int, ...]
"""Repeated groups by where they begin in the text, outermost first."""


@dataclass(frozen=True, slots=True)
class PatternScopes:
    """Where variables stand.

    Attributes:
        groups: of each variable the quantified groups around it, outermost first.
        positive: variables that are matched, in the pattern's order.
        negations: by variable.
        loops: of each variable the starts of all repetitions around it that may come more than once, outermost first.
        others: for each side of each OR, as (start of the OR, side), the variables of its other sides.
        alternatives: of each OR, by its start, the groups around it.
        opening: the variables of NOTs that may stand first in a match.
    """

    groups: Mapping[str, Groups] = field(default_factory=dict)
    positive: tuple[str, ...] = ()
    negations: Mapping[str, Negation] = field(default_factory=dict)
    loops: Mapping[str, Groups] = field(default_factory=dict)
    others: Mapping[tuple[int, int], frozenset[str]] = field(default_factory=dict)
    alternatives: Mapping[int, Groups] = field(default_factory=dict)
    opening: frozenset[str] = frozenset()

    def scope(self, variables: Iterable[str]) -> int | None:
        """The innermost group that surrounds all the variables; `None`: the whole pattern."""
        chains = [self.groups.get(v, ()) for v in variables]
        common: int | None = None
        for level in zip(*chains, strict=False):
            if len(set(level)) > 1:
                break
            common = level[0]
        return common

    def repeats(self, variable: str, scope: int | None) -> bool:
        """Whether a variable may be bound to several events in one repetition of `scope`."""
        loops = self.loops.get(variable, ())
        if scope is None:
            return bool(loops)
        around = self.groups[variable]
        inner = set(around[around.index(scope) + 1 :]) | {loop for loop in loops if loop not in around}
        return bool(inner & set(loops))


def scopes_of(pattern: Pattern) -> PatternScopes:
    """The places of a pattern's variables."""
    groups: dict[str, Groups] = {}
    loops: dict[str, Groups] = {}
    negations: dict[str, Negation] = {}
    others: dict[tuple[int, int], frozenset[str]] = {}
    alternatives: dict[int, Groups] = {}

    def visit(part: Pattern, around: Groups, repeated: Groups) -> frozenset[str]:
        match part:
            case Element(variable=variable, quantifier=quantifier):
                several = quantifier is not None and quantifier.maximum != 1
                groups[variable] = around
                loops[variable] = (*repeated, part.span.start) if several else repeated
                return frozenset({variable})
            case Negation(variable=variable):
                groups[variable], loops[variable], negations[variable] = around, repeated, part
                return frozenset({variable})
            case Timer():
                return frozenset()
            case Group(pattern=inner, quantifier=quantifier):
                start = part.span.start
                return visit(inner, (*around, start), repeated if quantifier.maximum == 1 else (*repeated, start))
            case Alternative(branches=branches):
                sides = [visit(branch, around, repeated) for branch in branches]
                every = frozenset[str]().union(*sides)
                alternatives[part.span.start] = around
                others.update({(part.span.start, i): every - side for i, side in enumerate(sides)})
                return every
            case Conjunction(parts=parts) | Sequence(parts=parts):
                return frozenset[str]().union(*(visit(inner, around, repeated) for inner in parts))

    visit(pattern, (), ())
    positive = tuple(v for v in groups if v not in negations)
    return PatternScopes(groups, positive, negations, loops, others, alternatives, _opening(pattern))


def _opening(part: Pattern) -> frozenset[str]:
    match part:
        case Element() | Timer():
            return frozenset()
        case Negation(variable=variable):
            return frozenset({variable})
        case Group(pattern=inner):
            return _opening(inner)
        case Alternative(branches=parts) | Conjunction(parts=parts):
            return frozenset[str]().union(*map(_opening, parts))
        case Sequence(parts=parts):
            last = next((i for i, one in enumerate(parts) if not may_be_empty(one)), len(parts))
            return frozenset[str]().union(*map(_opening, parts[: last + 1]))
