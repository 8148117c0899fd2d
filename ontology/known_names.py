"""Which names knowledge has: its classes, its properties, and what means the same. Read off the closure once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pyoxigraph import NamedNode, Store

from .equivalence import equivalence_classes
from .terms import select

__all__ = ["KnownNames"]

_CLASSES = """SELECT DISTINCT ?x {
  { ?x a owl:Class } UNION { ?x a rdfs:Class } UNION { [] a ?x } UNION { ?x rdfs:subClassOf [] } UNION
  { [] rdfs:subClassOf ?x } UNION { ?x owl:equivalentClass [] } UNION { [] owl:equivalentClass ?x } }"""
_PROPERTIES = """SELECT DISTINCT ?x {
  { [] ?x [] } UNION { ?x rdfs:subPropertyOf [] } UNION { [] rdfs:subPropertyOf ?x } UNION
  { ?x owl:equivalentProperty [] } UNION { [] owl:equivalentProperty ?x } UNION
  { VALUES ?kind { rdf:Property owl:ObjectProperty owl:DatatypeProperty owl:AnnotationProperty } ?x a ?kind } }"""


@dataclass(frozen=True, slots=True)
class KnownNames:
    """The names of a knowledge base.

    Attributes:
        classes: IRIs of all that is declared or used as a class.
        properties: likewise.
        equivalents: IRI that means the same as another → all that mean the same, itself included.
    """

    classes: frozenset[str]
    properties: frozenset[str]
    equivalents: Mapping[str, frozenset[str]]

    @classmethod
    def of(cls, store: Store) -> KnownNames:
        """The names of closed knowledge."""
        return cls(_iris(store, _CLASSES), _iris(store, _PROPERTIES), equivalence_classes(store))


def _iris(store: Store, query: str) -> frozenset[str]:
    return frozenset(x.value for (x,) in select(store, query) if isinstance(x, NamedNode))
