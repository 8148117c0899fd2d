"""SOSA in JSON-LD: observations, with what made them, of what, when, and the result.

Source: Semantic Sensor Network Ontology (W3C, 2017), §4.2 (observations); its edition of 2023 (collections); JSON-LD
1.1.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from ....errors import OntologyError
from ....ontology.modules.syntaxes import JSON_LD

__all__ = ["sosa_records"]

_SOSA, _TIME = "http://www.w3.org/ns/sosa/", "http://www.w3.org/2006/time#"
_TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
_XSD = "http://www.w3.org/2001/XMLSchema#"
_QUDT = ("http://qudt.org/schema/qudt/", "http://qudt.org/1.1/schema/qudt#")
_OM = "http://www.ontology-of-units-of-measure.org/resource/om-2/"
_NODES = (
    "madeBySensor", "observedProperty", "hasFeatureOfInterest", "hasUltimateFeatureOfInterest", "usedProcedure",
)  # fmt: skip
_COLUMNS = (*_NODES, "resultTime", "phenomenonTime", "hasSimpleResult")
_CONTEXT: dict[str, Any] = {
    "@vocab": _SOSA,
    "sosa": _SOSA,
    "ssn": "http://www.w3.org/ns/ssn/",
    "xsd": _XSD,
    "time": _TIME,
    "qudt": _QUDT[0],
    "unit": "http://qudt.org/vocab/unit/",
    "id": "@id",
    "type": "@type",
    **{name: {"@type": "@id"} for name in (*_NODES, "hasMember")},
}
"""What stands for contexts that would have to be fetched, and where there is none."""
_MOMENTS = (f"{_TIME}inXSDDateTimeStamp", f"{_TIME}inXSDDateTime")
_AMOUNTS = (
    *(f"{qudt}{name}" for qudt in _QUDT for name in ("numericValue", "value")),
    f"{_OM}hasNumericalValue",
    "http://www.w3.org/1999/02/22-rdf-syntax-ns#value",
)
_UNITS = (*(f"{qudt}{name}" for qudt in _QUDT for name in ("unit", "hasUnit")), f"{_OM}hasUnit")
_NUMBERS = frozenset(f"{_XSD}{name}" for name in ("integer", "decimal", "double", "float", "int", "long"))

_Term: TypeAlias = Any
"""A term of pyoxigraph, whose types are at home elsewhere."""
_Node: TypeAlias = dict[str, list[_Term]]


def sosa_records(document: object) -> list[dict[str, Any]]:
    """The observations of a document: `observation`, the local names of SOSA, `value` and `unit` of the result.

    Args:
        document: JSON-LD; a context that would have to be fetched counts as SOSA's own terms.

    Raises:
        ValueError: it is no JSON-LD, or there is no observation in it.
    """
    text = json.dumps(_with_context(document)).encode()
    try:
        triples = JSON_LD.read("payload", text, "urn:kaicep:payload:")
    except OntologyError as error:
        raise ValueError(error.message) from None
    nodes: dict[_Term, _Node] = {}
    for triple in triples:
        nodes.setdefault(triple.subject, {}).setdefault(triple.predicate.value, []).append(triple.object)
    shared = _of_collections(nodes)
    found = [
        _record(subject, shared.get(subject, {}) | node, nodes)
        for subject, node in nodes.items()
        if any(kind.value == f"{_SOSA}Observation" for kind in node.get(_TYPE, ()))
    ]
    if not found:
        message = "there is no sosa:Observation in it"
        raise ValueError(message)
    return found


def _with_context(document: object) -> object:
    """The document with our context in the place of those that it lacks, or that would have to be fetched."""
    if isinstance(document, list):
        return [_with_context(one) for one in document]
    if not isinstance(document, dict):
        message = "it is no object"
        raise ValueError(message)  # noqa: TRY004 - whoever asks wants one kind
    own = document.get("@context", [])
    contexts = own if isinstance(own, list) else [own]
    known = [_CONTEXT if isinstance(one, str) else one for one in contexts] or [_CONTEXT]
    return {**document, "@context": known}


def _of_collections(nodes: Mapping[_Term, _Node]) -> dict[_Term, _Node]:
    """By member of a collection, what is said of all its members."""
    found: dict[_Term, _Node] = {}
    for node in nodes.values():
        for member in node.get(f"{_SOSA}hasMember", ()):
            found[member] = {name: terms for name, terms in node.items() if name.removeprefix(_SOSA) in _COLUMNS}
    return found


def _record(subject: _Term, node: _Node, nodes: Mapping[_Term, _Node]) -> dict[str, Any]:
    found = {name: _value(node[f"{_SOSA}{name}"], nodes) for name in _COLUMNS if f"{_SOSA}{name}" in node}
    if not _is_blank(subject):
        found = {"observation": subject.value, **found}
    for result in node.get(f"{_SOSA}hasResult", ()):
        own = nodes.get(result, {})
        for column, names in (("value", _AMOUNTS), ("unit", _UNITS)):
            terms = next((own[name] for name in names if name in own), None)
            if terms is not None:
                found[column] = _value(terms, nodes)
    return found


def _value(terms: Sequence[_Term], nodes: Mapping[_Term, _Node]) -> object:
    term = terms[0]
    datatype = getattr(term, "datatype", None)
    if datatype is None:  # a node: itself, or the moment that it is
        moments = (nodes.get(term, {}).get(name) for name in _MOMENTS)
        # A blank node has another label each time that the document is read, by which the event would be another one.
        own = None if _is_blank(term) else term.value
        return next((found[0].value for found in moments if found), own)
    if datatype.value in _NUMBERS:
        return float(term.value)
    return term.value in ("true", "1") if datatype.value == f"{_XSD}boolean" else term.value


def _is_blank(term: _Term) -> bool:
    return type(term).__name__ == "BlankNode"
