"""Consumption modes: what has to stand beside POLICY recent, chronicle, continuous, cumulative (LANGUAGE-2 §8)."""

from __future__ import annotations

from datetime import timedelta

from .. import syntax_tree as syntax
from ..literals import duration_text
from ..nodes import (
    AfterMatchKind,
    Conjunction,
    Element,
    Link,
    Pattern,
    Sequence,
    SlidingWindow,
    aggregates_of,
    bindings_of,
    event_variables,
)
from .query_draft import Draft
from .resolution import Scope, check_length, resolve

_OF_TWO = (AfterMatchKind.CONTINUOUS, AfterMatchKind.CUMULATIVE)


def waiting_variables(draft: Draft) -> tuple[str, ...] | None:
    """The variables whose events wait for others in a consumption mode; `None`: the query has none."""
    policy, pattern = draft.tree.policy, draft.pattern
    if policy is None or policy.mode is None or not isinstance(pattern, Sequence | Conjunction):
        return None
    names = [part.variable for part in pattern.parts if isinstance(part, Element)]
    return tuple(names[:-1] if isinstance(pattern, Sequence) else names)


def is_kept(draft: Draft) -> bool:
    """Whether the mode bounds what waits: the newest only, or as KEEP says."""
    policy, waiting = draft.tree.policy, waiting_variables(draft)
    if policy is None or waiting is None:
        return False
    return policy.mode is AfterMatchKind.RECENT or {*waiting} <= {bound.variable.name for bound in policy.keep}


def check_mode(scope: Scope, draft: Draft) -> None:
    """A mode pairs events of plain variables, and is all that says what is used up."""
    policy = draft.tree.policy
    if policy is None or policy.mode is None:
        return
    mode = policy.mode.value
    count = len(draft.variables)
    if not _is_plain(draft.pattern, count):
        hint = "write SEQ (?a, ?b) or SEQ (?a AND ?b); let a named query find the rest, and pair its rows"
        message = f"POLICY {mode} pairs the events of two plain variables or more in SEQ, with ',' or AND"
        raise scope.error(policy.span, message, hint)
    if count > 2 and policy.mode in _OF_TWO:
        hint = "let a named query pair the first two, and pair its rows; or write recent or chronicle"
        raise scope.error(policy.span, f"POLICY {mode} pairs the events of two variables only", hint)
    after = draft.tree.after_match
    if after is not None:
        hint = f"leave it out: POLICY {mode} says what a match uses up"
        raise scope.error(after.span, f"AFTER MATCH beside POLICY {mode}", hint)
    sliding = next((window for window in draft.windows if isinstance(window, SlidingWindow)), None)
    if sliding is not None:
        hint = f"write POLICY {mode} KEEP {_kept(sliding)}: what waits is bounded by KEEP, and by WINDOW (?a, ?b, …)"
        raise scope.error(sliding.span, f"a sliding window beside POLICY {mode}", hint)
    bound = [node for e in (*draft.reported, *draft.joins) for node in bindings_of(e)]
    if bound and policy.mode is AfterMatchKind.CUMULATIVE:
        hint = "let a named query select it, and ask about its rows"
        raise scope.error(bound[0].span, "POLICY cumulative makes runs of events, not of what PATHs bind", hint)
    _check_waiting(scope, policy)


def _kept(window: SlidingWindow) -> str:
    """What KEEP says for a sliding window."""
    extent = window.extent
    return f"?{window.variable}: " + (f"{extent} events" if isinstance(extent, int) else duration_text(extent))


def _is_plain(pattern: Pattern | None, count: int) -> bool:
    """Whether SEQ has all variables, one after the other or by AND, and nothing else."""
    if not isinstance(pattern, Sequence | Conjunction) or count < 2 or len(pattern.parts) != count:
        return False
    linked = isinstance(pattern, Conjunction) or set(pattern.links) == {Link.ANY}
    return linked and all(isinstance(part, Element) and part.quantifier is None for part in pattern.parts)


def _check_waiting(scope: Scope, policy: syntax.PolicyClause) -> None:
    """BY and KEEP speak of one variable each, once."""
    clauses: tuple[tuple[syntax.WaitingKey | syntax.WaitingBound, ...], ...] = (policy.by, policy.keep)
    for given in clauses:
        names = [one.variable.name for one in given]
        for place, one in enumerate(given):
            scope.stream(one.variable)
            if one.variable.name in names[:place]:
                raise scope.error(one.span, f"?{one.variable.name} is named twice", "name each variable once")
    for key in policy.by:
        value = resolve(scope, key.key)
        if aggregates_of(value) or set(event_variables(value)) != {key.variable.name}:
            name = key.variable.name
            raise scope.error(key.key.span, f"BY ?{name} is about events of ?{name} alone", f"write ?{name}.attribute")
    for bound in policy.keep:
        extent = bound.extent.value
        if not extent:
            raise scope.error(bound.extent.span, "KEEP nothing", "it takes a duration above 0, or 1 event or more")
        if isinstance(extent, timedelta):
            check_length(scope, extent, bound.extent.span, "KEEP")
