"""Candidates: the events that WITHIN, PATH and FILTER let through, once per distinct solution."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import singledispatch

from kaicep.language.nodes import AllOf, AnyOf, Semantics, Source, Subquery
from rdflib import BNode, Graph, Literal, URIRef

from .events import Event
from .expressions import Candidate, Scope, holds
from .knowledge import Knowledge
from .patterns import read_pattern, with_event
from .values import Term, Value, typed

Solution = Mapping[str, Term]


def candidates(source: Source, events: Iterable[Event], knowledge: Knowledge) -> list[Candidate]:
    """The candidates of one event variable, in total order."""
    found: list[Candidate] = []
    for event in events:
        for bindings in distinct_bindings(source, event, knowledge):
            candidate = Candidate(event, bindings)
            scope = Scope({source.variable: candidate}, {source.variable: (candidate,)})
            if all(holds(f, scope) for f in source.filters):
                found.append(Candidate(event, {n: v for n, v in bindings.items() if f"?{n}" in source.columns}))
    return sorted(found, key=lambda c: c.order)


def distinct_bindings(source: Source, event: Event, knowledge: Knowledge) -> list[dict[str, Value | None]]:
    """The solutions of the PATHs as values of the variables used outside, each once."""
    found: list[dict[str, Value | None]] = []
    for solution in solutions(source.semantics, event, knowledge):
        bindings = {name: typed(solution.get(name), value_type) for name, value_type in source.bindings}
        if bindings not in found:
            found.append(bindings)
    return found


@singledispatch
def solutions(semantics: Semantics | None, event: Event, knowledge: Knowledge) -> list[Solution]:
    """The solutions of the PATHs for an event, projected to the variables used outside; empty: they do not hold."""
    raise TypeError(type(semantics))


@solutions.register
def _(semantics: None, event: Event, knowledge: Knowledge) -> list[Solution]:
    return [{}]


@solutions.register
def _(semantics: AllOf, event: Event, knowledge: Knowledge) -> list[Solution]:
    combined: list[Solution] = [{}]
    for part in semantics.parts:
        combined = [{**left, **right} for left in combined for right in solutions(part, event, knowledge)]
    return combined


@solutions.register
def _(semantics: AnyOf, event: Event, knowledge: Knowledge) -> list[Solution]:
    return [solution for part in semantics.parts for solution in solutions(part, event, knowledge)]


@solutions.register
def _(semantics: Subquery, event: Event, knowledge: Knowledge) -> list[Solution]:
    graph = knowledge.graph
    new = [triple for triple in event.triples if triple not in graph]
    for triple in new:
        graph.add(triple)
    try:
        return _ask(graph, semantics, event)
    finally:
        for triple in new:
            graph.remove(triple)


def _ask(graph: Graph, subquery: Subquery, event: Event) -> list[Solution]:
    """`P`, with the event variable replaced by the event's id, over the knowledge base and the event's triples."""
    query = with_event(read_pattern(subquery.text, subquery.variable, subquery.bindings), URIRef(event.id))
    if not subquery.bindings:
        return [{}] if graph.query(query).askAnswer else []
    rows = graph.query(query).bindings
    return [{str(n): t for n, t in row.items() if isinstance(t, URIRef | Literal | BNode)} for row in rows]
