"""FROM: the event variables of a query and their streams; where it is left out, by what the query uses as events."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from typing import assert_never

from .. import syntax_tree as syntax
from ..name_lookup import Names
from ..nodes import StreamType
from ..paths import Body, roots
from ..source_text import Span

__all__ = ["event_names", "resolve_sources"]


def resolve_sources(names: Names, query: syntax.SelectQuery, bodies: Collection[Body]) -> dict[str, StreamType]:
    """The event variables and their streams: from FROM, or all of the project's one source stream.

    Args:
        names: the streams that there are.
        query: as written.
        bodies: its PATHs.

    Raises:
        QueryTypeError: an unknown stream, a variable that stands twice, or FROM is missing and cannot be inferred.
    """
    streams: dict[str, StreamType] = {}
    for node in query.sources:
        if node.variable.name in streams:
            hint = f"give each its own variable, such as ?{node.variable.name}2"
            raise names.source.type_error(node.variable.span, f"FROM names ?{node.variable.name} twice", hint)
        streams[node.variable.name] = names.stream(node.stream)
    return streams or _inferred(names, query, bodies)


def _inferred(names: Names, query: syntax.SelectQuery, bodies: Collection[Body]) -> dict[str, StreamType]:
    select = Span(query.span.start, query.span.start + len("SELECT"))
    sources = names.vocabulary.sources
    if len(sources) != 1:
        known = sorted(names.vocabulary.streams)
        hint = f"add FROM (?e, {known[0]})" if known else "the project declares no stream"
        message = "FROM is missing, and the project has more than one stream" if known else "FROM is missing"
        raise names.source.type_error(select, message, hint)
    only = names.vocabulary.streams[sources[0]]
    found = event_names(query, frozenset().union(*(body.bound for body in bodies)))
    for body in bodies:
        if not found & set(body.variables):
            found |= set(roots(body)[:1])
    if not found:
        hint = f"report an attribute, or add FROM (?e, {only.name})"
        raise names.source.type_error(select, "the query speaks of no event", hint)
    return dict.fromkeys(_in_order(found, names.source.text[query.span.start :]), only)


def _in_order(found: Iterable[str], text: str) -> list[str]:
    """By their first occurrence."""
    places = {name: re.search(rf"[?$]{re.escape(name)}\b", text) for name in found}
    return sorted(places, key=lambda name: (m.start() if (m := places[name]) else 0, name))


def event_names(query: syntax.SelectQuery, bound: frozenset[str]) -> set[str]:
    """Names of the variables that stand for events.

    Those with an attribute, in SEQ or in WINDOW do; a bare one does unless a PATH binds it (`bound`).
    """
    events = {variable.name for variable in _in_clauses(query)}
    bare: set[str] = set()
    for expression in _expressions(query):
        for node in _walk(expression):
            match node:
                case syntax.AttributeReference(variable=variable):
                    events.add(variable.name)
                case syntax.Variable(name=name):
                    bare.add(name)
    return events | (bare - bound)


def _in_clauses(query: syntax.SelectQuery) -> Iterator[syntax.Variable]:
    for item in query.items:
        if isinstance(item, syntax.AllAttributes):
            yield item.variable
    for window in query.windows:
        yield from window.variables
    for clause in query.sequences:
        for part in _walk_pattern(clause.pattern):
            if isinstance(part, syntax.PatternVariable | syntax.NegatedVariable):
                yield part.variable


def _expressions(query: syntax.SelectQuery) -> Iterator[syntax.Expression]:
    for item in query.items:
        if isinstance(item, syntax.SelectItem):
            yield item.value
    conditions: tuple[syntax.FilterClause | syntax.JoinClause, ...] = (*query.filters, *query.joins)
    for node in conditions:
        yield node.condition
    if query.group_by is not None:
        yield from query.group_by.keys
    if query.having is not None:
        yield query.having.condition
    for clause in query.sequences:
        for part in _walk_pattern(clause.pattern):
            match part:
                case (
                    syntax.PatternVariable(quantifier=syntax.PatternQuantifier(until=until))
                    | syntax.QuantifiedPattern(quantifier=syntax.PatternQuantifier(until=until))
                ) if until is not None:
                    yield until


def _walk(node: syntax.Expression) -> Iterator[syntax.Expression]:
    yield node
    match node:
        case syntax.UnaryExpression(operand=operand):
            yield from _walk(operand)
        case syntax.BinaryExpression(left=left, right=right):
            yield from _walk(left)
            yield from _walk(right)
        case syntax.InPredicate(operand=operand):
            yield from _walk(operand)
        case syntax.FunctionCall(arguments=arguments):
            for argument in arguments:
                yield from _walk(argument)
        case (
            syntax.Variable()
            | syntax.AttributeReference()
            | syntax.NumberLiteral()
            | syntax.StringLiteral()
            | syntax.BooleanLiteral()
            | syntax.DurationLiteral()
            | syntax.QuantityLiteral()
            | syntax.PrefixedName()
            | syntax.Iri()
        ):
            pass
        case _:
            assert_never(node)


def _walk_pattern(node: syntax.Pattern) -> Iterator[syntax.Pattern]:
    yield node
    match node:
        case syntax.PatternVariable() | syntax.NegatedVariable():
            pass
        case syntax.QuantifiedPattern(pattern=inner):
            yield from _walk_pattern(inner)
        case (
            syntax.PatternConjunction(parts=parts)
            | syntax.PatternAlternation(branches=parts)
            | syntax.PatternConcatenation(parts=parts)
        ):
            for part in parts:
                yield from _walk_pattern(part)
        case _:
            assert_never(node)
