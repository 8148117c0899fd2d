"""What a pattern with `->>` throughout means as logic: every way to write it out, every choice of events, no runs.

A second reading of LANGUAGE §3 that shares nothing with `terms.py` and `runs.py`, to check them with.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence

from kaicep.language.nodes.pattern import Alternative, Conjunction, Element, Group, Pattern, Quantifier
from kaicep.language.nodes.pattern import Sequence as Links

from .events import Event

Binding = tuple[str, Event]
Solution = tuple[Binding, ...]
"""Variables and their events, in total order of the events."""


def solutions(pattern: Pattern, events: Mapping[str, Sequence[Event]]) -> set[Solution]:
    """All that the pattern may bind: elements, quantifiers, groups, AND and OR; without NOT and UNTIL."""
    return {found for found in _solutions(pattern, events) if found}


def _solutions(pattern: Pattern, events: Mapping[str, Sequence[Event]]) -> set[Solution]:
    match pattern:
        case Element(quantifier=None):
            return {((pattern.variable, e),) for e in events[pattern.variable]}
        case Element(quantifier=Quantifier() as quantifier):
            once: set[Solution] = {((pattern.variable, e),) for e in events[pattern.variable]}
            return set(_repeated(once, quantifier))
        case Group():
            return set(_repeated({s for s in _solutions(pattern.pattern, events) if s}, pattern.quantifier))
        case Alternative():
            return set().union(*(_solutions(branch, events) for branch in pattern.branches))
        case Conjunction():
            parts = [_solutions(part, events) for part in pattern.parts]
            return {merged for choice in itertools.product(*parts) if (merged := _merged(choice)) is not None}
        case Links():
            found: set[Solution] = {()}
            for part in pattern.parts:
                behind = _solutions(part, events)
                found = {(*one, *other) for one in found for other in behind if _precedes(one, other)}
            return found
    raise TypeError(type(pattern))


def _repeated(once: set[Solution], quantifier: Quantifier) -> Iterator[Solution]:
    """So many in time order."""
    found: set[Solution] = {()}
    count = 0
    while found and (quantifier.maximum is None or count <= quantifier.maximum):
        if count >= quantifier.minimum:
            yield from found
        found = {(*one, *other) for one in found for other in once if _precedes(one, other)}
        count += 1


def _precedes(one: Solution, other: Solution) -> bool:
    """Whether one ends strictly before the other begins, in time stamps; what is not written precedes everything."""
    if not one or not other:
        return True
    return max(e.time for _, e in one) < min(e.time for _, e in other)


def _merged(parts: Sequence[Solution]) -> Solution | None:
    """All of them together; `None`: they share an event."""
    every = sorted((binding for part in parts for binding in part), key=lambda b: b[1].order)
    distinct = {e.id for _, e in every}
    return tuple(every) if len(distinct) == len(every) else None
