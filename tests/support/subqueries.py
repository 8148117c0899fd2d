"""Semantic subqueries by hand, without the χ-CEP parser, and a reference that evaluates them event by event."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import pyarrow as pa
from kaicep.annotator import EventShape
from kaicep.language.expressions import Span
from kaicep.language.query import AllOf, AnyOf, Semantics, Source, Subquery, Triple, ValueFilter
from kaicep.language.types import ValueType
from kaicep.language.vocabulary import StreamType
from kaicep.ontology import KnowledgeBase
from rdflib import Graph, Literal, URIRef
from rdflib.plugins.sparql.algebra import translateQuery
from rdflib.plugins.sparql.parser import parseQuery
from rdflib.plugins.sparql.parserutils import CompValue

__all__ = ["PREFIXES", "expand", "reference_solutions", "source", "subquery"]

PREFIXES = {
    "bd": "http://cei.usc.edu/Building.owl#",
    "ee": "http://cei.usc.edu/Equipment.owl#",
    "hvc": "http://cei.usc.edu/HVAC.owl#",
    "org": "http://cei.usc.edu/Organization.owl#",
    "evt": "http://cei.usc.edu/Event.owl#",
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
}
_SPAN = Span(0, 0)
_NAME = re.compile(r"(?<![\w<:/])(" + "|".join(PREFIXES) + r"):([A-Za-z]\w*)")
_TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"


def expand(text: str) -> str:
    """The text with the campus's prefixed names written as IRIs."""
    return _NAME.sub(lambda m: f"<{PREFIXES[m[1]]}{m[2]}>", text)


def subquery(text: str, bindings: Sequence[str] = (), variable: str = "e") -> Subquery:
    """The node of `PATH { text }`; one FILTER per FILTER at its top level, written in parentheses and without groups."""
    body = expand(text)
    where = translateQuery(parseQuery(f"SELECT * WHERE {{ {body} }}")).algebra.p.p
    triples: list[Triple] = []
    node: CompValue = where.p if where.name == "Filter" else where
    flat = node.name == "BGP" and "EXISTS" not in text
    if flat:
        triples = [Triple(*t) for t in node.triples]
    filters = [_filter(found) for found in _filters(body)] if flat else []
    return Subquery(variable, body, tuple(triples), tuple(filters), flat, tuple(bindings), _SPAN)


def _filters(body: str) -> list[str]:
    found = []
    for match in re.finditer(r"FILTER\s*\(", body):
        depth, end = 1, match.end()
        while depth:
            depth += {"(": 1, ")": -1}.get(body[end], 0)
            end += 1
        found.append(body[match.end() - 1 : end])
    return found


def _filter(text: str) -> ValueFilter:
    algebra = translateQuery(parseQuery(f"SELECT * WHERE {{ FILTER {text} }}")).algebra.p.p.expr
    return ValueFilter(text, frozenset(re.findall(r"\?(\w+)", text)), algebra)


def source(semantics: Semantics | None, bindings: Mapping[str, ValueType] | None = None) -> Source:
    """A source of event variable `?e` with these PATHs."""
    return Source("e", StreamType("airflowReport", ()), (), semantics, (), tuple((bindings or {}).items()), _SPAN)


def _triples(shape: EventShape, row: Mapping[str, object]) -> list[tuple[URIRef, URIRef, URIRef | Literal]]:
    event = URIRef(str(row["_id"]))
    found: list[tuple[URIRef, URIRef, URIRef | Literal]] = [(event, URIRef(_TYPE), URIRef(c)) for c in shape.types]
    for p in shape.properties:
        value, iri = row[p.column], row[p.individual] if p.individual else None
        if value is not None:
            term = URIRef(str(iri)) if iri is not None else Literal(value, datatype=URIRef(p.datatype))
            found.append((event, URIRef(p.iri), term))
    return found


def reference_solutions(
    semantics: Semantics, shape: EventShape, knowledge: KnowledgeBase, events: pa.Table
) -> list[set[tuple[tuple[str, str], ...]]]:
    """Per event its distinct solutions, as sorted (variable, N-Triples text): LANGUAGE §3 word for word, by rdflib."""
    graph = Graph()
    graph.parse(data="".join(f"{q.triple} .\n" for q in knowledge.store), format="nt")
    found = []
    for row in events.to_pylist():
        triples = [t for t in _triples(shape, row) if t not in graph]
        for triple in triples:
            graph.add(triple)
        found.append(_evaluate(semantics, graph, str(row["_id"])))
        for triple in triples:
            graph.remove(triple)
    return found


def _evaluate(semantics: Semantics, graph: Graph, event: str) -> set[tuple[tuple[str, str], ...]]:
    match semantics:
        case AllOf(parts):
            result: set[tuple[tuple[str, str], ...]] = {()}
            for part in parts:
                more = _evaluate(part, graph, event)
                result = {tuple(sorted(a + b)) for a in result for b in more}
            return result
        case AnyOf(parts):
            return {solution for part in parts for solution in _evaluate(part, graph, event)}
        case Subquery():
            body = re.sub(rf"\?{semantics.variable}\b", f"<{event}>", semantics.text)
            names = " ".join(f"?{n}" for n in semantics.bindings) or "(1 AS ?one)"
            rows = graph.query(f"SELECT DISTINCT {names} {{ {body} }}")
            solutions = set()
            for row in rows:
                assert not isinstance(row, bool | tuple) or isinstance(row, tuple)
                values = row.asdict()  # type: ignore[union-attr]  # rows of a SELECT
                solutions.add(tuple(sorted((n, v.n3()) for n, v in values.items() if n in semantics.bindings)))
            return solutions
