"""Transformation: the individual that a one-hop path leads to is the column of individuals (paper §4.1)."""

from __future__ import annotations

from dataclasses import replace

from rdflib import URIRef, Variable

from ...language.nodes import Triple, ValueType
from ..plan import Plan, PlanContext, columns_of
from ..sparql_text import triple_text


def push_bindings_down(plan: Plan, context: PlanContext) -> Plan:
    """Take the individual `?x` of `?e p ?x` off its column, and the triple away if `?x` stands nowhere else."""
    if not plan.orderly or context.known_events:
        return plan
    found = {t: column for t in plan.triples if (column := _column(plan, context, t)) is not None}
    gone = {t: column for t, column in found.items() if plan.uses(str(t.object)) == 1}
    copied = {str(t.object): individual for t, (_, individual) in found.items()}
    return replace(
        plan,
        triples=tuple(t for t in plan.triples if t not in gone),
        required=(*plan.required, *(column for column, _ in gone.values())),
        copies=plan.copies + tuple((name, copied[name]) for name in plan.solved if name in copied),
        notes=plan.notes + tuple(f"transformed: {triple_text(t)}: column {c}" for t, (c, _) in gone.items()),
    )


def _column(plan: Plan, context: PlanContext, triple: Triple) -> tuple[str, str] | None:
    """The columns of the raw value and of its individual, if the object of the triple is a variable for it."""
    if triple.subject != Variable(plan.subquery.variable) or not isinstance(triple.object, Variable):
        return None
    columns = columns_of(context.shape, str(triple.predicate)) if isinstance(triple.predicate, URIRef) else ()
    if len(columns) != 1 or columns[0][1] is None:
        return None
    name = str(triple.object)
    if name in plan.subquery.bindings and context.bindings.get(name) is not ValueType.IRI:
        return None
    return columns[0][0], columns[0][1]
