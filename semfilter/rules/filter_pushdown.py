"""Transformation: comparisons of event values become conditions on columns (paper §4.1).

A triple `?e p ?v` whose value is a literal and serves in FILTERs only makes every value of the event a key of its own.
It becomes the column, and the FILTERs become expressions over it and over what the rest of the subquery finds.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from rdflib import URIRef, Variable

from ...annotator import RootProperty
from ...language.nodes import XSD, Column, Expression, Triple, ValueFilter, ValueType
from ..plan import DerivedValue, Plan, PlanContext
from ..sparql_text import triple_text
from .filter_conditions import Operand, compile_condition


@dataclass(frozen=True, slots=True)
class _Value:
    """A triple that may become a column."""

    triple: Triple
    column: RootProperty
    type: ValueType


def push_filters_down(plan: Plan, context: PlanContext) -> Plan:
    """Turn triples of event values into columns, and the FILTERs over them into conditions."""
    if not plan.orderly or context.known_events:
        return plan
    values = _candidates(plan, context)
    while values:
        compiled = _compile(plan, values)
        if isinstance(compiled, tuple):
            return _transformed(plan, values, *compiled)
        values = {name: value for name, value in values.items() if name not in compiled.variables}
    return plan


def _candidates(plan: Plan, context: PlanContext) -> dict[str, _Value]:
    found = {}
    types = {a.name: a.type for a in context.shape.attributes}
    for triple in plan.triples:
        if not isinstance(triple.object, Variable) or triple.subject != Variable(plan.subquery.variable):
            continue
        columns = [p for p in context.shape.properties if p.iri == str(triple.predicate)]
        name = str(triple.object)
        if not isinstance(triple.predicate, URIRef) or len(columns) != 1 or _stands_elsewhere(plan, name):
            continue
        column = columns[0]
        if (
            column.individual is None
            and column.datatype != XSD + "float"
            and _may_copy(plan, context, name, types[column.column])
        ):
            found[name] = _Value(triple, column, types[column.column])
    return found


def _stands_elsewhere(plan: Plan, name: str) -> bool:
    """Whether a variable stands anywhere but in one triple and in FILTERs."""
    return plan.uses(name) - sum(name in f.variables for f in plan.filters) > 1


def _may_copy(plan: Plan, context: PlanContext, name: str, kind: ValueType) -> bool:
    return name not in plan.subquery.bindings or context.bindings.get(name) is kind


def _compile(plan: Plan, values: dict[str, _Value]) -> tuple[list[Expression], list[DerivedValue]] | ValueFilter:
    """The conditions that the FILTERs over `values` become, or the first FILTER that cannot become one."""
    span = plan.subquery.span
    operands = {
        name: Operand(Column(plan.subquery.variable, v.column.column, v.type, span), v.column.datatype)
        for name, v in values.items()
    }
    conditions: list[Expression] = []
    derived: list[DerivedValue] = []
    for f in _filters(plan, values):
        made = compile_condition(
            f.algebra, operands, dict(plan.constants), plan.subquery, len(plan.derived) + len(derived)
        )
        if made is None:
            return f
        conditions.append(made.expression)
        derived.extend(made.derived)
    return conditions, derived


def _filters(plan: Plan, values: dict[str, _Value]) -> list[ValueFilter]:
    return [f for f in plan.filters if f.variables & values.keys()]


def _transformed(
    plan: Plan, values: dict[str, _Value], conditions: list[Expression], derived: list[DerivedValue]
) -> Plan:
    gone = [v.triple for v in values.values()]
    moved = _filters(plan, values)
    notes = [f"transformed: {triple_text(v.triple)}: column {v.column.column}" for v in values.values()]
    notes += [f"transformed: FILTER ({f.text}): condition on columns" for f in moved]
    return replace(
        plan,
        triples=tuple(t for t in plan.triples if t not in gone),
        filters=tuple(f for f in plan.filters if f not in moved),
        required=(*plan.required, *dict.fromkeys(v.column.column for v in values.values())),
        conditions=plan.conditions + tuple(conditions),
        derived=plan.derived + tuple(derived),
        copies=plan.copies + tuple((n, values[n].column.column) for n in plan.subquery.bindings if n in values),
        notes=plan.notes + tuple(notes),
    )
