"""Names of the knowledge: as IRIs, and as people read them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyoxigraph as ox

from ...ontology import local_name, shown
from ..problem import ProblemError

__all__ = ["iri_of", "label_of", "labelled_by", "named_node", "told_of"]

_LABELS = (
    ox.NamedNode("http://www.w3.org/2000/01/rdf-schema#label"),
    ox.NamedNode("http://www.w3.org/2004/02/skos/core#prefLabel"),
)
_LANGUAGES = (None, "en")
_TYPE = ox.NamedNode("http://www.w3.org/1999/02/22-rdf-syntax-ns#type")
_MOST_TOLD = 4
"""So many statements say what something without a name is."""


def label_of(store: ox.Store, node: ox.NamedNode | ox.BlankNode) -> str | None:
    """What something is called: in English, or in no language; else in any; `None`: it has no label."""
    found = (quad.object for name in _LABELS for quad in store.quads_for_pattern(node, name, None, None))
    texts = sorted((one.language not in _LANGUAGES, one.value) for one in found if isinstance(one, ox.Literal))
    return texts[0][1] if texts else None


def labelled_by(store: ox.Store, text: str) -> set[Any]:
    """What has a text, in lower case, in a label, in any language."""
    labels = (quad for name in _LABELS for quad in store.quads_for_pattern(None, name, None, None))
    return {q.subject for q in labels if isinstance(q.object, ox.Literal) and text in q.object.value.casefold()}


def told_of(store: ox.Store, node: ox.BlankNode, prefixes: Mapping[str, str]) -> str:
    """What is said of something that has no name, such as of an area `value 54.0, hasUnit square metre`."""
    said = set()  # properties of two vocabularies may be called alike
    for quad in store.quads_for_pattern(node, None, None, None):
        if quad.predicate == _TYPE or quad.object == node:
            continue
        value = quad.object
        if isinstance(value, ox.Literal):
            text = value.value
        elif isinstance(value, ox.NamedNode):
            text = label_of(store, value) or shown(value, prefixes)
        else:
            text = "…"
        said.add(f"{local_name(quad.predicate.value)} {text}")
    return ", ".join(sorted(said)[:_MOST_TOLD])


def iri_of(term: object) -> str:
    """The IRI that a solution has; empty: it has something else."""
    return term.value if isinstance(term, ox.NamedNode) else ""


def named_node(iri: str) -> ox.NamedNode:
    """An IRI.

    Raises:
        ProblemError: 400, it is none.
    """
    try:
        return ox.NamedNode(iri)
    except ValueError as error:
        raise ProblemError(400, f"'{iri}' is no IRI: {error}", "name an absolute one") from error
