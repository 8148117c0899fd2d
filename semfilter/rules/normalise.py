"""Semantic normalisation: names that mean the same become one name (paper §4.1).

Each such triple pattern has the same matches under any of the names; that is looked up, not taken for granted, for a
knowledge base need not be closed.
"""

from __future__ import annotations

from dataclasses import replace

import pyoxigraph as ox
from rdflib import RDF, URIRef
from rdflib.paths import AlternativePath, InvPath, MulPath, Path, SequencePath

from ...language.nodes import Triple
from ..plan import Plan, PlanContext, columns_of
from ..sparql_text import triple_text


def normalise(plan: Plan, context: PlanContext) -> Plan:
    """Write equivalent properties, classes and individuals in one way, and what then stands twice, once."""
    if not plan.orderly or context.known_events:
        return plan
    renamed = [_normalised(triple, context) for triple in plan.triples]
    notes = tuple(
        f"normalised: {triple_text(old)}: {triple_text(new)}"
        for old, new in zip(plan.triples, renamed, strict=True)
        if old != new
    )
    return replace(plan, triples=tuple(dict.fromkeys(renamed)), notes=plan.notes + notes)


def _normalised(triple: Triple, context: PlanContext) -> Triple:
    predicate = triple.predicate
    if isinstance(predicate, URIRef | Path):
        predicate = _property(predicate, context)
    return Triple(triple.subject, predicate, _object(predicate, triple.object, context))


def _property(term: URIRef | Path, context: PlanContext) -> URIRef | Path:
    """The property, or the path with the properties in it, by the names that stand for their equivalents."""
    match term:
        case URIRef():
            return URIRef(_standing_for(str(term), context))
        case SequencePath():
            return SequencePath(*(_property(arg, context) for arg in term.args))
        case AlternativePath():
            return AlternativePath(*(_property(arg, context) for arg in term.args))
        case InvPath():
            return InvPath(_property(term.arg, context))
        case MulPath():
            return MulPath(_property(term.path, context), term.mod)
        case Path():  # a negated property set excludes names, it asks for none
            return term


def _standing_for(iri: str, context: PlanContext) -> str:
    """Of the properties with the same values: the one that an annotation names, else the first in the alphabet."""
    names = sorted(context.knowledge.equivalents(iri) | {iri})
    named = [p.iri for p in context.shape.properties if p.canonical and p.iri in names]
    chosen = (named or names)[0]
    same_columns = set(columns_of(context.shape, chosen)) == set(columns_of(context.shape, iri))
    same = same_columns and _same_subjects(context, (iri, None), (chosen, None))
    return chosen if same else iri


def _object(predicate: object, term: object, context: PlanContext) -> object:
    """Of the individuals or classes that are the same, and have the same subjects, the first in the alphabet."""
    if not isinstance(predicate, URIRef) or not isinstance(term, URIRef) or columns_of(context.shape, str(predicate)):
        return term
    chosen = min(context.knowledge.equivalents(str(term)) | {str(term)})
    types = context.shape.types if predicate == RDF.type else ()
    same_types = (chosen in types) == (str(term) in types)
    same = same_types and _same_subjects(context, (str(predicate), str(term)), (str(predicate), chosen))
    return URIRef(chosen) if same else term


_PropertyValue = tuple[str, str | None]
"""The IRIs of a property and of its object; `None`: whatever the object is."""


def _same_subjects(context: PlanContext, one: _PropertyValue, other: _PropertyValue) -> bool:
    """Whether the knowledge base has the same subjects with one property and object as with the other."""
    return one == other or not (_lacks(context, one, other) or _lacks(context, other, one))


def _lacks(context: PlanContext, one: _PropertyValue, other: _PropertyValue) -> bool:
    store, graph = context.knowledge.store, ox.DefaultGraph()
    (asked, of), (wanted, instead) = _terms(one), _terms(other)
    found = store.quads_for_pattern(None, asked, of, graph)
    return any(ox.Quad(quad.subject, wanted, instead or quad.object, graph) not in store for quad in found)


def _terms(value: _PropertyValue) -> tuple[ox.NamedNode, ox.NamedNode | None]:
    property_iri, object_iri = value
    return ox.NamedNode(property_iri), None if object_iri is None else ox.NamedNode(object_iri)
