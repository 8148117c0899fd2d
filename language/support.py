"""What the language has and the operators cannot run: fully checked, then refused at its place."""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from .expressions import Aggregate, Call, Expression, Span
from .pattern import (
    Alternative,
    Conjunction,
    Element,
    Group,
    Negation,
    Pattern,
    Sequence,
)
from .query import Kind, Query
from .text import SourceText
from .walking import walk, walk_pattern


def refuse_unsupported(source: SourceText, query: Query) -> None:
    """Refuse a query that asks for what no operator can do.

    Raises:
        QueryTypeError: `<construct> cannot be run yet`, at the first such construct of each kind.
    """
    for span, construct, instead in (
        *_of_pattern(query),
        *_of_expressions(query),
    ):
        raise source.type_error(span, f"{construct} cannot be run yet", instead)


_Refusal = tuple[Span, str, str]


def _of_pattern(query: Query) -> Iterator[_Refusal]:
    instead = "this version runs patterns without repetition"
    for part in () if query.pattern is None else walk_pattern(query.pattern):
        construct = _construct(part)
        if construct is not None:
            yield part.span, construct, instead


def _construct(part: Pattern) -> str | None:
    match part:
        case Element(quantifier=quantifier):
            return None if quantifier is None else "a quantifier"
        case Group():
            return "a repeated group"
        case Negation() | Conjunction() | Alternative() | Sequence():
            return None
        case _:
            assert_never(part)


def _of_expressions(query: Query) -> Iterator[_Refusal]:
    items = [e for item in query.items for e in (item.value, item.condition) if e is not None]
    having = [] if query.having is None else [query.having]
    for expression in (*items, *having, *query.joins):
        for node in walk(expression):
            construct = _of_node(query, node)
            if construct is not None:
                yield node.span, construct, "this version runs aggregates over windows of one variable"


def _of_node(query: Query, node: Expression) -> str | None:
    match node:
        case Call(function="PREV"):
            return "PREV"
        case Aggregate(running=True):
            return "RUNNING"
        case Aggregate(function="LIST"):
            return "LIST"
        case Aggregate(function=function, offset=offset) if offset:
            return f"{function} with a count"
        case Aggregate() if query.kind is Kind.PATTERN:
            return "an aggregate over a run"
        case _:
            return None
