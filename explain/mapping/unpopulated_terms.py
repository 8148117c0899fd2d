"""Classes and properties that a PATH asks for and nothing has: often those of another version of an ontology.

Source: populated classes, those that have instances (Petasis et al., Ontology population and enrichment, 2011).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pyoxigraph import NamedNode
from rdflib import RDF, URIRef

from ...errors import did_you_mean
from ...language.nodes import Subquery
from ...ontology import KnowledgeBase, local_name, select
from .individual_names import namespace

__all__ = ["unpopulated_terms"]

_TYPE = NamedNode(str(RDF.type))
_CLASSES = "SELECT ?c (COUNT(?x) AS ?n) { ?x a ?c FILTER (ISIRI(?c)) } GROUP BY ?c"
_PROPERTIES = "SELECT ?p (COUNT(*) AS ?n) { ?x ?p ?y } GROUP BY ?p"


def unpopulated_terms(subqueries: Iterable[Subquery], knowledge: KnowledgeBase, given: Iterable[str]) -> list[str]:
    """Say which classes and properties of PATHs nothing in the knowledge has, and which of the same name it has.

    Args:
        subqueries: the PATHs.
        knowledge: the knowledge base.
        given: classes and properties that the events themselves have.
    """
    classes, properties = _asked(subqueries)
    found = [_class(iri, knowledge) for iri in classes if iri not in set(given) and not _has_instances(iri, knowledge)]
    found += [_property(p, knowledge) for p in properties if p not in set(given) and not _is_used(p, knowledge)]
    return found


def _asked(subqueries: Iterable[Subquery]) -> tuple[list[str], list[str]]:
    """Classes and properties that triple patterns name, once each."""
    classes: dict[str, None] = {}
    properties: dict[str, None] = {}
    for triple in (triple for subquery in subqueries for triple in subquery.triples):
        if triple.predicate == RDF.type:
            classes |= {str(triple.object): None} if isinstance(triple.object, URIRef) else {}
        elif isinstance(triple.predicate, URIRef):
            properties[str(triple.predicate)] = None
    return list(classes), list(properties)


def _has_instances(iri: str, knowledge: KnowledgeBase) -> bool:
    return next(knowledge.store.quads_for_pattern(None, _TYPE, NamedNode(iri)), None) is not None


def _is_used(iri: str, knowledge: KnowledgeBase) -> bool:
    return next(knowledge.store.quads_for_pattern(None, NamedNode(iri), None), None) is not None


def _class(iri: str, knowledge: KnowledgeBase) -> str:
    used = dict(_counted(_CLASSES, knowledge))
    said = "is a class of the knowledge, but no individual belongs to it" if knowledge.is_class(iri) else "is no class"
    return f"<{iri}> {said}{_instead(iri, used, 'individuals')}"


def _property(iri: str, knowledge: KnowledgeBase) -> str:
    used = dict(_counted(_PROPERTIES, knowledge))
    said = "is a property of the knowledge, but nothing has it" if knowledge.is_property(iri) else "is no property"
    return f"<{iri}> {said}{_instead(iri, used, 'uses')}"


def _instead(iri: str, used: dict[str, int], what: str) -> str:
    """What there is of the same name in another namespace, else the nearest name."""
    name = local_name(iri)
    same = max((other for other in used if local_name(other) == name), key=lambda other: used[other], default=None)
    if same is not None:
        return (
            f"; <{same}> has {used[same]:,} {what}: the model speaks of {namespace(same)}, the query of "
            f"{namespace(iri)}, perhaps another version; ask for the model's, or load an ontology that relates them"
        )
    near = did_you_mean(name, [local_name(other) for other in used])
    return f"; {near}" if near else ""


def _counted(query: str, knowledge: KnowledgeBase) -> Iterator[tuple[str, int]]:
    for term, count in select(knowledge.store, query):
        if isinstance(term, NamedNode):
            yield term.value, int(getattr(count, "value", 0))
