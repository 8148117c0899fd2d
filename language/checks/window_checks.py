"""WINDOW and WITHIN: from the syntax tree to checked windows and bounds."""

from __future__ import annotations

from datetime import timedelta
from typing import assert_never, cast

from .. import syntax_tree as syntax
from ..nodes import (
    DEFAULT_BOUNDS,
    BatchWindow,
    Bounds,
    ContextWindow,
    CorrelationWindow,
    CumulateWindow,
    HoppingWindow,
    Instant,
    Kind,
    Pattern,
    SessionWindow,
    SlidingWindow,
    Window,
    aggregates_of,
    negated_variables,
    quantified_variables,
)
from .check_clause import resolve_check
from .query_draft import Draft
from .resolution import NEW, OLD, Scope, check_length


def resolve_window(scope: Scope, node: syntax.WindowClause, pattern: Pattern | None) -> Window:
    """The checked form of a WINDOW.

    Args:
        scope: the event variables.
        node: the clause.
        pattern: of SEQ.

    Raises:
        QueryTypeError: an unknown variable, an extent of nothing, or extents that do not fit each other.
    """
    for variable in node.variables:
        scope.stream(variable)
    for extent in node.extents:
        _check_extent(scope, extent)
    name = node.variables[0].name
    if node.mode == "context":
        return ContextWindow(name, node.span)
    if node.condition is not None:
        return resolve_check(scope, node, node.condition)
    first = node.extents[0].value
    match node.mode:
        case "correlation":
            return _correlation(scope, node, pattern)
        case "sliding":
            return SlidingWindow(name, first, node.span, node.shared)
        case "batch":
            return BatchWindow(name, first, node.start, node.span)
        case "hopping":
            return HoppingWindow(name, first, _step(scope, node), node.span)
        case "cumulate":
            return _cumulate(scope, node)
        case "session":
            return SessionWindow(name, _duration(first), node.span)
        case "check":
            raise AssertionError("a check has a condition")
        case _:
            assert_never(node.mode)


def _check_extent(scope: Scope, extent: syntax.Extent) -> None:
    if not extent.value:
        hint = "a window is longer than 0" if isinstance(extent.value, timedelta) else "a window has 1 event or more"
        raise scope.error(extent.span, "a window of nothing", hint)
    if isinstance(extent.value, timedelta):
        check_length(scope, extent.value, extent.span, "a window")


def _duration(value: timedelta | int) -> timedelta:
    return cast("timedelta", value)  # the grammar admits nothing else


def _correlation(scope: Scope, node: syntax.WindowClause, pattern: Pattern | None) -> Window:
    """A WINDOW of matches; of what stands under NOT there is no event that could be in it."""
    names = tuple(variable.name for variable in node.variables)
    for i, variable in enumerate(node.variables):
        if variable.name in names[:i]:
            raise scope.error(variable.span, f"WINDOW names ?{variable.name} twice", "name each variable once")
    under_not = negated_variables(pattern)
    negated, matched = (tuple(n for n in names if (n in under_not) is side) for side in (True, False))
    if not matched:
        message = f"?{negated[0]} stands under NOT: there is no such event in a WINDOW"
        raise scope.error(node.span, message, "name the variables that are matched")
    if len(names) == 1 and names[0] not in quantified_variables(pattern):
        written = scope.quote(node.extents[0].span)
        hint = f"for aggregates write WINDOW (?{names[0]}, sliding, {written})"
        raise scope.error(node.span, f"one event ?{names[0]} has no extent in time", hint)
    return CorrelationWindow(matched, _duration(node.extents[0].value), node.span, negated)


def _step(scope: Scope, node: syntax.WindowClause) -> timedelta | int:
    size, step = node.extents
    if isinstance(size.value, timedelta) is not isinstance(step.value, timedelta):
        raise scope.error(step.span, "size and step are of different kinds", "give both as durations or both as events")
    return step.value


def _cumulate(scope: Scope, node: syntax.WindowClause) -> Window:
    size, step = (_duration(extent.value) for extent in node.extents)
    if size % step:
        hint = f"choose a step that divides {scope.quote(node.extents[0].span)}"
        raise scope.error(node.extents[1].span, "the size is no multiple of the step", hint)
    return CumulateWindow(node.variables[0].name, size, step, node.span)


def resolve_bounds(scope: Scope, node: syntax.WithinClause | None) -> Bounds:
    """WITHIN, or its default.

    Raises:
        QueryTypeError: nothing lies between the bounds.
    """
    if node is None:
        return DEFAULT_BOUNDS
    lower, upper = _instant(node.lower, node.lower_inclusive), _instant(node.upper, node.upper_inclusive)
    if lower is not None and upper is not None and _is_empty(lower, upper):
        raise scope.error(node.span, "nothing lies within these bounds", "the first is the earlier; ( and ) include")
    return Bounds(lower, upper, node.span)


def _instant(node: syntax.WithinBound | None, inclusive: bool) -> Instant | None:  # noqa: FBT001 - named in the text
    return None if node is None else Instant(node.moment, node.offset, inclusive)


def _is_empty(lower: Instant, upper: Instant) -> bool:
    if (lower.moment is None) is not (upper.moment is None):
        return False
    both = lower.inclusive and upper.inclusive
    if lower.moment is not None and upper.moment is not None:
        return lower.moment > upper.moment or (lower.moment == upper.moment and not both)
    return lower.offset > upper.offset or (lower.offset == upper.offset and not both)


def check_windows(scope: Scope, draft: Draft) -> None:
    """A window per variable, those of aggregates only where there are aggregates.

    Raises:
        QueryTypeError: a window that does not go with the query's kind, or that is missing.
    """
    aggregated: set[str] = set()
    for window in draft.windows:
        if not isinstance(window, CorrelationWindow):
            if window.variable in aggregated:
                message = f"?{window.variable} has a window already"
                raise scope.error(window.span, message, "write a query for each window")
            aggregated.add(window.variable)
            if isinstance(window, ContextWindow) and draft.in_context is None:
                hint = "say which contexts: IN CONTEXT … behind FROM"
                raise scope.error(window.span, "a window of contexts, and the query is in none", hint)
            _check_fitting(scope, draft, window)
    if draft.kind is Kind.AGGREGATION and not aggregated and not draft.once:
        every = [a for e in draft.reported for a in aggregates_of(e)]
        found = next((a for a in every if a.function not in (OLD, NEW)), every[0])
        hint = f"add one: WINDOW (?{found.variable}, sliding, 5min)"
        raise scope.error(found.span, f"{found.function} has no window", hint)


def consecutive_window(draft: Draft) -> Window | None:
    """The window of changes that stand beside none: of two consecutive candidates, of the group.

    Source: EStreams §5.1.3.
    """
    found = [a for e in draft.reported for a in aggregates_of(e)]
    changes = all(a.function in (OLD, NEW) and (a.argument is None or not aggregates_of(a.argument)) for a in found)
    if not found or not changes or draft.windows or len(draft.variables) > 1 or draft.pattern is not None:
        return None
    return SlidingWindow(draft.variables[0], 2, found[0].span)


def _check_fitting(scope: Scope, draft: Draft, window: Window) -> None:
    if draft.kind is Kind.PATTERN and (draft.pattern is not None or not isinstance(window, SlidingWindow)):
        hint = f"for a pattern write WINDOW ({', '.join(f'?{name}' for name in draft.matched)}, 5min)"
        raise scope.error(window.span, "this window is for aggregates of one variable", hint)


def idle_windows(scope: Scope, draft: Draft) -> tuple[str, ...]:
    """A warning for each window that changes no answer."""
    if draft.kind is not Kind.SELECTION:
        return ()
    hint = "no aggregate uses it; leave it out, or add one such as COUNT(…)"
    return tuple(str(scope.error(window.span, "this window has no effect", hint)) for window in draft.windows)
