"""What a server of three rooms would say of streams, knowledge and archive: the answers of the page's tests."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from support.building_rows import BRICK, LIGHTS, NOW, ROBOD, ROOMS, TEXT, iso, wave

__all__ = ["ANSWERS"]


def _stream(name: str, kind: str, rate: float, lag: float, records: int, **more: int) -> dict[str, Any]:
    told = {"name": name, "class": kind, "rate": rate, "lag_s": lag, "newest": iso(NOW), "records": records}
    return told | {"late": 0, "duplicates": 0, "dead": 0, "unlinked": 0, "source": f"json: var/inbox/{name}/"} | more


def _windows() -> list[dict[str, Any]]:
    windows: list[dict[str, Any]] = []
    order = ("fine", "raised", "seen", "fine", "raised")
    for number, room in enumerate(ROOMS):
        time = NOW - timedelta(hours=10)
        for n, context in enumerate(order):
            end = None if n == len(order) - 1 - number % 2 else time + timedelta(minutes=70 + 40 * number + 25 * n)
            windows.append({"context": context, "key": {"room": f"{ROBOD}{room}"}, "from": iso(time)})
            windows[-1]["to"] = None if end is None else iso(end)
            if end is None:
                break
            time = end
    return windows


_LATELY = {"from": iso(NOW - timedelta(hours=24)), "to": iso(NOW)}


def _attribute(name: str, kind: str, property_: str, *, individual: bool = False) -> dict[str, Any]:
    told = {"name": name, "type": kind, "unit": None, "property": f"http://www.w3.org/ns/sosa/{property_}"}
    return told | {"individual": individual}


_DAY = timedelta(days=1)
_COVERED = [[iso(NOW - 29 * _DAY), iso(NOW - 17 * _DAY)], [iso(NOW - 15.5 * _DAY), iso(NOW - 3.2 * _DAY)]]
_COVERED.append([iso(NOW - 3 * _DAY), iso(NOW)])
_GAPS = [[iso(NOW - 17 * _DAY), iso(NOW - 15.5 * _DAY), None]]
_GAPS.append([iso(NOW - 3.2 * _DAY), iso(NOW - 3 * _DAY), "segments are in quarantine: kaicep repair"])
_ATTRIBUTES = [
    _attribute("point", "string", "madeBySensor", individual=True),
    _attribute("value", "double", "hasSimpleResult"),
    _attribute("timestamp", "dateTime", "resultTime"),
]
_IDS = {
    "attribute": "point",
    "by": f"{ROBOD}{{}}",
    "known": 71,
    "unknown": 2,
    "events": 1204,
    "examples": [
        {"name": "room4_co2", "events": 1100, "nearest": ["room1_co2"], "reason": ""},
        {"name": "lobby", "events": 104, "nearest": [], "reason": ""},
    ],
    "classes": {f"{BRICK}CO2_Sensor": 3, f"{BRICK}Occupancy_Sensor": 3},
    "advice": "add these to rooms.ttl, or map them under [streams.reading.values]",
}
_REPORT = {"stream": "reading", "events": 609316, "rejected": 3, "missing": {}, "undeclared": {"quality": 42}}
_MAPPING = {"streams": [_REPORT | {"ids": [_IDS], "units": []}], "queries": []}
_CLASSES = {
    "": [
        ("Equipment", 24, 0, True),
        ("Location", 11, 0, True),
        ("Point", 73, 0, True),
        ("prov:Agent", 0, 0, False),
        ("foaf:Agent", 0, 0, False),
    ],
    f"{BRICK}Point": [("Sensor", 61, 4, True), ("Setpoint", 9, 9, False), ("Command", 3, 3, False)],
    f"{BRICK}Sensor": [
        ("CO2_Sensor", 3, 3, False),
        ("Occupancy_Sensor", 3, 3, False),
        ("Humidity_Sensor", 5, 5, False),
    ],
    f"{BRICK}Location": [("Room", 3, 0, True), ("Building", 1, 1, False)],
    f"{BRICK}Equipment": [("AHU", 1, 1, False), ("VAV", 3, 3, False)],
}
_SPACES = {"": BRICK, "prov": "http://www.w3.org/ns/prov#", "foaf": "http://xmlns.com/foaf/0.1/"}


def _class(name: str, individuals: int, direct: int, below: bool) -> dict[str, Any]:
    prefix, _, local = name.rpartition(":")
    iri = f"{_SPACES[prefix]}{local}"
    told = {"iri": iri, "prefixed": f"{prefix or 'brick'}:{local}", "label": local.replace("_", " ")}
    return told | {"individuals": individuals, "direct": direct, "subclasses": below}


def _triple(name: str, value: str, label: str | None = None, *, incoming: bool = False) -> dict[str, Any]:
    told = {"property": f"{BRICK}{name}", "value": value, "label": label, "incoming": incoming}
    return told | {"iri": value.startswith("http")}


_INDIVIDUAL = {
    "iri": f"{ROBOD}room1",
    "prefixed": "robod:room1",
    "label": "Lecture room 1",
    "classes": [f"{ROBOD}Lecture_Room", f"{BRICK}Room"],
    "triples": [
        _triple("isPartOf", f"{ROBOD}sde4", "SDE4"),
        _triple("area", "151.5"),
        _triple("isPointOf", f"{ROBOD}room1_indoor_co2", "Room 1 indoor CO2", incoming=True),
        _triple("isPointOf", f"{ROBOD}room1_occupancy", "Room 1 occupancy", incoming=True),
        _triple("feeds", f"{ROBOD}vav1", "VAV box 1", incoming=True),
    ],
}
_VOCABULARY = {
    "streams": [{"name": "reading", "attributes": _ATTRIBUTES}, {"name": "desk", "attributes": []}],
    "classes": [
        {
            "iri": f"{BRICK}{n}",
            "prefixed": f"brick:{n}",
            "label": n.replace("_", " "),
            "labels": [n.replace("_", " "), de],
        }
        for n, de in {
            "CO2_Sensor": "CO2-Fühler",
            "Occupancy_Sensor": "Präsenzmelder",
            "Room": "Raum",
            "Humidity_Sensor": "Feuchtefühler",
            "AHU": "Lüftungsgerät",
        }.items()
    ],
    "properties": [
        {"iri": f"{BRICK}isPointOf", "prefixed": "brick:isPointOf", "label": "is point of", "labels": []},
        {
            "iri": "http://www.w3.org/ns/sosa/madeBySensor",
            "prefixed": "sosa:madeBySensor",
            "label": "made by sensor",
            "labels": ["made by sensor"],
        },
    ],
    "functions": [
        {"name": "AVG", "signature": "AVG(number) → double", "doc": "The mean of the values."},
        {"name": "HOURS", "signature": "HOURS(dateTime) → integer", "doc": "The hour of a moment."},
    ],
    "keywords": [
        "CREATE",
        "QUERY",
        "SELECT",
        "FROM",
        "WHERE",
        "FILTER",
        "PATH",
        "WINDOW",
        "JOIN",
        "SEQ",
        "GROUP",
        "BY",
    ],
    "prefixes": {"brick": BRICK, "robod": ROBOD},
    "contexts": [{"set": "alarm", "contexts": ["fine", "raised", "seen"]}],
}
_TREE = {
    "label": "query staleAir",
    "text": "pattern",
    "children": [
        {
            "label": f"?{v} from reading",
            "text": "",
            "children": [
                {"label": "filter on columns", "text": f"?{v}.value {c}", "children": []},
                {
                    "label": "semantic filter",
                    "text": "",
                    "children": [
                        {
                            "label": f"PATH of ?{v}",
                            "text": "",
                            "children": [
                                {"label": "key", "text": "point (sosa:madeBySensor)", "children": []},
                                {
                                    "label": "verdicts",
                                    "text": "of all individuals, ahead: 2 hold, 2 solutions",
                                    "children": [],
                                },
                            ],
                        }
                    ],
                },
            ],
        }
        for v, c in (("co2", "> 600"), ("presence", "= 1"))
    ]
    + [
        {"label": "operator", "text": "correlates candidates", "children": []},
        {"label": "join", "text": "?room = ?occupied", "children": []},
        {"label": "window", "text": "?co2, ?presence lie within 1min", "children": []},
    ],
}


def _alarms() -> list[dict[str, Any]]:
    """One that nobody has seen, one that Ada has, and one that is over."""
    told = {"set": "alarm", "query": "staleAir", "acknowledged": None, "who": None, "cleared": None, "by": None}
    seen = {"state": "acknowledged", "acknowledged": iso(NOW - timedelta(minutes=20)), "who": "Ada"}
    over = {"state": "cleared", "cleared": iso(NOW - timedelta(hours=5))}
    return [
        {
            **told,
            "id": f"{n:032x}",
            "key": {"room": f"{ROBOD}{ROOMS[n]}"},
            "raised": iso(NOW - timedelta(hours=n + 1)),
            **one,
        }
        for n, one in enumerate(({"state": "raised", "by": "desk"}, seen, over))
    ]


_CONTEXTS = [
    {"name": "fine", "default": True},
    {"name": "raised", "default": False},
    {"name": "seen", "default": False},
]
_HEARD = {"from": iso(NOW - 29 * _DAY), "to": iso(NOW)}
_ASKED = {
    "head": {"vars": ["room", "time", "ppm"]},
    "results": {
        "bindings": [
            {
                "room": {"type": "uri", "value": f"{ROBOD}{ROOMS[n % 3]}"},
                "time": {"type": "literal", "value": iso(NOW - timedelta(hours=12 - n / 4))},
                "ppm": {
                    "type": "literal",
                    "value": str(wave(n * 15, 560, 190, 7)),
                    "datatype": "http://www.w3.org/2001/XMLSchema#double",
                },
            }
            for n in range(48)
        ]
    },
}

ANSWERS: dict[str, Any] = {
    "/streams": [
        _stream("reading", "sosa:Observation", 21.4, 2.1, 609316, dead=3, late=41, duplicates=12),
        _stream("desk", "robod:Desk", 0.02, 340.0, 218),
        _stream("weather", "sosa:Observation", 0.3, 41.0, 8352),
    ],
    "/streams/reading": {
        "time": "timestamp",
        "name": "reading",
        "class": "sosa:Observation",
        "attributes": _ATTRIBUTES,
        "identity": ["point", "timestamp"],
        "lateness": "5s",
        "source": "json: var/inbox/reading/",
        "mapping": _MAPPING,
    },
    "/contexts": [{"set": "alarm", "contexts": _CONTEXTS, "key": ["room"], **_LATELY, "windows": _windows()}],
    "/alarms": _alarms(),
    "/ontologies": {
        "modules": [
            {"name": "brick:1.5", "iri": BRICK, "triples": 53812, "imports": [], "imported": True},
            {
                "name": "rooms.ttl",
                "iri": "https://example.org/robod",
                "triples": 1204,
                "imports": [BRICK],
                "imported": False,
            },
        ],
        "triples": 61_004,
        "contradictions": [],
        "warnings": [],
    },
    "/archive": {
        "events": 617886,
        "bytes": 5_242_880,
        **_HEARD,
        "streams": [
            {"name": "reading", "events": 609316, **_HEARD, "covered": _COVERED, "gaps": _GAPS},
            {"name": "weather", "events": 8352, **_HEARD, "covered": [[iso(NOW - 29 * _DAY), iso(NOW)]], "gaps": []},
        ],
    },
    "/ready": {"ready": True, "reason": None},
    "/examples": [{"label": "Stale air", "text": TEXT}, {"label": "Lighting per hour", "text": LIGHTS}],
    "/vocabulary": _VOCABULARY,
    "/sparql": _ASKED,
    "classes": {parent: [_class(*row) for row in rows] for parent, rows in _CLASSES.items()},
    "individual": _INDIVIDUAL,
    "mapping": _MAPPING,
    "plan": _TREE,
}
