"""The syntax tree: what a document says, before any name is looked up. Every node has its place in the text."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from ..nodes import AfterMatchKind, Policy, Span
from .syntax_expressions import (
    Attribute,
    Binary,
    Boolean,
    Call,
    Duration,
    Expression,
    Iri,
    Membership,
    Name,
    Number,
    Prefixed,
    Quantity,
    Reference,
    String,
    Unary,
    Variable,
)

__all__ = [
    "AfterMatch",
    "Alternative",
    "Attribute",
    "Binary",
    "Boolean",
    "Bounds",
    "Call",
    "Condition",
    "Conjunction",
    "Document",
    "Duration",
    "Element",
    "Expression",
    "Extent",
    "Group",
    "Instant",
    "Iri",
    "Item",
    "Limit",
    "LinkText",
    "Membership",
    "Name",
    "Negation",
    "Number",
    "Output",
    "Path",
    "PathAnd",
    "PathExpression",
    "PathOr",
    "Pattern",
    "PolicyClause",
    "Prefix",
    "Prefixed",
    "Quantifier",
    "Quantity",
    "Query",
    "Reference",
    "Sequence",
    "SequenceClause",
    "Source",
    "Star",
    "Statement",
    "String",
    "Unary",
    "Variable",
    "Window",
]


@dataclass(frozen=True, slots=True)
class Item:
    """One item of SELECT."""

    value: Expression
    name: Name | None
    span: Span


@dataclass(frozen=True, slots=True)
class Star:
    """`?e.*`."""

    variable: Variable
    span: Span


@dataclass(frozen=True, slots=True)
class Source:
    """`(?e, stream)`."""

    variable: Variable
    stream: Name
    span: Span


@dataclass(frozen=True, slots=True)
class Instant:
    """`now`, perhaps shifted, or a moment."""

    moment: datetime | None
    offset: timedelta
    span: Span


@dataclass(frozen=True, slots=True)
class Bounds:
    """WITHIN; `inclusive` are `(` and `)`, as the paper has it."""

    lower: Instant | None
    lower_inclusive: bool
    upper: Instant | None
    upper_inclusive: bool
    span: Span


@dataclass(frozen=True, slots=True)
class Path:
    """`PATH { … }`; `body` is what stands between the braces."""

    body: Span
    span: Span


@dataclass(frozen=True, slots=True)
class PathAnd:
    """PATHs joined by AND."""

    parts: tuple[PathExpression, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class PathOr:
    """PATHs joined by OR."""

    parts: tuple[PathExpression, ...]
    span: Span


PathExpression = Path | PathAnd | PathOr


@dataclass(frozen=True, slots=True)
class Condition:
    """The expression of a FILTER or a JOIN, with the clause's place."""

    expression: Expression
    span: Span


LinkText = Literal[",", "->", "->>", "=>"]


@dataclass(frozen=True, slots=True)
class Quantifier:
    """How often; `link` is `,` when none is named."""

    minimum: int
    maximum: int | None
    link: LinkText
    every_length: bool
    until: Expression | None
    span: Span


@dataclass(frozen=True, slots=True)
class Element:
    """A variable of a pattern."""

    variable: Variable
    quantifier: Quantifier | None
    span: Span


@dataclass(frozen=True, slots=True)
class Negation:
    """`NOT ?n`, perhaps FOR."""

    variable: Variable
    duration: Duration | None
    span: Span


@dataclass(frozen=True, slots=True)
class Group:
    """A quantified pattern in parentheses."""

    pattern: Pattern
    quantifier: Quantifier
    span: Span


@dataclass(frozen=True, slots=True)
class Conjunction:
    """`P AND Q`."""

    parts: tuple[Pattern, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Alternative:
    """`P OR Q`."""

    branches: tuple[Pattern, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Sequence:
    """Parts with the links between them."""

    parts: tuple[Pattern, ...]
    links: tuple[LinkText, ...]
    span: Span


Pattern = Element | Negation | Group | Conjunction | Alternative | Sequence


@dataclass(frozen=True, slots=True)
class Extent:
    """A duration or a number of events."""

    value: timedelta | int
    span: Span


@dataclass(frozen=True, slots=True)
class Window:
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
    span: Span


@dataclass(frozen=True, slots=True)
class AfterMatch:
    """AFTER MATCH."""

    kind: AfterMatchKind
    variable: Variable | None
    span: Span


@dataclass(frozen=True, slots=True)
class Limit:
    """LIMIT."""

    count: int
    span: Span


@dataclass(frozen=True, slots=True)
class Output:
    """OUTPUT … EVERY."""

    which: str
    every: Extent
    span: Span


@dataclass(frozen=True, slots=True)
class PolicyClause:
    """POLICY."""

    policy: Policy
    span: Span


@dataclass(frozen=True, slots=True)
class Query:
    """One query as written; each tuple in the order of the text."""

    items: tuple[Item | Star, ...]
    distinct: Span | None
    sources: tuple[Source, ...]
    bounds: Bounds | None
    paths: tuple[PathExpression, ...]
    filters: tuple[Condition, ...]
    joins: tuple[Condition, ...]
    sequences: tuple[SequenceClause, ...]
    windows: tuple[Window, ...]
    partition_by: tuple[Name | Reference, ...]
    group_by: tuple[Expression, ...]
    having: Condition | None
    policy: PolicyClause | None
    after_match: AfterMatch | None
    limit: Limit | None
    output: Output | None
    span: Span


@dataclass(frozen=True, slots=True)
class SequenceClause:
    """SEQ."""

    pattern: Pattern
    span: Span


@dataclass(frozen=True, slots=True)
class Prefix:
    """A PREFIX declaration; it holds from here to the end of the document."""

    name: str
    iri: str
    span: Span


@dataclass(frozen=True, slots=True)
class Statement:
    """A query, perhaps named by CREATE QUERY."""

    name: Name | None
    query: Query
    span: Span


@dataclass(frozen=True, slots=True)
class Document:
    """A whole text: prefixes and statements in order."""

    text: str
    source: str
    parts: tuple[Prefix | Statement, ...]
