"""A small campus, and events of it that reasons are told of."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyoxigraph as ox
from kaicep import Project
from kaicep.explain.reasons import EventMapping
from kaicep.explain.reasons.event_triples import event_triples
from kaicep.explain.reasons.event_view import EventView
from kaicep.ontology import KnowledgeBase
from kaicep.pipeline.sources.memory_source import raw_table

from .prefixes import turtle_head

__all__ = ["EVENT", "LOCATED", "PREFIXES", "annotated", "campus", "mapping", "node", "view", "write_campus"]

PREFIXES = {name: f"urn:{name}#" for name in ("bd", "ee", "evt", "hvc", "org")}
KNOWLEDGE = """
@prefix owl: <http://www.w3.org/2002/07/owl#> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
ee:AirflowSensor rdfs:subClassOf ee:Sensor . ee:Thermometer rdfs:subClassOf ee:Sensor .
bd:FacultyOffice rdfs:subClassOf bd:Office . bd:Office rdfs:subClassOf bd:Room . bd:Lab rdfs:subClassOf bd:Room .
bd:assignedTo rdfs:subPropertyOf bd:belongsTo . bd:partOf a owl:TransitiveProperty .
bd:locationOf owl:inverseOf bd:hasLocation . hvc:green hvc:limit 500 . evt:Report rdfs:subClassOf evt:Event .
evt:hasSource rdfs:subPropertyOf evt:hasOrigin .
ee:s1 a ee:AirflowSensor ; ee:sensorID "D1-flow" ; bd:hasLocation bd:r1 .
ee:s2 a ee:Thermometer ; ee:sensorID "D2-temp" .
bd:r2 bd:locationOf ee:s2 .
bd:r1 a bd:FacultyOffice ; bd:assignedTo org:EE , org:CS ; bd:partOf bd:floor . bd:floor bd:partOf bd:hall .
bd:r2 a bd:Lab ; bd:belongsTo org:CS .
"""
STREAM = {
    "event_type": "evt:Report",
    "time": {"attribute": "at", "property": "evt:hasTime"},
    "identity": ["sensor", "at"],
    "attributes": {
        "sensor": {"property": "evt:hasSource", "key": "ee:sensorID"},
        "flow": {"property": "hvc:airflow", "datatype": "xsd:double"},
        "note": {"datatype": "xsd:string"},
    },
}
LOCATED = "?e evt:hasSource ?s . ?s bd:hasLocation ?r"
EVENT = "urn:kaicep:event:air/D1-flow/1767225600000000"
"""Of sensor ee:s1, in room bd:r1."""


def write_campus(root: Path) -> Project:
    """The project with its module in a file, which proofs name."""
    (root / "campus.ttl").write_text(turtle_head(PREFIXES) + KNOWLEDGE)
    content: dict[str, Any] = {
        "prefixes": PREFIXES,
        "knowledge": {"modules": ["campus.ttl"]},
        "streams": {"air": STREAM, "door": STREAM},
    }
    return Project.parse(content, root=root)


@cache
def campus() -> KnowledgeBase:
    """The knowledge alone."""
    return KnowledgeBase.of_turtle(turtle_head(PREFIXES) + KNOWLEDGE)


@cache
def _project() -> Project:
    """The streams over that knowledge."""
    return Project.parse({"prefixes": PREFIXES, "streams": {"air": STREAM}}).with_knowledge(campus())


def annotated(sensor: str = "D1-flow", flow: float = 430.0) -> pa.Table:
    """The event table of one reading."""
    reading = {"sensor": sensor, "at": "2026-01-01T00:00:00Z", "flow": flow}
    return _project().annotators["air"].annotate(raw_table([reading])).events


def mapping() -> EventMapping:
    """What of the stream's annotation reasons need."""
    annotator = _project().annotators["air"]
    return EventMapping(annotator.shape, annotator.linkers)


@contextmanager
def view(sensor: str = "D1-flow", flow: float = 430.0) -> Iterator[EventView]:
    """The knowledge with one reading in it."""
    found, one = EventView(campus(), {}), mapping()
    with found.holding(event_triples(found, one.shape, annotated(sensor, flow), one.linkers)):
        yield found


def node(name: str) -> ox.NamedNode:
    """The node of a prefixed name."""
    prefix, _, local = name.partition(":")
    return ox.NamedNode(PREFIXES[prefix] + local)
