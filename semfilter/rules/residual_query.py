"""The residual query: the remaining SPARQL, the key that its verdict depends on, and how it may be evaluated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ...annotator import RootProperty
from ...language.nodes import Triple
from ..plan import InlineData, KeyColumn, Plan, PlanContext, ResidualQuery
from ..sparql_text import triple_text
from .dependencies import event_dependencies
from .path_cost import most_solutions


def write_residual_query(plan: Plan, context: PlanContext) -> Plan:
    """Write the remaining SPARQL and find out which event root properties it can see (paper §4.2.2, Definition 2)."""
    if plan.unsatisfiable is not None:
        return plan
    body = residual_text(plan, plan.triples) if plan.orderly else plan.subquery.text
    seen = event_dependencies(body, plan.subquery.variable, context)
    identity = "the knowledge base speaks of events" if context.known_events else seen.identity
    residual = ResidualQuery(
        variable=plan.subquery.variable,
        body=body,
        bindings=tuple((name, context.type_of(name)) for name in plan.solved),
        derived=plan.derived,
        key=_key(context.shape.properties, seen.properties),
        identified=identity is not None,
        classes=tuple(sorted(context.shape.types)) if seen.types else (),
        unbatchable=identity or seen.unbatchable,
        cost=most_solutions(body, context.knowledge, plan.subquery.variable),
    )
    return replace(plan, residual=residual)


def residual_text(plan: Plan, triples: Sequence[Triple]) -> str:
    """The remaining SPARQL with these triples: known values, triples, nested parts, filters, derived values."""
    needed = [(name, text) for name, text in plan.constants if name in plan.solved or plan.uses(name) > 1]
    parts = [f"VALUES ?{name} {{ {text} }}" for name, text in needed]
    parts += [_listed(rows) for rows in plan.inline_data]
    parts += [f"{triple_text(triple)} ." for triple in triples]
    parts += [nested.text for nested in plan.subquery.nested]
    parts += [f"FILTER ({f.text})" for f in plan.filters]
    parts += [f"BIND ({d.text} AS ?{d.name})" for d in plan.derived]
    return " ".join(parts)


def _listed(rows: InlineData) -> str:
    names = " ".join(f"?{name}" for name in rows.names)
    listed = " ".join(f"({' '.join(row)})" for row in rows.rows)
    return f"VALUES ({names}) {{ {listed} }}"


def _key(properties: tuple[RootProperty, ...], seen: frozenset[str] | None) -> tuple[KeyColumn, ...]:
    columns: dict[tuple[str, str | None, str], list[str]] = {}
    for p in properties:
        if seen is None or p.iri in seen:
            columns.setdefault((p.column, p.individual, p.datatype), []).append(p.iri)
    return tuple(KeyColumn(*column, tuple(iris)) for column, iris in columns.items())
