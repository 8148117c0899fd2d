"""What a query may speak of, for editors that complete names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyoxigraph as ox

from ...api import Project
from ...config import Settings
from ...expressions import AGGREGATES
from ...expressions.functions import WRITTEN_FUNCTIONS
from ...language.nodes import AttributeType
from ...language.syntax import reserved_words
from ...ontology import KnowledgeBase, select, shown
from ...pipeline.control import SubmittedQueries, folder_of, registered_at_start

__all__ = ["query_vocabulary"]

_MOST = 20_000
_SHOWN = (None, "en")
_CLASSES = """SELECT DISTINCT ?x ?label {{
  {{ ?x a owl:Class }} UNION {{ ?x a rdfs:Class }} UNION {{ ?i a ?x }}
  FILTER (ISIRI(?x)) OPTIONAL {{ ?x rdfs:label ?label }} }} LIMIT {most}"""
_PROPERTIES = """SELECT DISTINCT ?x ?label {{
  VALUES ?kind {{ owl:ObjectProperty owl:DatatypeProperty rdf:Property owl:AnnotationProperty }}
  ?x a ?kind FILTER (ISIRI(?x)) OPTIONAL {{ ?x rdfs:label ?label }} }} LIMIT {most}"""


def query_vocabulary(_: ox.Store, settings: Settings) -> dict[str, Any]:
    """The words of a project.

    Returns:
        `streams` with their `attributes`, among them the named queries; `classes` and `properties` (`iri`, `prefixed`,
        `label`, and `labels` in all languages); `functions` (`name`, `signature`, `doc`), `keywords`, `prefixes`, and
        sets of `contexts`.

    Raises:
        KaicepError: the project is wrong.
    """
    project = Project.of(settings)
    registered = registered_at_start(project, SubmittedQueries(folder_of(settings)).documents())
    vocabulary = project.vocabulary([one.query for one in registered])
    return {
        "streams": [
            {"name": name, "attributes": [_attribute(one) for one in stream.attributes]}
            for name, stream in vocabulary.streams.items()
        ],
        "classes": list(_terms(project.knowledge, _CLASSES)),
        "properties": list(_terms(project.knowledge, _PROPERTIES)),
        "functions": list(_functions()),
        "keywords": sorted(reserved_words()),
        "prefixes": dict(settings.prefixes),
        "contexts": [
            {"set": name, "contexts": [context.name for context in known.set.contexts]}
            for name, known in vocabulary.contexts.items()
        ],
    }


def _attribute(attribute: AttributeType) -> dict[str, Any]:
    kind = "iri" if attribute.individual else attribute.type.value
    return {"name": attribute.name, "type": kind, "unit": attribute.unit, "property": attribute.property}


def _functions() -> Iterator[dict[str, str]]:
    for function in WRITTEN_FUNCTIONS:
        yield {"name": function.name, "signature": function.usage, "doc": function.doc}
    for aggregate in AGGREGATES.values():
        yield {"name": aggregate.name, "signature": aggregate.usage, "doc": aggregate.doc}


def _terms(knowledge: KnowledgeBase, query: str) -> Iterator[dict[str, Any]]:
    """Classes or properties, each once, with its labels: one in English, or in no language, comes first."""
    found: dict[str, list[ox.Literal]] = {}
    for solution in select(knowledge.store, query.format(most=_MOST)):
        iri, label = solution["x"], solution["label"]
        if isinstance(iri, ox.NamedNode):
            labels = found.setdefault(iri.value, [])
            labels += [label] if isinstance(label, ox.Literal) else []
    for iri, labels in sorted(found.items()):
        labels.sort(key=lambda one: (one.language not in _SHOWN, one.value))
        texts = list(dict.fromkeys(one.value for one in labels))
        named = {"iri": iri, "prefixed": shown(ox.NamedNode(iri), knowledge.prefixes)}
        yield {**named, "label": next(iter(texts), None), "labels": texts}
