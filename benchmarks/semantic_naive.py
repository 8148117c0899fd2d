"""The baselines: one SPARQL query per event over the closed knowledge, by rdflib and by Oxigraph."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa
import pyoxigraph as ox
from kaicep import Project
from kaicep.language.nodes import Subquery
from rdflib import Graph, Literal, URIRef
from rdflib.plugins.sparql import prepareQuery

from .semantic_stages import STREAM, clock, query_of


@dataclass(frozen=True, slots=True)
class Naive:
    """Events per CPU second, and the ids of those that hold."""

    rate: float
    held: list[str]


def _rows(project: Project, raw: pa.Table) -> list[tuple[str, str, float]]:
    """Id, sensor's IRI and rate of each event; the annotation is not counted."""
    events = project.annotators[STREAM].annotate(raw).events
    source = project.settings.expand("evt:hasSource", "benchmark")
    return list(zip(*(events[name].to_pylist() for name in ("_id", source, "flowrate")), strict=True))


def _body(project: Project) -> str:
    semantics = query_of(project, "query5.chi").sources[0].semantics
    if not isinstance(semantics, Subquery):
        raise TypeError(type(semantics))
    return semantics.text


def rdflib_per_event(project: Project, raw: pa.Table) -> Naive:
    """Put the event's triples into an rdflib graph, ask, take them out again."""
    graph = Graph()
    graph.parse(data="".join(f"{quad.triple} .\n" for quad in project.knowledge.store), format="nt")
    ask = prepareQuery(f"ASK {{ {_body(project)} }}")
    source, airflow = (URIRef(project.settings.expand(n, "benchmark")) for n in ("evt:hasSource", "hvc:airflow"))
    held, rows = [], _rows(project, raw)
    began = clock()
    for name, sensor, rate in rows:
        event = URIRef(name)
        triples = [(event, source, URIRef(sensor)), (event, airflow, Literal(rate))]
        for triple in triples:
            graph.add(triple)
        if graph.query(ask, initBindings={"e": event}).askAnswer:
            held.append(name)
        for triple in triples:
            graph.remove(triple)
    return Naive(len(rows) / (clock() - began), held)


def oxigraph_per_event(project: Project, raw: pa.Table) -> Naive:
    """The same in Oxigraph, the event standing in the place of its variable."""
    store = ox.Store()
    store.bulk_extend(project.knowledge.store)
    ask, variable = f"ASK {{ {_body(project)} }}", ox.Variable("e")
    source, airflow = (ox.NamedNode(project.settings.expand(n, "benchmark")) for n in ("evt:hasSource", "hvc:airflow"))
    held, rows = [], _rows(project, raw)
    began = clock()
    for name, sensor, rate in rows:
        event = ox.NamedNode(name)
        quads = [ox.Quad(event, source, ox.NamedNode(sensor)), ox.Quad(event, airflow, ox.Literal(rate))]
        store.extend(quads)
        if store.query(ask, substitutions={variable: event}):
            held.append(name)
        for quad in quads:
            store.remove(quad)
    return Naive(len(rows) / (clock() - began), held)
