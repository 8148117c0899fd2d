"""The Brick model of ROBOD's rooms, made from the publisher's tables of rooms and points.

`python -m kaicep.examples.robod.model` writes `rooms.ttl` anew. Rooms, points, classes, units and the kind of
terminal unit are the tables'; how points hang on equipment is `EQUIPMENT` and `PLACES` below.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from .readings import DATA, load_points

ROOMS_FILE = Path(__file__).parent / "rooms.ttl"

_HEADER = """\
# Brick model of the ROBOD rooms. Made by `python -m kaicep.examples.robod.model`; do not edit.

@prefix brick: <https://brickschema.org/schema/Brick#> .
@prefix rec: <https://w3id.org/rec#> .
@prefix robod: <https://example.org/robod#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix unit: <http://qudt.org/vocab/unit/> .

<https://example.org/robod/rooms> a owl:Ontology ;
    rdfs:label "Brick model of the ROBOD rooms"@en ;
    rdfs:seeAlso <https://doi.org/10.1007/s12273-022-0925-9> .
"""

_FUNCTIONS = {"Lecture room": "robod:Lecture_Room", "Office space": "brick:Office, rec:Office"}

# The publisher's points without a close Brick class; these are in vocabulary.ttl.
_OWN_CLASSES = {
    "sound_pressure_level": "robod:Sound_Pressure_Level_Sensor",
    "wifi_connected_devices": "robod:Wifi_Device_Count_Sensor",
    "baromatic_pressure": "robod:Barometric_Pressure_Sensor",
}


# How the publisher's column names read in a label.
_WORDS = {
    "baromatic": "barometric",
    "co2": "CO2",
    "pm2.5": "PM2.5",
    "temp": "temperature",
    "voc": "VOC",
    "wifi": "Wi-Fi",
}


@dataclass(frozen=True, slots=True)
class Equipment:
    """A piece of a room's equipment: name behind the room's, class, label, statements (`{room}`: the room's IRI)."""

    name: str
    type: str
    label: str
    statements: str


_IN_EVERY_ROOM = (
    Equipment("lighting", "brick:Lighting_System", "lights", "brick:hasLocation {room}"),
    Equipment("plug_loads", "robod:Plug_Loads", "plug loads", "brick:hasLocation {room}"),
    Equipment("ceiling_fans", "brick:Ceiling_Fan", "ceiling fans", "brick:hasLocation {room}"),
)

EQUIPMENT = {
    "FCU": (
        *_IN_EVERY_ROOM,
        Equipment("fcu", "brick:Fan_Coil_Unit", "fan coil unit", "brick:feeds {room}_zone"),
        Equipment("fcu_fan", "brick:Supply_Fan", "fan of the fan coil unit", "brick:isPartOf {room}_fcu"),
        Equipment("fcu_coil", "brick:Chilled_Water_Coil", "coil of the fan coil unit", "brick:isPartOf {room}_fcu"),
    ),
    "AHU+VAV": (
        *_IN_EVERY_ROOM,
        Equipment("ahu", "brick:Air_Handling_Unit", "air handling unit", "brick:feeds {room}_vav"),
        Equipment("ahu_fan", "brick:Supply_Fan", "fan of the air handling unit", "brick:isPartOf {room}_ahu"),
        Equipment("ahu_coil", "brick:Chilled_Water_Coil", "coil of the air handling unit", "brick:isPartOf {room}_ahu"),
        Equipment("ahu_valve", "brick:Chilled_Water_Valve", "valve of the cooling coil", "brick:isPartOf {room}_ahu"),
        Equipment("ahu_filter", "brick:Filter", "filter of the air handling unit", "brick:isPartOf {room}_ahu"),
        Equipment("vav", "brick:Variable_Air_Volume_Box", "VAV box", "brick:feeds {room}_zone"),
    ),
}

# What a column is a point of, behind the room's name (`{unit}`: fcu or ahu). The others are points of the room itself.
PLACES = {
    "lighting_energy": "lighting",
    "plug_load_energy": "plug_loads",
    "ceiling_fan_energy": "ceiling_fans",
    "chilled_water_energy": "{unit}_coil",
    "fcu_fan_energy": "{unit}_fan",
    "ahu_fan_energy": "{unit}_fan",
    "fcu_fan_speed": "{unit}_fan",
    "ahu_fan_speed": "{unit}_fan",
    "cooling_coil_valve_position": "{unit}_valve",
    "cooling_coil_valve_command": "{unit}_valve",
    "pressure_across_filter": "{unit}_filter",
    "offcoil_air_temp": "{unit}",
    "offcoil_temp_setpoint": "{unit}",
    "supply_air_humidity": "{unit}",
    "supply_air_pressure": "{unit}",
    "supply_air_temperature": "{unit}",
    "supply_air_flow": "vav",
    "damper_position": "vav",
}

Row = dict[str, Any]  # a row of a published table: column → text or number


def build_model() -> str:
    """Return the model as Turtle: the same text for the same tables."""
    rooms = pl.read_csv(DATA / "robod_rooms.csv").to_dicts()
    points = load_points().to_dicts()
    blocks = [_HEADER, _building(rooms), *(_level(level, rooms) for level in sorted({r["level"] for r in rooms}))]
    blocks += [_station(), *(_outdoor_point(point) for point in points if point["scope"] == "outdoor")]
    for room in rooms:
        blocks += _room(room, [p for p in points if p["room"] == room["room"] and p["scope"] != "outdoor"])
    return "\n".join(blocks)


def _block(subject: str, *statements: str) -> str:
    return f"{subject} " + " ;\n    ".join(statements) + " .\n"


def _label(text: str) -> str:
    return f'rdfs:label "{text}"@en'


def _building(rooms: list[Row]) -> str:
    levels = ", ".join(f"robod:level{level}" for level in sorted({room["level"] for room in rooms}))
    return _block(
        "robod:sde4",
        "a brick:Building, rec:Building",
        _label("SDE4, National University of Singapore"),
        f"brick:hasPart {levels}",
    )


def _level(level: int, rooms: list[Row]) -> str:
    parts = ", ".join(f"robod:{room['room']}" for room in rooms if room["level"] == level)
    return _block(f"robod:level{level}", "a brick:Floor, rec:Level", _label(f"Level {level}"), f"brick:hasPart {parts}")


def _station() -> str:
    return _block(
        "robod:weather_station", "a brick:Weather_Station", _label("Weather station"), "brick:hasLocation robod:sde4"
    )


def _outdoor_point(point: Row) -> str:
    return _point(point, "Outdoor", "robod:weather_station")


def _room(room: Row, points: list[Row]) -> list[str]:
    name, iri = room["room"], f"robod:{room['room']}"
    title = f"Room {name.removeprefix('room')}"
    equipment = EQUIPMENT[room["hvac_terminal"]]
    unit = equipment[len(_IN_EVERY_ROOM)].name
    places = {p["point"]: PLACES.get(p["column"], "").format(unit=unit) for p in points}
    return [
        _room_itself(iri, title, room),
        _block(f"{iri}_zone", "a brick:HVAC_Zone, rec:HVACZone", _label(f"{title} zone"), f"brick:hasPart {iri}"),
        *(
            _block(f"{iri}_{e.name}", f"a {e.type}", _label(f"{title} {e.label}"), e.statements.format(room=iri))
            for e in equipment
        ),
        *(_point(p, title, f"{iri}_{place}" if (place := places[p["point"]]) else iri) for p in points),
    ]


def _room_itself(iri: str, title: str, room: Row) -> str:
    return _block(
        iri,
        f"a {_FUNCTIONS[room['function']]}",
        _label(f"{title} ({room['function'].lower()})"),
        f'robod:occupants "{room["occupants"]}"',
        f"robod:seats {room['seats']}",
        f"brick:area [ brick:value {room['floor_area_m2']} ; brick:hasUnit unit:M2 ]",
        f"brick:volume [ brick:value {room['volume_m3']} ; brick:hasUnit unit:M3 ]",
    )


def _point(point: Row, title: str, place: str) -> str:
    words = " ".join(_WORDS.get(word, word) for word in point["column"].removeprefix("outdoor_").split("_"))
    return _block(
        f"robod:{point['point']}",
        f"a {point['brick_class'] or _OWN_CLASSES[point['column']]}",
        _label(f"{title} {words}"),
        f"brick:isPointOf {place}",
        f"brick:hasUnit {point['qudt_unit']}",
    )


if __name__ == "__main__":
    ROOMS_FILE.write_text(build_model(), encoding="utf-8")
