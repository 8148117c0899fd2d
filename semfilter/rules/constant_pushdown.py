"""Transformation: a one-hop path from the event to a constant becomes a condition on a column (paper §4.1)."""

from __future__ import annotations

from dataclasses import replace

import polars as pl
from rdflib import Literal, URIRef, Variable

from ...annotator import COLUMN_TYPES, lexical_text
from ...language.nodes import Binary, Column, Constant, Expression, Triple, ValueType, type_of_datatype
from ..plan import Plan, PlanContext, columns_of
from ..sparql_text import literal, triple_text
from .filter_conditions import Value, constant_value


def push_constants_down(plan: Plan, context: PlanContext) -> Plan:
    """Turn `?e p constant` into a comparison of a column with the constant."""
    if not plan.orderly or context.known_events:
        return plan
    found = [(t, c) for t in plan.triples if (c := _condition(plan, context, t)) is not None]
    gone = [triple for triple, _ in found]
    return replace(
        plan,
        triples=tuple(t for t in plan.triples if t not in gone),
        conditions=plan.conditions + tuple(condition for _, condition in found),
        notes=plan.notes + tuple(f"transformed: {triple_text(t)}: condition on columns" for t in gone),
    )


def _condition(plan: Plan, context: PlanContext, triple: Triple) -> Expression | None:
    if triple.subject != Variable(plan.subquery.variable) or not isinstance(triple.predicate, URIRef):
        return None
    columns = columns_of(context.shape, str(triple.predicate))
    if len(columns) != 1:
        return None
    column, individual, datatype = columns[0]
    match triple.object:
        case URIRef() if individual is not None:
            return _equal(plan, individual, str(triple.object), ValueType.IRI)
        case Literal() if individual is None:
            return _equal_value(plan, column, datatype, triple.object)
        case _:
            return None


def _equal_value(plan: Plan, column: str, datatype: str, value: Literal) -> Expression | None:
    """Equal values are equal terms only where both are written in the one way in which events write them."""
    term, kind = literal(value), type_of_datatype(datatype)
    if kind is None or term.language is not None or term.datatype.value != datatype:
        return None
    parsed = constant_value(term)
    if parsed is None or (parsed == 0.0 and kind is ValueType.DOUBLE):
        return None
    written = lexical_text(pl.Series([parsed], dtype=COLUMN_TYPES[kind]), datatype)
    return _equal(plan, column, parsed, kind) if written.item() == term.value else None


def _equal(plan: Plan, column: str, value: Value, kind: ValueType) -> Expression:
    span = plan.subquery.span
    left = Column(plan.subquery.variable, column, kind, span)
    return Binary("=", left, Constant(value, kind, span), ValueType.BOOLEAN, span)
