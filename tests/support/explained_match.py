"""A small project that has found a match: its events, a row of its query, and a file that says why it holds."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
from kaicep.archive import ArchivePlace
from kaicep.archive.matches import MatchLog, Provenance
from kaicep.config import Settings
from kaicep.language.nodes import ValueType

from .archives import NINE, SECOND, STREAM, TIME, archived_project

__all__ = ["EVENT", "HIGH", "MATCH", "explained_match"]

HIGH = """CREATE QUERY high AS SELECT ?room AS room, ?e.flowrate AS flow FROM (?e, airflowReport)
PATH { ?e e:sensor ?s . ?room e:has ?s ; a e:Place } FILTER (?e.flowrate > 50)"""
_CONTEXTS = """CREATE CONTEXTS air (calm DEFAULT, windy);
INITIATE CONTEXT windy FROM (?e, airflowReport) FILTER (?e.flowrate = 20);
TERMINATE CONTEXT windy FROM (?e, airflowReport) FILTER (?e.flowrate = 30)"""
MATCH = f"{140:032x}"
EVENT = f"urn:kaicep:event:{STREAM}/s0/140"
"""The one event that it is of, a flow of 70, twenty seconds past two minutes past nine."""
_KEYS = """source = { format = "json", path = "var/inbox/", cleanSource = "delete" }
[streams.airflowReport.attributes]
sensorID = { property = "e:sensor", datatype = "xsd:string" }
flowrate = { property = "e:flow", datatype = "xsd:double" }
[knowledge]
modules = ["rooms.ttl"]
[queries]
files = ["*.chi"]
"""
_ROOMS = """@prefix owl: <http://www.w3.org/2002/07/owl#> . @prefix e: <http://e/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
<http://e/> a owl:Ontology . e:Place a owl:Class ; rdfs:label "place" .
e:Room a owl:Class ; rdfs:subClassOf e:Place . e:has a owl:DatatypeProperty . e:in a owl:ObjectProperty .
e:Room1 a e:Room ; rdfs:label "room 1" ; e:has "s0" ; e:in e:House . e:House a e:Place ; rdfs:label "house" .
"""


def explained_match(root: Path) -> Settings:
    """Write it.

    Args:
        root: an empty folder.
    """
    archived_project(root)
    with (root / "kaicep.toml").open("a", encoding="utf-8") as file:
        file.write(_KEYS)
    (root / "rooms.ttl").write_text(_ROOMS, encoding="utf-8")
    (root / "high.chi").write_text(HIGH, encoding="utf-8")
    (root / "air.chi").write_text(_CONTEXTS, encoding="utf-8")
    settings = Settings.load(root)
    log = MatchLog(ArchivePlace.of(settings).logs)
    log.append(9, [(Provenance("high", HIGH, "k", {"room": ValueType.IRI, "flow": ValueType.DOUBLE}), _row())])
    log.close()
    return settings


def _row() -> pa.Table:
    return pa.table(
        {
            "room": pa.array(["http://e/Room1"], pa.string()),
            "flow": pa.array([70.0], pa.float64()),
            "_time": pa.array([NINE + 140 * SECOND], TIME),
            "_events": pa.array([{"e": [EVENT]}], pa.struct([("e", pa.list_(pa.string()))])),
            "_id": pa.array([MATCH], pa.string()),
        }
    )
