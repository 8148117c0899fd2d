"""Individuals by label or IRI, and one with its neighbourhood."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyoxigraph as ox

from ...api import Project
from ...config import Settings
from ...ontology import select, shown
from ..problem import ProblemError
from .knowledge_terms import label_of, labels_of, named_node, told_of

__all__ = ["found_individuals", "one_individual"]

_TYPE = ox.NamedNode("http://www.w3.org/1999/02/22-rdf-syntax-ns#type")
_HIDDEN = ("http://www.w3.org/2002/07/owl#", "http://www.w3.org/2000/01/rdf-schema#")
_STANDARD = (*_HIDDEN, "http://www.w3.org/1999/02/22-rdf-syntax-ns#", "http://www.w3.org/2001/XMLSchema#")
_OF_CLASS = "SELECT DISTINCT ?i ?class { ?i a ?class FILTER (ISIRI(?i)) } ORDER BY STR(?i)"
_OF_ANY = """SELECT DISTINCT ?i { ?i a ?class FILTER (ISIRI(?i))
  FILTER NOT EXISTS { VALUES ?kind { owl:Class rdfs:Class rdfs:Datatype owl:Ontology rdf:Property owl:ObjectProperty
                                     owl:DatatypeProperty owl:AnnotationProperty } ?i a ?kind } } ORDER BY STR(?i)"""
_MOST = 500
"""So many neighbours in each direction."""


def found_individuals(
    _: ox.Store, settings: Settings, search: str | None, of_class: str | None, limit: int
) -> list[dict[str, Any]]:
    """Individuals of whose labels, in any language, or whose IRI one has a text in it; of a class; or both.

    Args:
        settings: of the project.
        search: the text, in any case; `None`: all.
        of_class: IRI of the class; `None`: any.
        limit: so many at most.

    Returns:
        Of each `iri`, `prefixed`, `label`, and its `classes`, the most special ones; by their IRIs.

    Raises:
        ProblemError: 400, the class is no IRI.
    """
    knowledge = Project.of(settings).knowledge
    wanted = None if search is None else search.casefold()
    members = None if of_class is None else named_node(of_class)
    store, found = knowledge.store, list[dict[str, Any]]()
    solutions = select(store, _OF_ANY) if members is None else select(store, _OF_CLASS, **{"class": members})
    for solution in solutions:
        node = solution["i"]
        assert isinstance(node, ox.NamedNode)  # noqa: S101 - the query asks for IRIs
        if node.value.startswith(_STANDARD):
            continue
        names = [node.value, *labels_of(store, node)]
        if wanted is None or any(wanted in name.casefold() for name in names):
            found.append(_summary(store, node, knowledge.prefixes))
            if len(found) == limit:
                break
    return found


def one_individual(_: ox.Store, settings: Settings, iri: str) -> dict[str, Any]:
    """An individual, and what is linked to it.

    Args:
        settings: of the project.
        iri: of the individual.

    Returns:
        As `found_individuals`, and `triples`: `property`, `value`, `label` of what is linked (of what has no name: what
        is said of it), whether the link is `incoming`, and whether the value is an `iri`.

    Raises:
        ProblemError: 400, that is no IRI; 404, nothing is said of it.
    """
    knowledge = Project.of(settings).knowledge
    store, node = knowledge.store, named_node(iri)
    outgoing = [q for q in store.quads_for_pattern(node, None, None, None) if q.predicate != _TYPE][:_MOST]
    incoming = [q for q in store.quads_for_pattern(None, None, node, None) if q.predicate != _TYPE][:_MOST]
    if not (outgoing or incoming or _classes(store, node)):
        raise ProblemError(404, f"nothing is said of <{iri}>", "GET /individuals?search=… finds some by their labels")
    prefixes = knowledge.prefixes
    links = [_link(store, q.predicate, q.object, prefixes, incoming=False) for q in outgoing]
    links += [_link(store, q.predicate, q.subject, prefixes, incoming=True) for q in incoming]
    links = [link for link in links if not str(link["property"]).startswith("http://www.w3.org/2002/07/owl#sameAs")]
    links.sort(key=lambda link: (link["incoming"], link["property"], str(link["value"])))
    return {**_summary(store, node, prefixes), "triples": links}


def _summary(store: ox.Store, node: ox.NamedNode, prefixes: Any) -> dict[str, Any]:
    return {
        "iri": node.value,
        "prefixed": shown(node, prefixes),
        "label": label_of(store, node),
        "classes": _classes(store, node),
    }


def _classes(store: ox.Store, node: ox.NamedNode) -> list[str]:
    """The classes that something is in, but those that are above another of them."""
    every = [q.object for q in store.quads_for_pattern(node, _TYPE, None, None) if isinstance(q.object, ox.NamedNode)]
    own = [one for one in every if not one.value.startswith(_HIDDEN)]
    above = ox.NamedNode("http://www.w3.org/2000/01/rdf-schema#subClassOf")
    higher = {one: [q.object for q in store.quads_for_pattern(one, above, None, None)] for one in own}
    upper = {
        other
        for one, others in higher.items()
        for other in others
        if isinstance(other, ox.NamedNode) and other != one and one not in higher.get(other, ())
    }
    return sorted(one.value for one in own if one not in upper)


def _link(store: ox.Store, name: Any, value: Any, prefixes: Mapping[str, str], *, incoming: bool) -> dict[str, Any]:
    named = isinstance(value, ox.NamedNode | ox.BlankNode)
    label = label_of(store, value) if named else None
    if label is None and isinstance(value, ox.BlankNode):
        label = told_of(store, value, prefixes) or None
    return {
        "property": name.value,
        "value": value.value if not isinstance(value, ox.Triple) else str(value),
        "label": label,
        "incoming": incoming,
        "iri": isinstance(value, ox.NamedNode),
    }
