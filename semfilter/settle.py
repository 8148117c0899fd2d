"""The last rule: the remaining SPARQL, the key that its verdict depends on, and how it may be evaluated."""

from __future__ import annotations

from dataclasses import replace

from ..annotator import RootProperty, event_prefix
from .plan import Context, KeyColumn, Plan
from .sparql import group_text
from .visibility import Visible, visible


def settle(plan: Plan, context: Context) -> Plan:
    """Write the remaining SPARQL and find out which event root properties it can see (paper §4.2.2, Definition 2)."""
    if plan.never is not None:
        return plan
    body = _body(plan)
    seen = visibility(body, plan.subquery.variable, context)
    identity = "the knowledge base speaks of events" if context.known_events else seen.identity
    return replace(
        plan,
        body=body,
        key=_key(context.shape.properties, seen.properties),
        identified=identity is not None,
        types=seen.types,
        alone=identity or seen.alone,
    )


def visibility(body: str, variable: str, context: Context) -> Visible:
    """What a group can see of the stream's events."""
    shape = context.shape
    properties = frozenset(p.iri for p in shape.properties)
    return visible(body, variable, properties, frozenset(shape.types), event_prefix(shape.stream))


def _body(plan: Plan) -> str:
    if not plan.flat:
        return plan.subquery.text
    values = [f"VALUES ?{name} {{ {text} }}" for name, text in plan.constants if name in _used(plan)]
    computed = [f"BIND ({d.text} AS ?{d.name})" for d in plan.derived]
    return " ".join([*values, group_text(plan.triples, plan.filters), *computed])


def _used(plan: Plan) -> set[str]:
    tested = {v for f in plan.filters for v in f.variables}
    return tested | {v for d in plan.derived for v in d.variables} | set(plan.solved)


def _key(properties: tuple[RootProperty, ...], seen: frozenset[str] | None) -> tuple[KeyColumn, ...]:
    columns: dict[tuple[str, str | None, str], list[str]] = {}
    for p in properties:
        if seen is None or p.iri in seen:
            columns.setdefault((p.column, p.individual, p.datatype), []).append(p.iri)
    return tuple(KeyColumn(*column, tuple(iris)) for column, iris in columns.items())
