"""Static semantics: whether events are of a class is the same for all of a stream, so it is decided at compile time."""

from __future__ import annotations

from dataclasses import replace

from rdflib import RDF, URIRef, Variable

from ...language.nodes import Triple
from ..plan import Plan, PlanContext


def decide_event_class(plan: Plan, context: PlanContext) -> Plan:
    """Drop `?e rdf:type C` where every event of the stream is a C; where none is, nothing holds (paper §4.1)."""
    event = Variable(plan.subquery.variable)
    if context.known_events:
        return plan
    stated = [
        t for t in plan.triples if t.subject == event and t.predicate == RDF.type and isinstance(t.object, URIRef)
    ]
    if not stated:
        return plan
    rest: tuple[Triple, ...] = tuple(t for t in plan.triples if t not in stated)
    wrong = [str(t.object) for t in stated if str(t.object) not in context.shape.types]
    unsatisfiable = f"events of {context.shape.stream} are no <{wrong[0]}>" if wrong else plan.unsatisfiable
    notes = tuple(
        f"decided ahead: every event of {context.shape.stream} is a <{t.object}>" for t in stated if not wrong
    )
    return replace(plan, triples=rest, unsatisfiable=unsatisfiable, notes=plan.notes + notes)
