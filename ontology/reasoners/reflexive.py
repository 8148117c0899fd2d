"""Classes are below themselves, and so are properties: what a query for everything below a class counts on.

The rules scm-cls, scm-op and scm-dp of OWL 2 RL, for what is declared; rdfs6 and rdfs10 of RDFS, for what is used as a
class or as a property with others below or above it. Of what is true of everything, the closure holds no more than this
and that everything is an `owl:Thing`.
"""

from __future__ import annotations

from collections.abc import Iterator

from pyoxigraph import NamedNode, Store, Triple

from ..terms import OWL, RDF, RDFS, select

_CLASSES = """SELECT DISTINCT ?x { { ?x a owl:Class } UNION { ?x a rdfs:Class } UNION { ?x rdfs:subClassOf [] } UNION
  { [] rdfs:subClassOf ?x } UNION { [] a ?x } }"""
_PROPERTIES = """SELECT DISTINCT ?x { { ?x rdfs:subPropertyOf [] } UNION { [] rdfs:subPropertyOf ?x } UNION
  { VALUES ?kind { rdf:Property owl:ObjectProperty owl:DatatypeProperty } ?x a ?kind } }"""
_BELOW = ((_CLASSES, NamedNode(RDFS + "subClassOf")), (_PROPERTIES, NamedNode(RDFS + "subPropertyOf")))


def reflexive(store: Store) -> Iterator[Triple]:
    """That every named class is below itself, and every named property; those of RDF, RDFS and OWL left out."""
    for query, relation in _BELOW:
        for (term,) in select(store, query):
            if isinstance(term, NamedNode) and not term.value.startswith((RDF, RDFS, OWL)):
                yield Triple(term, relation, term)
