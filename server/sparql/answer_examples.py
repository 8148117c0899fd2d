"""The same answer in every form that it may take, for the description of the interface."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson
import pyoxigraph as ox

from .media_types import GRAPH_FORMATS, RESULT_FORMATS

__all__ = ["graph_examples", "result_examples"]

_TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
_TRIPLES = (ox.Triple(*map(ox.NamedNode, ("urn:ex:s1", _TYPE, "urn:ex:Thermometer"))),)
_FOUND = {
    "head": {"vars": ["class", "n"]},
    "results": {
        "bindings": [
            {
                "class": {"type": "uri", "value": "urn:ex:Reading"},
                "n": {"type": "literal", "value": "11", "datatype": "http://www.w3.org/2001/XMLSchema#integer"},
            }
        ]
    },
}


def graph_examples() -> Mapping[str, str]:
    """A triple, by media type."""
    return {media: _serialized(form) for media, form in GRAPH_FORMATS.items()}


def result_examples() -> Mapping[str, Any]:
    """A solution, by media type; JSON is no text here."""
    return {media: _written(form) for media, form in RESULT_FORMATS.items()}


def _serialized(form: ox.RdfFormat) -> str:
    return (ox.serialize(_TRIPLES, format=form, prefixes={"ex": "urn:ex:"}) or b"").decode()


def _written(form: ox.QueryResultsFormat) -> Any:
    if form == ox.QueryResultsFormat.JSON:
        return _FOUND
    found = ox.parse_query_results(orjson.dumps(_FOUND), format=ox.QueryResultsFormat.JSON)
    return (found.serialize(format=form) or b"").decode()
