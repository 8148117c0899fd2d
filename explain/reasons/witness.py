"""Which triples make a pattern true: one, or those along a property path."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence

import pyoxigraph as ox
from rdflib import BNode, Literal, URIRef, Variable
from rdflib.paths import AlternativePath, InvPath, MulPath, NegatedPath, SequencePath

from ...semfilter import literal
from .event_view import Solution, Term
from .path_conjuncts import TriplePattern

Way = tuple[Term, tuple[ox.Triple, ...]]
"""Where a path leads, and the triples along it."""


def term_of(part: object, bound: Solution) -> Term | None:
    """The RDF term that a part of a pattern stands for; `None`: a variable without a value."""
    match part:
        case URIRef():
            return ox.NamedNode(str(part))
        case Literal():
            return literal(part)
        case Variable():
            return bound.get(str(part))
        case BNode():
            return bound.get(f"blank_{part}")
    return None


def witness(store: ox.Store, pattern: TriplePattern, bound: Solution) -> tuple[ox.Triple, ...] | None:
    """The triples that make a pattern true; none for a path of no steps.

    Args:
        store: where they are.
        pattern: all of its variables have values.
        bound: the values.

    Returns:
        Of several ways the shortest; `None` when there is no way.
    """
    start, end = term_of(pattern.subject, bound), term_of(pattern.object, bound)
    if start is None or end is None:
        return None
    predicate = term_of(pattern.predicate, bound) if isinstance(pattern.predicate, Variable) else pattern.predicate
    return next((along for to, along in _ways(store, predicate, start, forward=True) if to == end), None)


def _ways(store: ox.Store, path: object, start: Term, *, forward: bool) -> Iterator[Way]:
    match path:
        case URIRef() | ox.NamedNode():
            yield from _edges(
                store, ox.NamedNode(str(path.value if isinstance(path, ox.NamedNode) else path)), start, forward=forward
            )
        case InvPath():
            yield from _ways(store, path.arg, start, forward=not forward)
        case SequencePath():
            yield from _sequence(store, path.args if forward else path.args[::-1], start, forward=forward)
        case AlternativePath():
            for option in path.args:
                yield from _ways(store, option, start, forward=forward)
        case MulPath():
            yield from _repeated(store, path, start, forward=forward)
        case NegatedPath():
            excluded = {str(part) for part in path.args if isinstance(part, URIRef)}
            for to, along in _edges(store, None, start, forward=forward):
                if along[0].predicate.value not in excluded:
                    yield to, along


def _edges(store: ox.Store, predicate: ox.NamedNode | None, start: Term, *, forward: bool) -> Iterator[Way]:
    if not forward:
        for quad in store.quads_for_pattern(None, predicate, start):
            if not isinstance(quad.subject, ox.Triple):
                yield quad.subject, (quad.triple,)
    elif not isinstance(start, ox.Literal):
        for quad in store.quads_for_pattern(start, predicate, None):
            if not isinstance(quad.object, ox.Triple):
                yield quad.object, (quad.triple,)


def _sequence(store: ox.Store, steps: Sequence[object], start: Term, *, forward: bool) -> Iterator[Way]:
    if not steps:
        yield start, ()
        return
    for middle, before in _ways(store, steps[0], start, forward=forward):
        for end, after in _sequence(store, steps[1:], middle, forward=forward):
            yield end, before + after


def _repeated(store: ox.Store, path: MulPath, start: Term, *, forward: bool) -> Iterator[Way]:
    """Breadth first, so that the shortest way comes first."""
    if path.zero:
        yield start, ()
    seen: set[Term] = set()
    waiting: deque[Way] = deque([(start, ())])
    while waiting:
        node, before = waiting.popleft()
        for to, along in _ways(store, path.path, node, forward=forward):
            if to not in seen:
                seen.add(to)
                yield to, before + along
                if path.more:
                    waiting.append((to, before + along))
