"""Random projects: a tiny campus of sensors in rooms of departments, and one or two streams about it."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from hypothesis import strategies as st

from .prefixes import CAMPUS, STANDARD, turtle_head

__all__ = ["SENSORS", "Campus", "campus", "campuses", "file_of", "knowledge_base"]

SENSORS = ("s0", "s1", "s2", "s 9")
"""The last one is unknown to the knowledge base, and its name needs escaping in IRIs."""

SCHEMA = """
bd:Room a owl:Class . bd:Office a owl:Class ; rdfs:subClassOf bd:Room .
bd:FacultyOffice a owl:Class ; rdfs:subClassOf bd:Office . bd:Workplace a owl:Class ; owl:equivalentClass bd:Office .
bd:MeetingRoom a owl:Class ; rdfs:subClassOf bd:Room .
ee:Sensor a owl:Class . ee:AirflowSensor a owl:Class ; rdfs:subClassOf ee:Sensor .
org:Department a owl:Class . evt:SensorEvent a owl:Class .
evt:AirflowReport a owl:Class ; rdfs:subClassOf evt:SensorEvent .
evt:DoorReport a owl:Class ; rdfs:subClassOf evt:SensorEvent .
bd:hasLocation a owl:ObjectProperty ; rdfs:range bd:Room .
bd:isLocationOf a owl:ObjectProperty ; owl:inverseOf bd:hasLocation .
bd:belongsTo a owl:ObjectProperty ; rdfs:range org:Department .
bd:assignedTo a owl:ObjectProperty ; rdfs:subPropertyOf bd:belongsTo .
bd:capacity a owl:DatatypeProperty ; rdfs:range xsd:integer .
bd:shelf bd:code 3 , "blue" , bd:r0 .
bd:label a owl:DatatypeProperty ; rdfs:range xsd:string .
evt:hasSource a owl:ObjectProperty ; rdfs:range ee:Sensor ; rdfs:subPropertyOf evt:hasOrigin .
evt:hasOrigin a owl:ObjectProperty . evt:hasTime a owl:DatatypeProperty .
hvc:airflow a owl:DatatypeProperty ; rdfs:range xsd:double .
hvc:hasValue a owl:DatatypeProperty ; rdfs:range xsd:integer . hvc:GreenOfficeAirflow hvc:hasValue 500 .
ee:sensorID a owl:DatatypeProperty .
"""


@dataclass(frozen=True)
class Campus:
    """A project and what a query about it may say.

    Attributes:
        seed: what it was made from; equal campuses have equal seeds.
        settings: content of a project file.
        streams: names of its streams.
        spellings: how queries and tuples may spell the air flow attribute, its declared name first.
        lateness_s: lateness of all streams, in seconds.
        turtle: its knowledge base.
    """

    seed: int
    settings: Mapping[str, Any]
    streams: tuple[str, ...]
    spellings: tuple[str, ...]
    lateness_s: int
    turtle: str


@cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="kaicep-campus-")


def file_of(turtle: str) -> str:
    """A Turtle file with that text, the same one for the same text; it lives as long as the tests run."""
    name = hashlib.sha256(turtle.encode()).hexdigest()[:16]
    path = Path(_folder().name) / f"{name}.ttl"
    if not path.exists():
        path.write_text(turtle, encoding="utf-8")
    return str(path)


def campuses() -> st.SearchStrategy[Campus]:
    """Projects over random knowledge bases: a few dozen, so that what is made for one is made once."""
    return st.integers(0, 47).map(campus)


@cache
def campus(seed: int) -> Campus:
    """The project that a seed stands for; the first is the simplest."""
    rng = Random(seed)
    equivalent = rng.random() < 0.5
    turtle = knowledge_base(rng, equivalent=equivalent)
    lateness = rng.choice((0, 2, 5)) if seed else 0
    identity = rng.choice(((), ("sensorID", "timestamp"), ("seq",), ("sensorID", "timestamp")))
    link = rng.choice(({"individual": "ee:{}"}, {"individual": "ee:{}"}, {"key": "ee:sensorID"}))
    airflow = _stream("evt:AirflowReport", link, identity, lateness)
    airflow["attributes"]["flowrate"] = {"same_as": "hvc:airflow"}
    streams = {"airflowReport": airflow}
    if seed and rng.random() < 0.25:
        streams["doorReport"] = _stream("evt:DoorReport", link, identity, lateness)
        streams["doorReport"]["attributes"]["flowrate"] = {"datatype": "xsd:double"}
    settings = {"prefixes": CAMPUS, "knowledge": {"modules": [file_of(turtle)]}, "streams": streams}
    spellings = ("flowrate", "airflow", "airvolume") if equivalent else ("flowrate", "airflow")
    return Campus(seed, settings, tuple(streams), spellings, lateness, turtle)


def _stream(event_type: str, link: dict[str, str], identity: tuple[str, ...], lateness: int) -> dict[str, Any]:
    return {
        "event_type": event_type,
        "time": {"attribute": "timestamp", "property": "evt:hasTime"},
        "identity": list(identity),
        "lateness": f"{lateness}s",
        "attributes": {
            "sensorID": {"property": "evt:hasSource", **link},
            "level": {"datatype": "xsd:integer"},
            "note": {"datatype": "xsd:string"},
            "open": {"datatype": "xsd:boolean"},
            "since": {"datatype": "xsd:dateTime"},
            "seq": {"datatype": "xsd:integer", "unit": "unit:NUM"},
        },
    }


def knowledge_base(rng: Random, *, equivalent: bool) -> str:
    """A knowledge base as Turtle: three rooms, three sensors, two departments."""
    lines = [turtle_head(STANDARD | CAMPUS), SCHEMA]
    if equivalent:
        lines.append("hvc:airvolume a owl:DatatypeProperty ; owl:equivalentProperty hvc:airflow .")
    lines += [_room(rng, room) for room in ("r0", "r1", "r2")]
    for sensor in SENSORS[:-1]:
        kind = rng.choice(("AirflowSensor", "AirflowSensor", "Sensor"))
        places = rng.choice(("bd:r0", "bd:r1", "bd:r2", "bd:r0 , bd:r1"))
        lines.append(f'ee:{sensor} a ee:{kind} ; ee:sensorID "{sensor}" ; bd:hasLocation {places} .')
    return "\n".join(lines)


def _room(rng: Random, room: str) -> str:
    kind = rng.choice(("FacultyOffice", "Office", "MeetingRoom", "Workplace"))
    belongs = rng.choice(("bd:belongsTo", "bd:assignedTo"))
    said = f"bd:{room} a bd:{kind} ; {belongs} {rng.choice(('org:EE', 'org:CS', 'org:EE , org:CS'))}"
    capacity = rng.choice((None, 3, 5, 500))
    label = rng.choice((None, "blue", "green"))
    code = rng.choice((None, "3", '"blue"', "bd:r0", "4.5", "3 , 'blue'"))
    said += f" ; bd:capacity {capacity}" if capacity is not None else ""
    said += f" ; bd:code {code}" if code is not None else ""
    said += f' ; bd:label "{label}"' if label is not None else ""
    return said + " ."
