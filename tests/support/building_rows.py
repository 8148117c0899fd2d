"""Queries, matches and values of three rooms, the same at every run: what the page's tests are shown."""

from __future__ import annotations

import math
import random
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any

__all__ = [
    "BRICK",
    "LIGHTS",
    "NOW",
    "QUERIES",
    "ROBOD",
    "ROOMS",
    "TEXT",
    "chart",
    "identity",
    "iso",
    "matches",
    "problems",
    "recent",
    "warnings",
    "wave",
    "why",
]

NOW = datetime(2026, 6, 1, 14, 30, tzinfo=UTC)
ROBOD = "https://example.org/robod#"
BRICK = "https://brickschema.org/schema/Brick#"
ROOMS = ("room1", "room2", "room3")

TEXT = """# Stale air: the CO2 of a lecture room passes 600 ppm while people are in it.
CREATE QUERY staleAir AS
SELECT ?room AS room, ?co2.value AS ppm
FROM (?co2, reading), (?presence, reading)
WHERE {
  PATH { ?co2 sosa:madeBySensor ?sensor .
         ?sensor a brick:CO2_Sensor ; brick:isPointOf ?room .
         ?room a robod:Lecture_Room }
  PATH { ?presence sosa:madeBySensor ?detector .
         ?detector a brick:Occupancy_Sensor ; brick:isPointOf ?occupied }
  FILTER (?co2.value > 600)
  FILTER (?presence.value = 1)
  JOIN (?room = ?occupied)
  WINDOW (?co2, ?presence, 1min)
}
"""
LIGHTS = """CREATE QUERY lightingPerHour AS
SELECT ?room AS room, SUM(?e.value) AS kwh
FROM (?e, reading)
WHERE {
  PATH { ?e sosa:madeBySensor ?meter . ?meter brick:isPointOf ?lights . ?lights brick:hasLocation ?room }
  WINDOW (?e, batch, 1h)
}
GROUP BY ?room
"""
_ALARM = """CREATE CONTEXTS alarm (fine DEFAULT, raised, seen) BY room;
SWITCH CONTEXT raised (?e.value) FROM (?e, reading) IN CONTEXT fine FILTER (?e.value > 900);
SWITCH CONTEXT seen FROM (?d, desk) IN CONTEXT raised FILTER (?d.says = 'seen');
SWITCH CONTEXT fine FROM (?e, reading) IN CONTEXT raised, seen FILTER (?e.value < 700)
"""
_TELL = "CREATE RULE tell ON staleAir AS ?t DO CALL callOps(?t.room AS room)"


def iso(moment: datetime) -> str:
    """A moment as the server writes it."""
    return moment.isoformat().replace("+00:00", "Z")


def identity(text: str) -> str:
    """An `_id` such as rows have."""
    return sha256(text.encode()).hexdigest()[:32]


def _query(label: str, kind: str, text: str, matches: int, **more: Any) -> dict[str, Any]:
    return {
        "label": label,
        "kind": kind,
        "state": "running",
        "matches": matches,
        "text": text,
        "submitted": True,
        "named": True,
        "columns": ["room", "ppm"],
        "reads": ["reading"],
        "reason": None,
        "latency": 0.42,
        "priority": 0,
        **more,
    }


QUERIES: list[dict[str, Any]] = [
    _query("staleAir", "query", TEXT, 253),
    _query("lightingPerHour", "query", LIGHTS, 696, submitted=False),
    _query("noAirFlow", "query", LIGHTS.replace("lightingPerHour", "noAirFlow"), 11, priority=2),
    _query(
        "dampRoom",
        "query",
        LIGHTS.replace("lightingPerHour", "dampRoom"),
        363,
        state="parked",
        reason="more than 1,000,000 partial matches: a WINDOW that is shorter, or a FILTER, would bound them",
    ),
    _query("tell", "rule", _TELL, 253),
    _query("alarm", "contexts", _ALARM, 48),
]


def wave(minute: int, base: float, height: float, seed: int) -> float:
    """A value of a day that rises and falls, with noise."""
    noise = random.Random(seed * 100_003 + minute).uniform(-1, 1)
    day = math.sin(minute / 1440 * 2 * math.pi - 1.2)
    return round(base + height * max(day, -0.35) + noise * height * 0.08, 1)


def matches(label: str, count: int = 60) -> list[dict[str, Any]]:
    """Rows of a query, oldest first."""
    rows = []
    for n in range(count):
        room, moment = ROOMS[n * 7 % 3], NOW - timedelta(minutes=13 * (count - n))
        found = {"ppm" if label == "staleAir" else "kwh": wave(n * 31, 640, 180, 5), "room": f"{ROBOD}{room}"}
        events = {"co2": [f"urn:kaicep:event:reading/{room}_co2/{n}"]}
        rows.append(found | {"_time": iso(moment), "_events": events, "_id": identity(f"{label}/{n}")})
    return rows


def recent(number: int) -> dict[str, Any]:
    """One of the newest events."""
    point = f"room{number % 3 + 1}_co2"
    found = {"point": point, "timestamp": iso(NOW), "value": 500.0 + number}
    return {"_id": f"urn:kaicep:event:reading/{point}/{number}", "_time": iso(NOW), **found}


def chart(label: str) -> dict[str, Any]:
    """A day of three series, every five minutes."""
    start, series = NOW - timedelta(hours=24), []
    for seed, room in enumerate(ROOMS):
        values = [(start + timedelta(minutes=5 * n), wave(5 * n, 480 + 40 * seed, 220, seed)) for n in range(289)]
        series.append({"name": f"CO2 {room}", "unit": "ppm", "points": [[iso(time), value] for time, value in values]})
    marks = [{"id": row["_id"], "time": row["_time"]} for row in matches(label)]
    return {"series": series, "threshold": [600.0], "matches": marks, "from": iso(start), "to": iso(NOW)}


def problems(text: str) -> list[dict[str, Any]]:
    """A typo that the tests make, where it is."""
    found = []
    for number, line in enumerate(text.splitlines(), start=1):
        if (at := line.find("valeu")) >= 0:
            place = {"line": number, "column": at + 1, "end_line": number, "end_column": at + 6}
            message, hint = (
                "unknown attribute 'valeu' of stream 'reading'",
                "did you mean 'value' (= sosa:hasSimpleResult)?",
            )
            shown = f"query:{number}:{at + 1}: {message}\n  {number} | {line}\n    |{' ' * at} ^^^^^ {hint}"
            found.append({"message": message, "hint": hint, "text": shown, **place})
    return found


def warnings(text: str) -> list[str]:
    """Likewise a class that nobody knows, told as the server tells warnings."""
    found = []
    for number, line in enumerate(text.splitlines(), start=1):
        if (at := line.find("brick:CO2_Senser")) >= 0:
            caret = f"    |{' ' * at} {'^' * 16} did you mean 'brick:CO2_Sensor'?"
            found.append(f"query:{number}:{at + 1}: unknown class brick:CO2_Senser\n  {number} | {line}\n{caret}")
    return found


def _proof(subject: str, predicate: str, target: str, source: str) -> dict[str, Any]:
    return {"triple": [f"<{subject}>", f"<{predicate}>", f"<{target}>"], "origin": "module", "sources": [source]}


def _derived(room: str) -> dict[str, Any]:
    kind, sub = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type", "http://www.w3.org/2000/01/rdf-schema#subClassOf"
    premises = [
        _proof(f"{ROBOD}{room}", kind, f"{ROBOD}Lecture_Hall", "rooms.ttl"),
        _proof(f"{ROBOD}Lecture_Hall", sub, f"{ROBOD}Lecture_Room", "vocabulary.ttl"),
    ]
    triple = [f"<{ROBOD}{room}>", f"<{kind}>", f"<{ROBOD}Lecture_Room>"]
    return {"triple": triple, "rule": "cax-sco", "premises": premises}


def _candidacy(variable: str, room: str, kind: str, clause: str, note: str) -> dict[str, Any]:
    sensor = f"{ROBOD}{room}_{kind.lower()}"
    types = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
    parts = [
        {
            "kind": "pattern",
            "text": f"robod:{room}_{kind.lower()} a brick:{kind}",
            "holds": True,
            "proofs": [_proof(sensor, types, f"{BRICK}{kind}", "rooms.ttl")],
        },
        {"kind": "pattern", "text": f"robod:{room} a robod:Lecture_Room", "holds": True, "proofs": [_derived(room)]},
    ]
    path = {"kind": "path", "text": f"PATH of ?{variable}", "holds": True, "parts": parts}
    clauses = [path, {"kind": "clause", "text": clause, "holds": True, "note": note}]
    return {"variable": variable, "holds": True, "failed": None, "clauses": clauses}


def why(match: str, label: str) -> dict[str, Any]:
    """Why there is a row: its two events, and what held of them."""
    row = next((row for row in matches(label) if row["_id"] == match), matches(label)[0])
    moment, room = datetime.fromisoformat(row["_time"]), str(row["room"]).rpartition("#")[2]
    found = {"co2": ("CO2_Sensor", row.get("ppm", 612.5), 38), "presence": ("Occupancy_Sensor", 1, 4)}
    events, reasons = [], []
    for variable, (kind, value, seconds) in found.items():
        time = iso(moment - timedelta(seconds=seconds))
        name, about = f"urn:kaicep:event:reading/{room}_{kind.lower()}/{seconds}", f"?{variable}.value is {value}"
        attributes = {"point": f"{room}_{kind.lower()}", "value": value, "timestamp": time}
        events.append({"id": name, "stream": "reading", "time": time, "attributes": attributes, "variable": variable})
        clause = f"FILTER (?{variable}.value {'> 600' if variable == 'co2' else '= 1'})"
        candidacy = _candidacy(variable, room, kind, clause, about)
        reasons.append(
            {"query": label, "stream": "reading", "event": name, "attributes": attributes, "holds": True}
            | {"candidacies": [candidacy]}
        )
    return {"match": row, "events": events, "reasons": reasons, "contexts": None, "notes": []}
