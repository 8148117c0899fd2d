"""Contexts as written: sets of them, what queries say of them, and what deriving queries do to them."""

from __future__ import annotations

from dataclasses import dataclass

from ..nodes import ChangeKind
from .clause_syntax import WithinClause
from .expression_syntax import Expression
from .syntax_node import Name, Node, Reference, Variable

__all__ = [
    "CalendarText",
    "ChangeClause",
    "ContextDeclaration",
    "ContextName",
    "ContextSetDeclaration",
    "ContextUse",
    "InContextClause",
    "KeyClause",
    "KeyValues",
    "PlaceClause",
]


@dataclass(frozen=True, slots=True)
class CalendarText(Node):
    """`'Mon-Fri 08:00-18:00'`, perhaps the last one with the calendar's TIMEZONE."""

    text: str
    zone: Name | None


@dataclass(frozen=True, slots=True)
class ContextDeclaration(Node):
    """A context of CREATE CONTEXTS; `calendar` is empty where queries make it hold."""

    name: Name
    default: bool
    calendar: tuple[CalendarText, ...]


@dataclass(frozen=True, slots=True)
class KeyClause(Node):
    """BY of CREATE CONTEXTS."""

    names: tuple[Name | Reference, ...]


@dataclass(frozen=True, slots=True)
class ContextSetDeclaration(Node):
    """CREATE CONTEXTS."""

    name: Name
    contexts: tuple[ContextDeclaration, ...]
    keys: KeyClause | None
    within: WithinClause | None


@dataclass(frozen=True, slots=True)
class ContextName(Node):
    """`set.context`, or the context alone."""

    set: Name | None
    context: Name


@dataclass(frozen=True, slots=True)
class ContextUse(Node):
    """A context of IN CONTEXT; `variable` is that of AS."""

    context: ContextName
    variable: Variable | None


@dataclass(frozen=True, slots=True)
class KeyValues(Node):
    """What stands in parentheses for several keys."""

    values: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class PlaceClause(Node):
    """`?e: value` of ON."""

    variable: Variable
    keys: KeyValues


@dataclass(frozen=True, slots=True)
class InContextClause(Node):
    """IN CONTEXT, with FOR (`required`) and ON (`places`)."""

    contexts: tuple[ContextUse, ...]
    required: tuple[Variable, ...]
    places: tuple[PlaceClause, ...]


@dataclass(frozen=True, slots=True)
class ChangeClause(Node):
    """What stands in place of SELECT in a deriving query; its items are those of the query."""

    kind: ChangeKind
    context: ContextName
    keys: KeyValues | None
