"""Documents as written: prefixes, and queries put together of their clauses."""

from __future__ import annotations

from dataclasses import dataclass

from .clause_syntax import (
    AfterMatchClause,
    AllAttributes,
    FilterClause,
    FromItem,
    GroupClause,
    HavingClause,
    JoinClause,
    LimitClause,
    OrderClause,
    OutputClause,
    PartitionClause,
    PathExpression,
    PolicyClause,
    SelectItem,
    WindowClause,
    WithinClause,
)
from .context_syntax import ChangeClause, ContextSetDeclaration, InContextClause
from .pattern_syntax import SequenceClause
from .rule_syntax import RuleClause
from .syntax_node import Name, Node

__all__ = ["DocumentPart", "Prefix", "SelectQuery", "Statement"]


@dataclass(frozen=True, slots=True)
class SelectQuery(Node):
    """One query as written; each tuple in the order of the text.

    Attributes:
        change: of a deriving query, whose `items` stand in parentheses behind it.
    """

    change: ChangeClause | None
    items: tuple[SelectItem | AllAttributes, ...]
    distinct: bool
    sources: tuple[FromItem, ...]
    in_context: InContextClause | None
    within: WithinClause | None
    paths: tuple[PathExpression, ...]
    filters: tuple[FilterClause, ...]
    joins: tuple[JoinClause, ...]
    sequences: tuple[SequenceClause, ...]
    windows: tuple[WindowClause, ...]
    partition_by: PartitionClause | None
    group_by: GroupClause | None
    having: HavingClause | None
    policy: PolicyClause | None
    after_match: AfterMatchClause | None
    order_by: OrderClause | None
    limit: LimitClause | None
    output: OutputClause | None


@dataclass(frozen=True, slots=True)
class Prefix(Node):
    """A PREFIX declaration; it holds from here to the end of the document."""

    name: str
    iri: str


@dataclass(frozen=True, slots=True)
class Statement(Node):
    """A query, perhaps named by CREATE QUERY; or a rule, whose query has the rows that it looks at.

    Attributes:
        rule: what CREATE RULE does for these rows; `None`: it is no rule.
    """

    name: Name | None
    query: SelectQuery
    rule: RuleClause | None = None


DocumentPart = Prefix | Statement | ContextSetDeclaration
