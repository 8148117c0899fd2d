"""WINDOW with CHECK: what its condition may say (EStreams §5.1.1)."""

from __future__ import annotations

from .. import syntax_tree as syntax
from ..nodes import (
    Aggregate,
    Binding,
    Call,
    CheckWindow,
    Column,
    Expression,
    Intrinsic,
    aggregates_of,
    bounds_window,
    walk,
)
from .resolution import Scope, condition
from .select_items import is_list


def resolve_check(scope: Scope, node: syntax.WindowClause, written: syntax.Expression) -> CheckWindow:
    """The checked form of a WINDOW with CHECK.

    Raises:
        QueryTypeError: its condition speaks of more than its window and the new event.
    """
    name, extent = node.variables[0].name, node.extents[0].value if node.extents else None
    found = condition(scope, written)
    for part in walk(found):
        _check_part(scope, name, part)
    return CheckWindow(name, found, extent, node.span, node.shared)


def _check_part(scope: Scope, name: str, part: Expression) -> None:
    match part:
        case Column(variable=other) | Binding(variable=other) | Aggregate(variable=other) if other != name:
            raise scope.error(part.span, f"CHECK of ?{name} knows no ?{other}", f"compare what ?{name} has")
        case Aggregate(argument=argument) if argument is not None and aggregates_of(argument):
            hint = "take it of an attribute: of the window's first and last event"
            raise scope.error(
                part.span, "a change of an aggregate is between reports, and CHECK comes before them", hint
            )
        case Aggregate(running=True):
            raise scope.error(part.span, "RUNNING is for JOIN", "leave RUNNING out: the window has the new event")
        case Call(function=Intrinsic.PREV):
            raise scope.error(part.span, "PREV is for JOIN", "LAST(…, 1) is the one before the new event")
        case _ if is_list(scope.names, part):
            raise scope.error(part.span, "LIST is for SELECT, by itself", "a condition takes FIRST, LAST or COUNT")


def is_bounded(window: CheckWindow) -> bool:
    """Whether its extent, or its condition, bounds the window: its events, or the time that they span."""
    return window.extent is not None or bounds_window(window.condition)
