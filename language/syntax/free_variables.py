"""Which variables a query uses as events, for queries that leave FROM out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from . import tree as syntax


def event_names(query: syntax.Query, bound: frozenset[str]) -> set[str]:
    """Names of the variables that stand for events.

    Those with an attribute, in SEQ or in WINDOW do; a bare one does unless a PATH binds it (`bound`).
    """
    events = {v.name for v in _in_clauses(query)}
    bare: set[str] = set()
    for expression in _expressions(query):
        for node in _walk(expression):
            match node:
                case syntax.Attribute(variable=variable):
                    events.add(variable.name)
                case syntax.Variable(name=name):
                    bare.add(name)
    return events | (bare - bound)


def _in_clauses(query: syntax.Query) -> Iterator[syntax.Variable]:
    for item in query.items:
        if isinstance(item, syntax.Star):
            yield item.variable
    for window in query.windows:
        yield from window.variables
    for clause in query.sequences:
        for part in _walk_pattern(clause.pattern):
            if isinstance(part, syntax.Element | syntax.Negation):
                yield part.variable


def _expressions(query: syntax.Query) -> Iterator[syntax.Expression]:
    for item in query.items:
        if isinstance(item, syntax.Item):
            yield item.value
    for node in (*query.filters, *query.joins):
        yield node.expression
    yield from query.group_by
    if query.having is not None:
        yield query.having.expression
    for clause in query.sequences:
        for part in _walk_pattern(clause.pattern):
            if isinstance(part, syntax.Element | syntax.Group) and part.quantifier and part.quantifier.until:
                yield part.quantifier.until


def _walk(node: syntax.Expression) -> Iterator[syntax.Expression]:
    yield node
    match node:
        case syntax.Unary(operand=operand):
            yield from _walk(operand)
        case syntax.Binary(left=left, right=right):
            yield from _walk(left)
            yield from _walk(right)
        case syntax.Membership(operand=operand):
            yield from _walk(operand)
        case syntax.Call(arguments=arguments):
            for argument in arguments:
                yield from _walk(argument)


def _walk_pattern(node: syntax.Pattern) -> Iterator[syntax.Pattern]:
    yield node
    match node:
        case syntax.Element() | syntax.Negation():
            pass
        case syntax.Group(pattern=inner):
            yield from _walk_pattern(inner)
        case syntax.Conjunction(parts=parts) | syntax.Alternative(branches=parts) | syntax.Sequence(parts=parts):
            for part in parts:
                yield from _walk_pattern(part)
        case _:
            assert_never(node)
