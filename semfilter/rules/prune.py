"""Semantic pruning and migration: what leads on from constants of the knowledge is evaluated once (paper §4.1).

What hangs on no event is evaluated as a whole. In what hangs on the event, so is each path that leads from a constant.
The values take the place of what was evaluated.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice

import pyoxigraph as ox
from rdflib import BNode, Literal, URIRef, Variable

from ...language.nodes import Triple
from ..plan import KNOWN_SMALL, InlineData, Plan, PlanContext
from ..runtime import query_solutions
from ..sparql_text import group_text, select_text
from .dependencies import event_dependencies
from .path_cost import most_solutions

_MOST = 20
"""What has more solutions stays a pattern: so long a list of values is no simpler."""


def prune(plan: Plan, context: PlanContext) -> Plan:
    """Evaluate the triple patterns that do not depend on the event.

    A part without a solution: nothing holds. With one solution: its values replace the variables. With a few: they are
    listed. With many: it stays as it is.
    """
    tried: set[tuple[Triple, ...]] = set()
    while plan.unsatisfiable is None and (part := next((p for p in _parts(plan) if p not in tried), None)):
        tried.add(part)
        plan = _prune_part(plan, context, part)
    return plan


def _parts(plan: Plan) -> Iterator[tuple[Triple, ...]]:
    event = Variable(plan.subquery.variable)
    for connected in _connected(plan.triples):
        if any(event in _variables(triple) for triple in connected):
            yield from _from_constants(connected, event)
        else:
            yield tuple(connected)


def _from_constants(triples: Sequence[Triple], event: Variable) -> Iterator[tuple[Triple, ...]]:
    """What can be reached from each constant subject going forward, and the first step alone."""
    for first in triples:
        if isinstance(first.subject, URIRef) and event not in _variables(first):
            reached, known = [first], {first.object}
            while more := [t for t in triples if t not in reached and t.subject in known and event != t.object]:
                reached += more
                known |= {t.object for t in more}
            yield tuple(t for t in triples if t in reached)
            yield (first,)


def _prune_part(plan: Plan, context: PlanContext, part: Sequence[Triple]) -> Plan:
    rest = replace(plan, triples=tuple(t for t in plan.triples if t not in part))
    names = {v for triple in part for v in _variables(triple)}
    if any(isinstance(v, BNode) and v in _variables(t) for v in names for t in rest.triples):
        return plan
    inside = {str(v) for v in names if isinstance(v, Variable)}
    filters = tuple(f for f in plan.filters if f.variables and f.variables <= inside)
    rest = replace(rest, filters=tuple(f for f in plan.filters if f not in filters))
    body = group_text(part, filters)
    if event_dependencies(body, plan.subquery.variable, context).identity is not None:
        return plan
    if most_solutions(body, context.knowledge, None) > KNOWN_SMALL:
        return plan
    wanted = sorted(name for name in inside if name in plan.subquery.bindings or rest.uses(name))
    solutions = _solutions(context, wanted, body)
    if solutions is None:
        return plan
    if not solutions:
        return replace(rest, unsatisfiable=f"the knowledge base has no solution of {body}")
    return _with_values(rest, body, wanted, solutions)


def _with_values(
    plan: Plan, body: str, names: Sequence[str], solutions: Sequence[Sequence[ox.NamedNode | ox.Literal]]
) -> Plan:
    texts = [tuple(str(term) for term in row) for row in solutions]
    if len(solutions) > 1:
        texts.sort()
        shown = f"{', '.join(f'?{name}' for name in names)}: {len(texts)} solutions"
        notes = (*plan.notes, f"pruned: {body}: {shown}")
        return replace(plan, inline_data=(*plan.inline_data, InlineData(tuple(names), tuple(texts))), notes=notes)
    found = tuple(zip(names, texts[0], strict=True))
    shown = ", ".join(f"?{name} = {text}" for name, text in found) or "it holds"
    values: dict[object, URIRef | Literal] = {
        Variable(name): _term(term) for name, term in zip(names, solutions[0], strict=True)
    }
    return replace(
        plan,
        triples=tuple(_put(triple, values) for triple in plan.triples),
        constants=plan.constants + found,
        notes=(*plan.notes, f"pruned: {body}: {shown}"),
    )


def _put(triple: Triple, values: Mapping[object, URIRef | Literal]) -> Triple:
    """Constants in the place of their variables, where RDF allows them."""
    subject, predicate = values.get(triple.subject), values.get(triple.predicate)
    return Triple(
        subject if isinstance(subject, URIRef) else triple.subject,
        predicate if isinstance(predicate, URIRef) else triple.predicate,
        values.get(triple.object, triple.object),
    )


def _term(term: ox.NamedNode | ox.Literal) -> URIRef | Literal:
    if isinstance(term, ox.NamedNode):
        return URIRef(term.value)
    if term.language is not None:
        return Literal(term.value, lang=term.language)
    return Literal(term.value, datatype=URIRef(term.datatype.value), normalize=False)


def _solutions(context: PlanContext, wanted: Sequence[str], body: str) -> list[list[ox.NamedNode | ox.Literal]] | None:
    """The solutions over the knowledge base; `None`: there are too many, or some have no name."""
    found = context.knowledge.store.query(select_text(" ".join(f"?{name}" for name in wanted), body))
    rows = [list(row[: len(wanted)]) for row in islice(query_solutions(found), _MOST + 1)]
    named = [[term for term in row if isinstance(term, ox.NamedNode | ox.Literal)] for row in rows]
    return None if len(rows) > _MOST or named != rows else named


def _variables(triple: Triple) -> set[object]:
    parts = (triple.subject, triple.predicate, triple.object)
    return {part for part in parts if isinstance(part, Variable | BNode)}


def _connected(triples: Sequence[Triple]) -> list[list[Triple]]:
    """The triples in groups that share variables."""
    groups: list[tuple[set[object], list[Triple]]] = []
    for triple in triples:
        names, members = _variables(triple), [triple]
        apart = []
        for other_names, other_members in groups:
            if other_names & names:
                names, members = names | other_names, other_members + members
            else:
                apart.append((other_names, other_members))
        groups = [*apart, (names, members)]
    return [sorted(members, key=triples.index) for _, members in groups]
