"""Which variable's events would have to be remembered for ever: what WINDOWs tie together, and what they do not."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from collections.abc import Sequence as Several
from collections.abc import Set as AbstractSet
from typing import assert_never

from ..nodes import (
    Alternative,
    Conjunction,
    Element,
    Group,
    Negation,
    Pattern,
    Sequence,
    SlidingWindow,
    Window,
    walk_pattern,
)
from .window_checks import variables_of

__all__ = ["loose"]

_PRESENT = ""
"""Among the variables that a window ties: a sliding one ties its own to the present."""


def loose(
    matched: Several[str], runs: Mapping[str, bool], pattern: Pattern | None, windows: Several[Window]
) -> str | None:
    """A variable that no chain of windows ties to the others, or to the present; `None`: all are tied.

    Args:
        matched: the variables that a match binds.
        runs: the quantified variables: name → whether a run may be longer than one.
        pattern: of SEQ.
        windows: all of them.
    """
    groups = [frozenset(_tied(window)) for window in windows]
    alone = (name for name, several in runs.items() if several and not any(name in group for group in groups))
    found = next(alone, None) or _apart(matched, groups)
    if found is not None or pattern is None:
        return found
    named = {part.variable for part in walk_pattern(pattern) if isinstance(part, Element)}
    return _loose_beside(matched, named, pattern, groups) or _loose_inside(matched, named, runs, groups)


def _tied(window: Window) -> set[str]:
    return {*variables_of(window), _PRESENT} if isinstance(window, SlidingWindow) else set(variables_of(window))


def _apart(variables: Several[str], groups: Several[AbstractSet[str]]) -> str | None:
    """A variable that no chain of windows ties to the first, or to the present."""
    present = any(_PRESENT in group for group in groups)
    reached = _reached({_PRESENT} if present else set(variables[:1]), groups)
    return next((name for name in variables if name not in reached), None)


def _reached(start: AbstractSet[str], groups: Iterable[AbstractSet[str]]) -> set[str]:
    reached, grown = set(start), set(start)
    while grown:
        grown = {v for group in groups if group & reached for v in group} - reached
        reached |= grown
    return reached


def _loose_beside(
    matched: Several[str], named: AbstractSet[str], pattern: Pattern, groups: Several[AbstractSet[str]]
) -> str | None:
    """A variable that SEQ does not name, and that windows tie to such as some matches leave unbound."""
    for name in (name for name in matched if name not in named):
        near = _reached({name}, [group - named for group in groups])
        tied = {v for group in groups if group & near for v in group} & named
        _, without = _avoids(pattern, tied)
        if without:
            return name
    return None


def _loose_inside(
    matched: Several[str], named: AbstractSet[str], runs: Mapping[str, bool], groups: Several[AbstractSet[str]]
) -> str | None:
    """A variable of SEQ that only what SEQ does not name ties: runs wait for more before that is looked for."""
    inside = [name for name in matched if name in named]
    return _apart(inside, [group & named for group in groups]) if runs else None


def _avoids(part: Pattern, variables: AbstractSet[str]) -> tuple[bool, bool]:
    """Whether a part can be passed without an event, and with events but none of some variables."""
    match part:
        case Element(variable=variable, quantifier=quantifier):
            return quantifier is not None and quantifier.minimum == 0, variable not in variables
        case Negation():
            return True, False
        case Group(pattern=inner, quantifier=quantifier):
            empty, without = _avoids(inner, variables)
            return empty or quantifier.minimum == 0, without
        case Alternative(branches=branches):
            sides = [_avoids(branch, variables) for branch in branches]
            return any(empty for empty, _ in sides), any(without for _, without in sides)
        case Conjunction(parts=parts) | Sequence(parts=parts):
            found = [_avoids(one, variables) for one in parts]
            return all(empty for empty, _ in found), all(map(any, found)) and any(without for _, without in found)
        case _:
            assert_never(part)
