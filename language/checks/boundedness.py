"""Which variable's events would have to be remembered for ever: what WINDOWs tie together, and what they do not."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from collections.abc import Sequence as Several
from collections.abc import Set as AbstractSet
from typing import assert_never

from ..nodes import (
    Alternative,
    CheckWindow,
    Conjunction,
    Element,
    Group,
    Kind,
    Negation,
    Pattern,
    Sequence,
    SlidingWindow,
    Timer,
    Window,
    walk_pattern,
    window_variables,
)
from ..source_text import Span
from .check_clause import is_bounded
from .mode_checks import is_kept, waiting_variables
from .query_draft import Draft
from .resolution import Scope

_PRESENT = ""
"""Among the variables that a window ties: a sliding one ties its own to the present."""


def unbounded(draft: Draft) -> str | None:
    """A variable whose events would have to be remembered for ever; `None`: WINDOWs bound them all."""
    loose = next((w.variable for w in draft.windows if isinstance(w, CheckWindow) and not is_bounded(w)), None)
    if loose is not None:
        return loose
    if is_kept(draft):
        return None
    if draft.kind is not Kind.PATTERN or (len(draft.matched) == 1 and not draft.quantified.get(draft.matched[0])):
        return None
    return _loose_in_mode(draft) or _loose(draft.matched, draft.quantified, draft.pattern, draft.windows)


def check_bounded(scope: Scope, draft: Draft) -> None:
    """WINDOWs bound what is remembered, or the caller does.

    Raises:
        QueryTypeError: nothing does.
    """
    loose = unbounded(draft)
    if loose is None or draft.retention is not None or draft.once:
        return
    check = next((window for window in draft.windows if isinstance(window, CheckWindow)), None)
    if check is not None:
        hint = f"add an extent, CHECK (…), 1day, or a condition such as COUNT(?{loose}) <= 1000"
        raise scope.error(check.span, "this window could grow without bound", hint)
    names = ", ".join(f"?{name}" for name in draft.matched)
    kept = " or POLICY … KEEP" if waiting_variables(draft) else ""
    reason = "no WINDOW ties ?" + loose if draft.windows else "there is no WINDOW"
    hint = f"add WINDOW ({names}, 5min){kept}, or submit the query with a retention"
    raise scope.error(_reason(draft), f"this could remember events without bound: {reason}", hint)


def _reason(draft: Draft) -> Span:
    """What needs the memory: SEQ, else the first JOIN, else FROM."""
    for clauses in (draft.tree.sequences, draft.tree.joins, draft.tree.sources):
        if clauses:
            return clauses[0].span
    return draft.tree.span


def _loose(
    matched: Several[str], quantified: Mapping[str, bool], pattern: Pattern | None, windows: Several[Window]
) -> str | None:
    """A variable that no chain of windows ties to the others, or to the present; `None`: all are tied.

    Args:
        matched: the variables that a match binds.
        quantified: the quantified variables: name → whether they may bind several events.
        pattern: of SEQ.
        windows: all of them.
    """
    groups = [frozenset(_tied(window)) for window in windows]
    alone = (name for name, several in quantified.items() if several and not any(name in group for group in groups))
    found = next(alone, None) or _apart(matched, groups)
    if found is not None or pattern is None:
        return found
    named = {part.variable for part in walk_pattern(pattern) if isinstance(part, Element)}
    return _loose_beside(matched, named, pattern, groups) or _loose_inside(matched, named, quantified, groups)


def _loose_in_mode(draft: Draft) -> str | None:
    """A variable that windows tie only to later ones: a mode pairs from the left, and does not know those yet."""
    names = [] if waiting_variables(draft) is None else _in_order(draft.pattern)
    groups = [frozenset(_tied(window)) for window in draft.windows]
    loose = (_apart(names[:n], [group & {*names[:n], _PRESENT} for group in groups]) for n in range(2, len(names)))
    return next((name for name in loose if name is not None), None)


def _in_order(pattern: Pattern | None) -> list[str]:
    return [part.variable for part in walk_pattern(pattern) if isinstance(part, Element)] if pattern else []


def _tied(window: Window) -> set[str]:
    return {*window_variables(window), _PRESENT} if isinstance(window, SlidingWindow) else set(window_variables(window))


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
    matched: Several[str], named: AbstractSet[str], quantified: Mapping[str, bool], groups: Several[AbstractSet[str]]
) -> str | None:
    """A variable of SEQ that only what SEQ does not name ties: runs wait for more before that is looked for."""
    inside = [name for name in matched if name in named]
    return _apart(inside, [group & named for group in groups]) if quantified else None


def _avoids(part: Pattern, variables: AbstractSet[str]) -> tuple[bool, bool]:
    """Whether a part can be passed without an event, and with events but none of some variables."""
    match part:
        case Element(variable=variable, quantifier=quantifier):
            return quantifier is not None and quantifier.minimum == 0, variable not in variables
        case Negation() | Timer():
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
