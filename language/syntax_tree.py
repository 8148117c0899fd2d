"""The syntax tree: what a document says, before any name is looked up. Every node has its place in the text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Literal

from .nodes import AfterMatchKind, BinaryOperator, Policy
from .source_text import Span


@dataclass(frozen=True, slots=True)
class Node:
    """Anything that a text says, with its place."""

    span: Span = field(kw_only=True)


def walk(node: Node) -> Iterator[Node]:
    """A node and all below it, outermost first."""
    yield node
    for name in node.__slots__:
        value = getattr(node, name)
        for child in value if isinstance(value, tuple) else (value,):
            if isinstance(child, Node):
                yield from walk(child)


# Names


@dataclass(frozen=True, slots=True)
class Name(Node):
    """A plain name: of an attribute, a stream, a query, an item, a function."""

    text: str


@dataclass(frozen=True, slots=True)
class PrefixedName(Node):
    """`prefix:local`, escapes already resolved."""

    prefix: str
    local: str


@dataclass(frozen=True, slots=True)
class Iri(Node):
    """`<iri>`."""

    text: str


Reference = PrefixedName | Iri


@dataclass(frozen=True, slots=True)
class Variable(Node):
    """`?name`: of an event, or semantic; the text alone does not say."""

    name: str


# Expressions


@dataclass(frozen=True, slots=True)
class AttributeReference(Node):
    """`?e.name`, `?e.prefix:name`, `?e.<iri>`."""

    variable: Variable
    name: Name | Reference


@dataclass(frozen=True, slots=True)
class NumberLiteral(Node):
    """An integer, or (with point or exponent) a double."""

    value: int | float


@dataclass(frozen=True, slots=True)
class StringLiteral(Node):
    """A quoted literal, its escapes resolved."""

    value: str
    datatype: Reference | None
    language: str | None


@dataclass(frozen=True, slots=True)
class BooleanLiteral(Node):
    """`true` or `false`."""

    value: bool


@dataclass(frozen=True, slots=True)
class DurationLiteral(Node):
    """`5min`."""

    value: timedelta


@dataclass(frozen=True, slots=True)
class QuantityLiteral(Node):
    """A number with a unit."""

    number: NumberLiteral
    unit: Reference


ConstantExpression = NumberLiteral | StringLiteral | BooleanLiteral | DurationLiteral | QuantityLiteral | Reference


@dataclass(frozen=True, slots=True)
class UnaryExpression(Node):
    """`NOT x`, `-x`, `+x`."""

    operator: Literal["NOT", "-", "+"]
    operand: Expression


@dataclass(frozen=True, slots=True)
class BinaryExpression(Node):
    """An infix operation."""

    operator: BinaryOperator
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class InPredicate(Node):
    """`x IN (…)` or, `negated`, `x NOT IN (…)`."""

    operand: Expression
    options: tuple[Expression, ...]
    negated: bool


@dataclass(frozen=True, slots=True)
class FunctionCall(Node):
    """`function(arguments)`, perhaps `RUNNING` before it or `DISTINCT` inside."""

    function: Name
    arguments: tuple[Expression, ...]
    distinct: bool
    running: bool


Expression = (
    Variable | AttributeReference | ConstantExpression | UnaryExpression | BinaryExpression | InPredicate | FunctionCall
)


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
class FromItem(Node):
    """`(?e, stream)`."""

    variable: Variable
    stream: Name


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
    """`PATH { … }`; `body` is what stands between the braces."""

    body: Span


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


# SEQ


LinkText = Literal[",", "->", "->>", "=>"]


@dataclass(frozen=True, slots=True)
class PatternQuantifier(Node):
    """How often; `link` is `,` when none is named."""

    minimum: int
    maximum: int | None
    link: LinkText
    every_length: bool
    until: Expression | None


@dataclass(frozen=True, slots=True)
class PatternVariable(Node):
    """A variable of a pattern, perhaps quantified."""

    variable: Variable
    quantifier: PatternQuantifier | None


@dataclass(frozen=True, slots=True)
class NegatedVariable(Node):
    """`NOT ?n`, perhaps FOR."""

    variable: Variable
    duration: DurationLiteral | None


@dataclass(frozen=True, slots=True)
class QuantifiedPattern(Node):
    """A quantified pattern in parentheses."""

    pattern: Pattern
    quantifier: PatternQuantifier


@dataclass(frozen=True, slots=True)
class PatternConjunction(Node):
    """`P AND Q`."""

    parts: tuple[Pattern, ...]


@dataclass(frozen=True, slots=True)
class PatternAlternation(Node):
    """`P OR Q`."""

    branches: tuple[Pattern, ...]


@dataclass(frozen=True, slots=True)
class PatternConcatenation(Node):
    """Parts with the links between them."""

    parts: tuple[Pattern, ...]
    links: tuple[LinkText, ...]


Pattern = (
    PatternVariable
    | NegatedVariable
    | QuantifiedPattern
    | PatternConjunction
    | PatternAlternation
    | PatternConcatenation
)


@dataclass(frozen=True, slots=True)
class SequenceClause(Node):
    """SEQ."""

    pattern: Pattern


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
        extents: width; or size and step.
        start: of `batch`.
    """

    mode: Literal["correlation", "sliding", "batch", "hopping", "cumulate", "session"]
    variables: tuple[Variable, ...]
    extents: tuple[Extent, ...]
    start: Literal["first"] | datetime | None


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
class PolicyClause(Node):
    """POLICY."""

    policy: Policy


@dataclass(frozen=True, slots=True)
class AfterMatchClause(Node):
    """AFTER MATCH."""

    kind: AfterMatchKind
    variable: Variable | None


@dataclass(frozen=True, slots=True)
class LimitClause(Node):
    """LIMIT."""

    count: int


@dataclass(frozen=True, slots=True)
class OutputClause(Node):
    """OUTPUT … EVERY."""

    which: str
    every: Extent


# Documents


@dataclass(frozen=True, slots=True)
class SelectQuery(Node):
    """One query as written; each tuple in the order of the text."""

    items: tuple[SelectItem | AllAttributes, ...]
    distinct: bool
    sources: tuple[FromItem, ...]
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
    limit: LimitClause | None
    output: OutputClause | None


@dataclass(frozen=True, slots=True)
class Prefix(Node):
    """A PREFIX declaration; it holds from here to the end of the document."""

    name: str
    iri: str


@dataclass(frozen=True, slots=True)
class Statement(Node):
    """A query, perhaps named by CREATE QUERY."""

    name: Name | None
    query: SelectQuery
