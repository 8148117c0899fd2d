"""Rules as written: what is done for each row, and in which order (LANGUAGE-2 §8)."""

from __future__ import annotations

from dataclasses import dataclass

from .clause_syntax import AllAttributes, SelectItem
from .context_syntax import ChangeClause
from .syntax_node import Name, Node

__all__ = ["ActionClause", "CallClause", "EmitClause", "RuleChange", "RuleClause"]


@dataclass(frozen=True, slots=True)
class EmitClause(Node):
    """EMIT: an event of a stream, its attributes in the order of the text."""

    stream: Name
    arguments: tuple[SelectItem, ...]


@dataclass(frozen=True, slots=True)
class CallClause(Node):
    """CALL of an action of the project, `action` with its prefix."""

    action: Name
    arguments: tuple[SelectItem, ...]


@dataclass(frozen=True, slots=True)
class RuleChange(Node):
    """A change of a context, with the attributes of the window that it begins."""

    change: ChangeClause
    items: tuple[SelectItem | AllAttributes, ...]


ActionClause = EmitClause | CallClause | RuleChange


@dataclass(frozen=True, slots=True)
class RuleClause(Node):
    """DO of CREATE RULE; `priority` is `None` where there is none."""

    actions: tuple[ActionClause, ...]
    deferred: bool
    priority: int | None
