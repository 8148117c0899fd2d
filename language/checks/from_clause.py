"""FROM: the event variables of a query and their streams; where it is left out, by what the query uses as events."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType

from .. import syntax_tree as syntax
from ..name_lookup import Names
from ..nodes import StreamType
from ..paths import Body, roots
from ..source_text import Span
from .asking import CoveredState, state_streams
from .contexts import changes_stream, find_set

__all__ = ["event_names", "resolve_sources"]

Stream = syntax.Name | syntax.ContextChanges | syntax.StateOfQuery | syntax.StateOfBody | syntax.PartialsOfQuery


def resolve_sources(
    names: Names,
    query: syntax.SelectQuery,
    bodies: Collection[Body],
    *,
    once: bool = False,
    covered: Mapping[Span, CoveredState] = MappingProxyType({}),
) -> dict[str, StreamType]:
    """The event variables and their streams: from FROM, or all of the project's one source stream.

    Args:
        names: the streams that there are.
        query: as written.
        bodies: its PATHs.
        once: whether it is asked once, of states.
        covered: what answers STATE of bodies, by their places.

    Raises:
        QueryTypeError: an unknown stream, a variable that stands twice, or FROM is missing and cannot be inferred.
    """
    streams: dict[str, StreamType] = {}
    for node in query.sources:
        if node.variable.name in streams:
            hint = f"give each its own variable, such as ?{node.variable.name}2"
            raise names.source.type_error(node.variable.span, f"FROM names ?{node.variable.name} twice", hint)
        streams[node.variable.name] = _stream(names, node.stream, covered, once=once)
    return streams or _inferred(names, query, bodies)


def _stream(names: Names, node: Stream, covered: Mapping[Span, CoveredState], *, once: bool) -> StreamType:
    if isinstance(node, syntax.Name):
        return names.stream(node)
    if once or not isinstance(node, syntax.ContextChanges):
        return state_streams(names, node, covered)
    return changes_stream(find_set(names, node.set).set)


def _inferred(names: Names, query: syntax.SelectQuery, bodies: Collection[Body]) -> dict[str, StreamType]:
    word = "SELECT" if query.change is None else query.change.kind
    select = Span(query.span.start, query.span.start + len(word))
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

    Those with an attribute, in SEQ or in WINDOW do; a bare one does unless a PATH binds it (`bound`). What AFTER MATCH
    skips to has to be named elsewhere. What IN CONTEXT … AS names are windows.
    """
    events: set[str] = set()
    windows: set[str] = set()
    bare: set[str] = set()
    for node in syntax.walk(replace(query, after_match=None)):
        match node:
            case (
                syntax.AttributeReference(variable=variable)
                | syntax.AllAttributes(variable=variable)
                | syntax.PatternVariable(variable=variable)
                | syntax.NegatedVariable(variable=variable)
                | syntax.PatternTimer(until=syntax.Variable() as variable)
            ):
                events.add(variable.name)
            case syntax.ContextUse(variable=syntax.Variable(name=name)):
                windows.add(name)
            case syntax.WindowClause(variables=variables):
                events.update(variable.name for variable in variables)
            case syntax.Variable(name=name):
                bare.add(name)
    return (events | (bare - bound)) - windows
