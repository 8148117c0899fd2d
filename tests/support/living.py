"""Sensors in rooms, and a data flow over them whose ontology modules change; no Spark."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
from kaicep import Project
from kaicep.archive import Archive
from kaicep.pipeline.durability.checkpointed_flow import CheckpointedFlow
from kaicep.pipeline.sources.memory_source import raw_table
from kaicep.pipeline.sources.records import RawBatch, RecordOrigin

from .prefixes import turtle_head

__all__ = ["BASE", "IN_OFFICES", "archive_of", "batch", "project", "rooms", "sensors_of", "turtle"]

IN_OFFICES = "SELECT ?e.sensor AS sensor PATH {?e ex:sensor ?s . ?s ex:in ?r . ?r a ex:Office}"
BASE = """ex:base a owl:Ontology . ex:in a owl:ObjectProperty . ex:sensor a owl:ObjectProperty .
ex:Office a owl:Class . ex:Store a owl:Class ; owl:disjointWith ex:Office . ex:r1 a ex:Office . ex:r2 a ex:Store .
ex:limit a owl:DatatypeProperty . ex:key a owl:DatatypeProperty .
"""


def turtle(folder: Path, name: str, text: str) -> Path:
    """A module in Turtle with the prefixes that it needs."""
    prefixes = {"ex": "urn:ex:", "owl": "http://www.w3.org/2002/07/owl#", "xsd": "http://www.w3.org/2001/XMLSchema#"}
    prefixes["rdfs"] = "http://www.w3.org/2000/01/rdf-schema#"
    path = folder / name
    path.write_text(turtle_head(prefixes) + text, encoding="utf-8")
    return path


def rooms(**places: str) -> str:
    """Which sensor is in which room."""
    return " ".join(f'ex:{sensor} ex:in ex:{room} ; ex:key "{sensor}" .' for sensor, room in places.items())


def project(
    folder: Path,
    *,
    link: Mapping[str, str] | None = None,
    archive: bool = False,
    flow: str | None = "xsd:double",
    **tables: object,
) -> Project:
    """A project with one module, in which s1 is in an office, s2 and s3 in a store."""
    if not (folder / "base.ttl").exists():
        turtle(folder, "base.ttl", BASE + rooms(s1="r1", s2="r2", s3="r2"))
    attribute = {"property": "ex:flow"} | ({} if flow is None else {"datatype": flow})
    stream = {
        "event_type": "<urn:Report>",
        "time": {"attribute": "at"},
        "attributes": {"sensor": {"property": "ex:sensor", **(link or {"individual": "ex:{}"})}, "flow": attribute},
    }
    content = {"prefixes": {"ex": "urn:ex:"}, "knowledge": {"modules": ["base.ttl"]}, "streams": {"air": stream}}
    return Project.parse({**content, "archive": {"enabled": archive}, **tables}, root=folder)


def archive_of(project: Project) -> Archive:
    """The archive of a project."""
    return Archive(project.settings, project.knowledge, {n: a.shape for n, a in project.annotators.items()})


def batch(number: int, sensors: Sequence[str] = ("s1", "s2", "s3"), **more: Any) -> dict[str, RawBatch]:
    """A report of each sensor, in the second that the batch's number says; a last one of nobody makes them certain."""
    rows = [
        {"sensor": s, "at": f"2026-01-01T00:00:{number:02d}.{i:03d}Z", **more} for i, s in enumerate([*sensors, "none"])
    ]
    return {"air": RawBatch(raw_table(rows), (), RecordOrigin.of("test"))}


def sensors_of(flow: CheckpointedFlow, number: int, label: str = "offices") -> list[str]:
    """The sensors that a query reports of a batch."""
    rows: pa.Table = flow.run(number, batch(number)).matches[label]
    return [str(sensor) for sensor in rows["sensor"].to_pylist()]
