"""Individuals by label or IRI, and one with its neighbourhood."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyoxigraph as ox

from ...api import Project
from ...config import Settings
from ...ontology import shown
from ..problem import ProblemError
from .knowledge_terms import label_of, labelled_by, named_node, told_of

__all__ = ["found_individuals", "one_individual"]

_TYPE = ox.NamedNode("http://www.w3.org/1999/02/22-rdf-syntax-ns#type")
_HIDDEN = ("http://www.w3.org/2002/07/owl#", "http://www.w3.org/2000/01/rdf-schema#")
_STANDARD = (*_HIDDEN, "http://www.w3.org/1999/02/22-rdf-syntax-ns#", "http://www.w3.org/2001/XMLSchema#")
_VOCABULARY = tuple(
    ox.NamedNode(prefix + name)
    for prefix, names in (
        (_STANDARD[0], ("Class", "Ontology", "ObjectProperty", "DatatypeProperty", "AnnotationProperty")),
        (_STANDARD[1], ("Class", "Datatype")),
        (_STANDARD[2], ("Property",)),
    )
    for name in names
)
"""What is of these is no individual."""
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
    store, found = knowledge.store, _members(knowledge.store, of_class)
    if search is not None:
        wanted = search.casefold()
        labelled = labelled_by(store, wanted)
        found = {one for one in found if one in labelled or wanted in one.value.casefold()}
    chosen = sorted((one for one in found if not one.value.startswith(_STANDARD)), key=lambda one: one.value)
    return [_summary(store, one, knowledge.prefixes) for one in chosen[:limit]]


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


def _members(store: ox.Store, of_class: str | None) -> set[ox.NamedNode]:
    """The individuals of a class, or of any, that have an IRI."""
    kind = None if of_class is None else named_node(of_class)
    found = {q.subject for q in store.quads_for_pattern(None, _TYPE, kind, None) if isinstance(q.subject, ox.NamedNode)}
    if kind is None:
        for one in _VOCABULARY:
            found.difference_update(q.subject for q in store.quads_for_pattern(None, _TYPE, one, None))
    return found


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
