"""SEQ as written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from .expression_syntax import DurationLiteral, Expression
from .syntax_node import Node, Variable

__all__ = [
    "LinkText",
    "NegatedVariable",
    "Pattern",
    "PatternAlternation",
    "PatternConcatenation",
    "PatternConjunction",
    "PatternQuantifier",
    "PatternTimer",
    "PatternVariable",
    "QuantifiedPattern",
    "SequenceClause",
]


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
class PatternTimer(Node):
    """`AFTER d`, or `EVERY d UNTIL ?b`; of an EVERY that names no end `until` is `None`, too."""

    duration: DurationLiteral
    until: Variable | None
    recurring: bool


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
    | PatternTimer
    | QuantifiedPattern
    | PatternConjunction
    | PatternAlternation
    | PatternConcatenation
)


@dataclass(frozen=True, slots=True)
class SequenceClause(Node):
    """SEQ."""

    pattern: Pattern
