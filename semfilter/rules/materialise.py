"""Materialised verdicts: what depends on individuals alone is asked of all of them at once, without any event.

All that an event adds is which individual its property leads to; the rest speaks of the knowledge base only. So the
paper's cache (§4.2.2) is filled at compile time, as far as it can be.
"""

from __future__ import annotations

from dataclasses import replace

import pyoxigraph as ox
from rdflib import URIRef, Variable
from rdflib.paths import MulPath, SequencePath

from ...language.nodes import Triple
from ..plan import MaterialisationQuery, Plan, PlanContext, columns_of
from .path_cost import most_solutions
from .residual_query import residual_text


def materialise(plan: Plan, context: PlanContext) -> Plan:
    """Find the query that gives the verdicts of all keys; the residual query is written before."""
    event = Variable(plan.subquery.variable)
    residual = plan.residual
    if not plan.orderly or residual is None or residual.identified or not residual.key:
        return plan
    own = [triple for triple in plan.triples if triple.subject == event]
    if plan.uses(str(event)) != len(own):
        return plan
    rest = [triple for triple in plan.triples if triple.subject != event]
    keys: dict[str, Variable] = {}
    for triple in sorted(own, key=lambda t: isinstance(t.predicate, SequencePath)):
        led = _led(triple, context, keys)
        if led is None:
            return plan
        rest += led
    anchored = all(_anchored(key, rest, context) for key in keys.values())
    if set(keys) != {part.individual for part in residual.key} or not anchored:
        return plan
    body = residual_text(plan, rest)
    named = tuple((str(name), column) for column, name in keys.items())
    query = MaterialisationQuery(named, body, most_solutions(body, context.knowledge, None))
    return replace(plan, residual=replace(residual, materialisation=query))


def _led(triple: Triple, context: PlanContext, keys: dict[str, Variable]) -> list[Triple] | None:
    """What a triple of the event says of the individual that it leads to, which is noted in `keys`; `None`: no such."""
    steps = triple.predicate.args if isinstance(triple.predicate, SequencePath) else [triple.predicate]
    columns = columns_of(context.shape, str(steps[0])) if isinstance(steps[0], URIRef) else ()
    if len(columns) != 1 or columns[0][1] is None:
        return None
    column, more = columns[0][1], steps[1:]
    if more:
        following = more[0] if len(more) == 1 else SequencePath(*more)
        return [Triple(keys.setdefault(column, Variable(f"kaicep_key_{len(keys)}")), following, triple.object)]
    if not isinstance(triple.object, Variable) or keys.setdefault(column, triple.object) != triple.object:
        return None
    return []


def _anchored(key: Variable, triples: list[Triple], context: PlanContext) -> bool:
    """Whether only what the knowledge base says something of can be the key: no literal, nothing unknown."""
    return any(
        (t.subject == key and _takes_a_step(t.predicate))
        or (t.object == key and isinstance(t.predicate, URIRef) and _leads_to_no_literal(t.predicate, context))
        for t in triples
    )


def _leads_to_no_literal(predicate: URIRef, context: PlanContext) -> bool:
    """Whether a property has no literals for values: a value of an event that names no individual is one."""
    values = context.knowledge.store.quads_for_pattern(None, ox.NamedNode(str(predicate)), None)
    return not any(isinstance(quad.object, ox.Literal) for quad in values)


def _takes_a_step(predicate: object) -> bool:
    match predicate:
        case URIRef():
            return True
        case SequencePath():
            return _takes_a_step(predicate.args[0])
        case MulPath():
            return predicate.mod == "+" and _takes_a_step(predicate.path)
        case _:
            return False
