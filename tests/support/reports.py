"""Airflow reports of a small campus, and what the oracle answers about them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from oracle import evaluate

from .campus import file_of
from .prefixes import CAMPUS

BEGIN = datetime(2012, 5, 4, 9, 30, tzinfo=UTC)
KNOWLEDGE = """
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix bd: <http://cei.usc.edu/Building.owl#> . @prefix ee: <http://cei.usc.edu/Equipment.owl#> .
@prefix hvc: <http://cei.usc.edu/HVAC.owl#> . @prefix org: <http://cei.usc.edu/Organization.owl#> .
@prefix evt: <http://cei.usc.edu/Event.owl#> .
hvc:airflow owl:equivalentProperty hvc:airvolume .
hvc:GreenOfficeAirflow hvc:hasValue 500 .
bd:FacultyOffice rdfs:subClassOf bd:Office . bd:Office rdfs:subClassOf bd:Room .
bd:assignedTo rdfs:subPropertyOf bd:belongsTo .
evt:AirflowReport rdfs:subClassOf evt:SensorEvent .
ee:D105 a ee:AirflowSensor ; bd:hasLocation bd:d105 . bd:d105 a bd:FacultyOffice ; bd:assignedTo org:EEDepartment .
ee:M1 a ee:AirflowSensor ; bd:hasLocation bd:m1 . bd:m1 a bd:MeetingRoom ; bd:belongsTo org:EEDepartment .
ee:HALL a ee:AirflowSensor ; bd:hasLocation bd:h1 , bd:h2 . bd:h1 bd:capacity 80 . bd:h2 bd:capacity 20 .
"""
PROJECT: dict[str, Any] = {
    "prefixes": CAMPUS,
    "knowledge": {"modules": [file_of(KNOWLEDGE)]},
    "streams": {
        "airflowReport": {
            "event_type": "evt:AirflowReport",
            "time": {"attribute": "timestamp", "property": "evt:hasTime"},
            "identity": ["sensorID", "timestamp"],
            "lateness": "2s",
            "attributes": {
                "sensorID": {"property": "evt:hasSource", "individual": "ee:{}"},
                "flowrate": {"same_as": "hvc:airflow", "datatype": "xsd:double"},
            },
        }
    },
}


def at(seconds: float) -> datetime:
    return BEGIN + timedelta(seconds=seconds)


def report(seconds: float, flow: float | None, sensor: str | None = "D105") -> dict[str, object]:
    return {"sensorID": sensor, "timestamp": at(seconds).isoformat(), "flowrate": flow}


def ask(text: str, *reports: Mapping[str, object], registered_at: datetime | None = None) -> list[dict[str, Any]]:
    return evaluate(PROJECT, text, {"airflowReport": list(reports)}, registered_at)


def seconds_of(rows: Sequence[Mapping[str, Any]]) -> list[float]:
    return [(row["_time"] - BEGIN).total_seconds() for row in rows]


def column(rows: Sequence[Mapping[str, Any]], name: str) -> list[object]:
    return [row[name] for row in rows]


def flows(rows: Sequence[Mapping[str, Any]]) -> list[object]:
    return column(rows, "flowrate")


ALL = "SELECT ?e.flowrate"
LOCATED = "?e evt:hasSource ?src . ?src bd:hasLocation ?loc ."
PAIR = "FROM (?a, airflowReport), (?b, airflowReport)"
