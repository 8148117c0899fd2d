"""Rows of a small project over known events, as `evaluate` gives them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any

from kaicep import Project, Rows

__all__ = ["BEGIN", "READINGS", "aggregates", "pairs", "project", "selected"]

BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
_STREAM = {
    "event_type": "<urn:Reading>",
    "time": {"attribute": "at"},
    "identity": ["sensor", "at"],
    "attributes": {
        "sensor": {"datatype": "xsd:string"},
        "room": {"datatype": "xsd:string"},
        "ppm": {"datatype": "xsd:double", "unit": "unit:PPM"},
        "n": {"datatype": "xsd:integer"},
    },
}
READINGS: list[dict[str, Any]] = [
    {
        "at": (BEGIN + timedelta(minutes=minute)).isoformat(),
        "sensor": f"urn:sensors:s{sensor}",
        "room": "north" if sensor < 2 else "south",
        "ppm": 400.0 + 100 * sensor + 10 * minute,
        "n": minute,
    }
    for minute in range(6)
    for sensor in range(3)
]


@cache
def project() -> Project:
    """One stream `air` of three sensors in two rooms, six minutes long."""
    return Project.parse({"prefixes": {"s": "urn:sensors:"}, "streams": {"air": _STREAM}})


@cache
def selected() -> Rows:
    """The six readings above 600, a row each."""
    return project().evaluate("SELECT ?e.sensor AS sensor, ?e.ppm AS ppm FILTER (?e.ppm > 600)", {"air": READINGS})


@cache
def pairs() -> Rows:
    """Two readings of a sensor, two minutes apart: a pattern over two variables of one stream."""
    text = """SELECT ?a.ppm AS first, ?b.ppm AS then FROM (?a, air), (?b, air)
        FILTER (?a.n = 1) FILTER (?b.n = 3) JOIN (?a.sensor = ?b.sensor) SEQ (?a, ?b) WINDOW (?a, ?b, 1h)"""
    return project().evaluate(text, {"air": READINGS})


@cache
def aggregates() -> Rows:
    """Means of three minutes, by room."""
    text = "SELECT ?e.room AS room, AVG(?e.ppm) AS mean WINDOW (?e, batch, 3min) GROUP BY ?e.room"
    return project().evaluate(text, {"air": READINGS})
