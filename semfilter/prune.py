"""Semantic pruning: what starts from constants of the knowledge base is evaluated ahead (paper §4.1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pyoxigraph as ox
from rdflib import BNode, Variable

from ..language.query import Triple
from .evaluate import solutions_of
from .plan import Context, Plan
from .settle import visibility
from .sparql import group_text

_MANY = 2


def prune(plan: Plan, context: Context) -> Plan:
    """Evaluate the triple patterns that no path connects to the event.

    A part without a solution: nothing holds. With one solution: its values replace the variables. With several: it
    stays as it is.
    """
    event = Variable(plan.subquery.variable)
    for part in _connected(plan.triples):
        if any(event in _variables(triple) for triple in part) or plan.never:
            continue
        plan = _prune_part(plan, context, part)
    return plan


def _prune_part(plan: Plan, context: Context, part: Sequence[Triple]) -> Plan:
    inside = {str(v) for triple in part for v in _variables(triple) if isinstance(v, Variable)}
    filters = tuple(f for f in plan.filters if f.variables and f.variables <= inside)
    body = group_text(part, filters)
    if not _independent(body, plan, context):
        return plan
    outside = {v for f in plan.filters if f not in filters for v in f.variables} | set(plan.subquery.bindings)
    wanted = sorted(inside & outside)
    solutions = _solutions(context, wanted, body)
    if solutions is None or any(not isinstance(x, ox.NamedNode | ox.Literal) for row in solutions for x in row):
        return plan
    triples = tuple(t for t in plan.triples if t not in part)
    left = tuple(f for f in plan.filters if f not in filters)
    if not solutions:
        never = f"the knowledge base has no solution of {body}"
        return replace(plan, triples=triples, filters=left, never=never)
    found = tuple((name, str(x)) for name, x in zip(wanted, solutions[0], strict=True))
    shown = ", ".join(f"?{name} = {text}" for name, text in found) or "it holds"
    return replace(
        plan,
        triples=triples,
        filters=left,
        constants=plan.constants + found,
        notes=(*plan.notes, f"pruned: {body}: {shown}"),
    )


def _independent(body: str, plan: Plan, context: Context) -> bool:
    """Whether no triple of an event can have a part in it."""
    seen = visibility(body, plan.subquery.variable, context)
    return seen.identity is None


def _solutions(context: Context, wanted: Sequence[str], body: str) -> list[list[object]] | None:
    """The solutions over the knowledge base; `None` when there are several."""
    head = " ".join(f"?{name}" for name in wanted) or "(1 AS ?holds)"
    found = context.knowledge.store.query(f"SELECT DISTINCT {head} {{ {body} }} LIMIT {_MANY}")
    rows: list[list[object]] = [list(row) if wanted else [] for row in solutions_of(found)]
    return None if len(rows) == _MANY else rows


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
