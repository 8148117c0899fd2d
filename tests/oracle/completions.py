"""What would complete a partial match: which variables may get events on the way to the end of a pattern."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping

from kaicep.language.nodes.pattern import Alternative, Conjunction, Element, Group, Pattern
from kaicep.language.nodes.pattern import Sequence as Links

from .terms import Before, Look, Term, ways

Completions = frozenset[frozenset[str]]


def completions(rest: Term, look: Look, admits: Callable[[Before], bool], most: Mapping[str, int]) -> Completions:
    """Each set of variables that may get events until nothing more has to come; what is repeated counts once.

    Args:
        rest: what is left of the pattern.
        look: at an event of which nothing is known but that it comes later.
        admits: whether a link does, as far as it speaks of what came.
        most: how often events of a variable may be needed; see `needed`.
    """
    found: set[frozenset[str]] = set()
    seen: set[tuple[Term, frozenset[tuple[str, int]]]] = set()
    open_ways: list[tuple[Term, Counter[str]]] = [(rest, Counter())]
    while open_ways:
        term, taken = open_ways.pop()
        for way in ways(term, Before(), (), look):
            if way.variable is None:
                found.add(frozenset(taken))
            elif taken[way.variable] < most[way.variable] and admits(way.before):
                longer = taken + Counter([way.variable])
                key = way.rest, frozenset(longer.items())
                if key not in seen:
                    seen.add(key)
                    open_ways.append((way.rest, longer))
    return frozenset(found)


def needed(pattern: Pattern, times: int = 1) -> dict[str, int]:
    """By variable, how many of its events the repetitions around it ask for; at least one."""
    if isinstance(pattern, Links | Conjunction):
        return {v: n for part in pattern.parts for v, n in needed(part, times).items()}
    if isinstance(pattern, Alternative):
        return {v: n for branch in pattern.branches for v, n in needed(branch, times).items()}
    if isinstance(pattern, Element | Group):
        repeated = times * max(1, pattern.quantifier.minimum if pattern.quantifier is not None else 1)
        return needed(pattern.pattern, repeated) if isinstance(pattern, Group) else {pattern.variable: repeated}
    return {}
