"""What a SPARQL endpoint says of itself when nobody asks it anything.

Source: SPARQL 1.1 Service Description.
"""

from __future__ import annotations

from collections.abc import Iterator

import pyoxigraph as ox

from .media_types import GRAPH_FORMATS, RESULT_FORMATS
from .sparql_answer import Document
from .sparql_dataset import SparqlDataset

__all__ = ["service_description"]

_SD, _RDF = "http://www.w3.org/ns/sparql-service-description#", "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
_TYPE = ox.NamedNode(f"{_RDF}type")


def service_description(dataset: SparqlDataset, address: str, media: str) -> Document:
    """The description of an endpoint.

    Args:
        dataset: that it answers over.
        address: of the endpoint.
        media: the form of triples that is wanted.
    """
    triples = _triples(dataset, ox.NamedNode(address))
    content = ox.serialize(triples, format=GRAPH_FORMATS[media], prefixes={"sd": _SD}) or b""
    return Document(media, content)


def _triples(dataset: SparqlDataset, address: ox.NamedNode) -> Iterator[ox.Triple]:
    service, whole, default = ox.BlankNode("service"), ox.BlankNode("dataset"), ox.BlankNode("default")
    yield ox.Triple(service, _TYPE, _sd("Service"))
    yield ox.Triple(service, _sd("endpoint"), address)
    yield ox.Triple(service, _sd("supportedLanguage"), _sd("SPARQL11Query"))
    if dataset.updatable:
        yield ox.Triple(service, _sd("supportedLanguage"), _sd("SPARQL11Update"))
    for form in dict.fromkeys([*(f.iri for f in RESULT_FORMATS.values()), *(f.iri for f in GRAPH_FORMATS.values())]):
        yield ox.Triple(service, _sd("resultFormat"), ox.NamedNode(form))
    if dataset.union:
        yield ox.Triple(service, _sd("feature"), _sd("UnionDefaultGraph"))
    yield ox.Triple(service, _sd("defaultDataset"), whole)
    yield ox.Triple(whole, _TYPE, _sd("Dataset"))
    yield ox.Triple(whole, _sd("defaultGraph"), default)
    yield ox.Triple(default, _TYPE, _sd("Graph"))


def _sd(name: str) -> ox.NamedNode:
    return ox.NamedNode(_SD + name)
