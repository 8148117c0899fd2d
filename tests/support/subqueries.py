"""Semantic subqueries by hand, without the χ-CEP parser, and a reference that evaluates them event by event."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

import pyarrow as pa
import pyoxigraph as ox
from kaicep.annotator import EventShape
from kaicep.expressions import SIGNATURES
from kaicep.language import Span
from kaicep.language.checks import compile_document
from kaicep.language.nodes import AllOf, AnyOf, Semantics, Source, Subquery
from kaicep.language.nodes.types import StreamType, ValueType
from kaicep.language.nodes.vocabulary import Vocabulary
from kaicep.ontology import KnowledgeBase
from rdflib import Graph, Literal, URIRef

from .prefixes import CAMPUS, STANDARD

__all__ = ["PREFIXES", "reference_solutions", "source", "subquery", "value"]

PREFIXES = CAMPUS | {name: STANDARD[name] for name in ("rdf", "xsd")}
_SPAN = Span(0, 0)
_TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"


def subquery(text: str, bindings: Sequence[str] = (), variable: str = "e") -> Subquery:
    """The node of `PATH { text }`."""
    stream = StreamType("stream", (), "urn:Event")
    query = f"SELECT ?{variable} FROM (?{variable}, stream) PATH {{ {text} }}"
    found = compile_document(query, Vocabulary({"stream": stream}, SIGNATURES, PREFIXES))[0].sources[0].semantics
    assert isinstance(found, Subquery)
    return replace(found, bindings=tuple(bindings))


def source(semantics: Semantics | None, bindings: Mapping[str, ValueType] | None = None) -> Source:
    """A source of event variable `?e` with these PATHs."""
    return Source("e", StreamType("airflowReport", ()), (), semantics, (), tuple((bindings or {}).items()), _SPAN)


Solution = tuple[tuple[str, object], ...]


def _triples(shape: EventShape, row: Mapping[str, object]) -> list[tuple[URIRef, URIRef, URIRef | Literal]]:
    event = URIRef(str(row["_id"]))
    found: list[tuple[URIRef, URIRef, URIRef | Literal]] = [(event, URIRef(_TYPE), URIRef(c)) for c in shape.types]
    for p in shape.properties:
        value, iri = row[p.column], row[p.individual] if p.individual else None
        if value is not None:
            # rdflib tells "x" from "x"^^xsd:string, which RDF 1.1 does not.
            datatype = None if p.datatype == PREFIXES["xsd"] + "string" else URIRef(p.datatype)
            term = URIRef(str(iri)) if iri is not None else Literal(value, datatype=datatype)
            found.append((event, URIRef(p.iri), term))
    return found


def reference_solutions(
    semantics: Semantics, shape: EventShape, knowledge: KnowledgeBase, events: pa.Table, engine: str = "rdflib"
) -> list[set[Solution]]:
    """Per event its distinct solutions as sorted (variable, value): docs/semantics.md 3.1, 3.2, one query per event.

    Args:
        semantics: the PATHs.
        shape: what triples(e) is.
        knowledge: the knowledge base.
        events: an event table.
        engine: `rdflib` or `oxigraph`.
    """
    kept = "".join(f"{q.triple} .\n" for q in knowledge.store)
    found = []
    for row in events.to_pylist():
        graph = Graph()
        for triple in _triples(shape, row):
            graph.add(triple)
        text = kept + graph.serialize(format="nt")
        found.append(_evaluate(semantics, _dataset(text, engine), str(row["_id"])))
    return found


def _dataset(text: str, engine: str) -> Graph | ox.Store:
    if engine == "rdflib":
        return Graph().parse(data=text, format="nt")
    store = ox.Store()
    store.load(text.encode(), format=ox.RdfFormat.N_TRIPLES)
    return store


def _evaluate(semantics: Semantics, data: Graph | ox.Store, event: str) -> set[Solution]:
    match semantics:
        case AllOf(parts):
            result: set[Solution] = {()}
            for part in parts:
                more = _evaluate(part, data, event)
                result = {tuple(sorted(a + b)) for a in result for b in more}
            return result
        case AnyOf(parts):
            return {solution for part in parts for solution in _evaluate(part, data, event)}
        case Subquery():
            body = re.sub(rf"\?{semantics.variable}\b", f"<{event}>", semantics.text)
            names = " ".join(f"?{n}" for n in semantics.bindings) or "(1 AS ?one)"
            rows = _rows(data, f"SELECT DISTINCT {names} {{ {body} }}", semantics.bindings)
            return {tuple(sorted((n, value(v)) for n, v in row.items() if v is not None)) for row in rows}


def _rows(data: Graph | ox.Store, query: str, names: Sequence[str]) -> list[dict[str, str | None]]:
    if isinstance(data, Graph):
        rows = [row.asdict() for row in data.query(query)]  # type: ignore[union-attr]  # rows of a SELECT
        return [{n: _n_triples(row[n]) if n in row else None for n in names} for row in rows]
    solutions = data.query(query)
    assert isinstance(solutions, ox.QuerySolutions)
    return [{n: None if s[n] is None else str(s[n]) for n in names} for s in solutions]


def _n_triples(term: object) -> str:
    if not isinstance(term, Literal):
        return str(ox.NamedNode(str(term))) if isinstance(term, URIRef) else f"_:{term}"
    if term.language:
        return str(ox.Literal(str(term), language=term.language))
    return str(ox.Literal(str(term), datatype=ox.NamedNode(str(term.datatype)) if term.datatype else None))


def value(term: str) -> object:
    """A term's N-Triples text; numbers as values, for engines spell them in their own ways."""
    number = re.fullmatch(r'"([^"]*)"\^\^<[^>]*#(double|decimal|integer|float)>', term)
    if number:
        return number[2], float(number[1])
    return term.replace('+00:00"^^', 'Z"^^').removesuffix(f"^^<{PREFIXES['xsd']}string>")
