"""The clauses of a query as written, in their order in the text; SEQ stands by itself."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from ..nodes import AfterMatchKind, Policy
from ..source_text import Span
from .expression_syntax import Expression
from .syntax_node import Name, Node, Reference, Variable

__all__ = [
    "AfterMatchClause",
    "AllAttributes",
    "ContextChanges",
    "Extent",
    "FilterClause",
    "FromItem",
    "GroupClause",
    "HavingClause",
    "JoinClause",
    "LimitClause",
    "OrderClause",
    "OutputClause",
    "PartialsOfQuery",
    "PartitionClause",
    "PathClause",
    "PathConjunction",
    "PathDisjunction",
    "PathExpression",
    "PolicyClause",
    "SelectItem",
    "SortKey",
    "StateOfBody",
    "StateOfQuery",
    "WaitingBound",
    "WaitingKey",
    "WindowClause",
    "WithinBound",
    "WithinClause",
]


# SELECT, FROM, WITHIN


@dataclass(frozen=True, slots=True)
class SelectItem(Node):
    """One item of SELECT."""

    value: Expression
    name: Name | None


@dataclass(frozen=True, slots=True)
class AllAttributes(Node):
    """`?e.*`."""

    variable: Variable


@dataclass(frozen=True, slots=True)
class ContextChanges(Node):
    """`CONTEXTS(name)` in place of a stream."""

    set: Name


@dataclass(frozen=True, slots=True)
class StateOfQuery(Node):
    """`STATE(query)` or `STATE(query.?w)` in place of a stream."""

    query: Name
    variable: Variable | None


@dataclass(frozen=True, slots=True)
class StateOfBody(Node):
    """`STATE({ SELECT … })` in place of a stream; `query` is a `SelectQuery`."""

    query: Node


@dataclass(frozen=True, slots=True)
class PartialsOfQuery(Node):
    """`PARTIAL(query)` in place of a stream."""

    query: Name


@dataclass(frozen=True, slots=True)
class FromItem(Node):
    """`(?e, stream)`."""

    variable: Variable
    stream: Name | ContextChanges | StateOfQuery | StateOfBody | PartialsOfQuery


@dataclass(frozen=True, slots=True)
class WithinBound(Node):
    """`now`, perhaps shifted, or a moment."""

    moment: datetime | None
    offset: timedelta


@dataclass(frozen=True, slots=True)
class WithinClause(Node):
    """WITHIN; `inclusive` are `(` and `)`, as the paper has it."""

    lower: WithinBound | None
    lower_inclusive: bool
    upper: WithinBound | None
    upper_inclusive: bool


# PATH, FILTER, JOIN


@dataclass(frozen=True, slots=True)
class PathClause(Node):
    """`PATH { … }`; `body` is what stands between the braces.

    Attributes:
        asks: it is IF ASK of a rule, which may ask of the knowledge alone, and calls the attributes of a row `?row_x`.
    """

    body: Span
    asks: bool = False


@dataclass(frozen=True, slots=True)
class PathConjunction(Node):
    """PATHs joined by AND."""

    parts: tuple[PathExpression, ...]


@dataclass(frozen=True, slots=True)
class PathDisjunction(Node):
    """PATHs joined by OR."""

    parts: tuple[PathExpression, ...]


PathExpression = PathClause | PathConjunction | PathDisjunction


@dataclass(frozen=True, slots=True)
class FilterClause(Node):
    """FILTER."""

    condition: Expression


@dataclass(frozen=True, slots=True)
class JoinClause(Node):
    """JOIN."""

    condition: Expression


# WINDOW


@dataclass(frozen=True, slots=True)
class Extent(Node):
    """A duration or a number of events."""

    value: timedelta | int


@dataclass(frozen=True, slots=True)
class WindowClause(Node):
    """Any WINDOW.

    Attributes:
        mode: `correlation` is the one without a mode word.
        variables: one, except for `correlation`.
        extents: width; or size and step; none of a `context`, and a `check` needs none.
        start: of `batch`.
        condition: of `check`.
        shared: whether SHARED stands behind a `sliding` or a `check`.
    """

    mode: Literal["correlation", "sliding", "batch", "hopping", "cumulate", "session", "context", "check"]
    variables: tuple[Variable, ...]
    extents: tuple[Extent, ...]
    start: Literal["first"] | datetime | None
    condition: Expression | None = None
    shared: bool = False


# The clauses at the end


@dataclass(frozen=True, slots=True)
class PartitionClause(Node):
    """PARTITION BY."""

    names: tuple[Name | Reference, ...]


@dataclass(frozen=True, slots=True)
class GroupClause(Node):
    """GROUP BY."""

    keys: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class HavingClause(Node):
    """HAVING."""

    condition: Expression


@dataclass(frozen=True, slots=True)
class WaitingKey(Node):
    """`?a: ?a.car` of BY in POLICY."""

    variable: Variable
    key: Expression


@dataclass(frozen=True, slots=True)
class WaitingBound(Node):
    """`?a: 5 events` of KEEP in POLICY."""

    variable: Variable
    extent: Extent


@dataclass(frozen=True, slots=True)
class PolicyClause(Node):
    """POLICY.

    Attributes:
        policy: what `,` means in SEQ.
        mode: a consumption mode.
        by: BY, what waits apart.
        keep: KEEP, how much waits.
    """

    policy: Policy
    mode: AfterMatchKind | None = None
    by: tuple[WaitingKey, ...] = ()
    keep: tuple[WaitingBound, ...] = ()


@dataclass(frozen=True, slots=True)
class AfterMatchClause(Node):
    """AFTER MATCH."""

    kind: AfterMatchKind
    variable: Variable | None


@dataclass(frozen=True, slots=True)
class SortKey(Node):
    """An expression of ORDER BY; `descending`: in DESC(…)."""

    value: Expression
    descending: bool


@dataclass(frozen=True, slots=True)
class OrderClause(Node):
    """ORDER BY."""

    keys: tuple[SortKey, ...]


@dataclass(frozen=True, slots=True)
class LimitClause(Node):
    """LIMIT."""

    count: int


@dataclass(frozen=True, slots=True)
class OutputClause(Node):
    """OUTPUT … EVERY."""

    which: str
    every: Extent
