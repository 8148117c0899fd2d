"""A seeded campus: its buildings, rooms, HVAC units and sensors as Turtle, and airflow readings as JSON lines.

    python -m kaicep.examples.campus.generate individuals
    python -m kaicep.examples.campus.generate readings --count 20000

One seed always gives the same campus; one seed and count always the same readings.
"""

from __future__ import annotations

import json
import math
import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated

import typer

HERE = Path(__file__).parent
SEED = 7
START = datetime(2012, 5, 7, 9, tzinfo=UTC)
PERIOD = timedelta(minutes=1)
JITTER = timedelta(seconds=2)
LOW, HIGH, STEP = 100.0, 900.0, 25.0
"""Airflow in cubic feet per minute: least, most, and standard deviation of its change from one reading to the next."""

SWING, SWING_PERIOD = 40.0, timedelta(minutes=20)
"""The whole campus breathes: what is added to every reading, up and down within a period."""

FLOORS, ROOMS_PER_FLOOR, OTHER_SENSORS = 4, 10, 10
OTHER_KINDS = (("TemperatureSensor", "TEMP", "TMP"), ("CO2Sensor", "CO2", "CO2"), ("HumiditySensor", "HUM", "HUM"))
ATTRIBUTES = ("flowrate", "airvolume", "airflow")
SHARES = (70, 20, 10)
"""How many per cent of the sensors are of a vendor that calls the flow rate so."""

BUILDINGS = {  # code: (letter that its sensor ids begin with, name, department that has most of its rooms)
    "ACB": ("A", "Ahmanson Center", "Biology"),
    "BHE": ("B", "Biegler Hall", "CE"),
    "CEM": ("C", "Cinema Center", "History"),
    "RTH": ("D", "Ronald Tutor Hall", "EE"),
    "DRB": ("E", "Denney Research Center", "ME"),
    "GFS": ("F", "Grace Ford Salvatori Hall", "History"),
    "HED": ("G", "Hedco Building", "Chemistry"),
    "HNB": ("H", "Hedco Neurosciences", "Biology"),
    "JEP": ("I", "Joint Educational Project", "Economics"),
    "KAP": ("J", "Kaprielian Hall", "Mathematics"),
    "LHI": ("K", "Loker Institute", "Chemistry"),
    "LVL": ("L", "Leavey Library", "History"),
    "OHE": ("M", "Olin Hall", "CE"),
    "PHE": ("N", "Powell Hall", "EE"),
    "RRB": ("O", "Rapp Research Building", "ME"),
    "SAL": ("P", "Salvatori Computer Center", "CS"),
    "SGM": ("Q", "Seeley Mudd Building", "Physics"),
    "SLH": ("R", "Stauffer Lecture Hall", "Physics"),
    "SSL": ("S", "Science Library", "Mathematics"),
    "THH": ("T", "Taper Hall", "Economics"),
    "VHE": ("U", "Vivian Hall", "ME"),
    "VKC": ("V", "Von KleinSmid Center", "Economics"),
}
DEPARTMENTS = tuple(f"{name}Department" for name in dict.fromkeys(main for _, _, main in BUILDINGS.values()))
ROOM_TYPES = {
    "Office": ("FacultyOffice", "StaffOffice", "StudentOffice", "SharedOffice"),
    "MeetingRoom": ("ConferenceRoom", "SeminarRoom", "HuddleRoom", "BoardRoom"),
    "LectureHall": ("Auditorium", "TieredHall", "FlatHall"),
    "Lab": ("WetLab", "DryLab", "ComputerLab", "CleanRoom"),
}
ROOM_SHARES = (50, 20, 10, 20)
HEADER = """\
# Made by generate.py with seed {seed}.

@prefix bd: <http://cei.usc.edu/Building.owl#> .
@prefix ee: <http://cei.usc.edu/Equipment.owl#> .
@prefix hvc: <http://cei.usc.edu/HVAC.owl#> .
@prefix org: <http://cei.usc.edu/Organization.owl#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .

<http://cei.usc.edu/Campus.owl> a owl:Ontology ;
    rdfs:label "Campus"@en ;
    rdfs:comment "The buildings of the campus, their rooms, HVAC units and sensors."@en ;
    owl:imports <http://cei.usc.edu/Building.owl> , <http://cei.usc.edu/HVAC.owl> .
"""


@dataclass(frozen=True, slots=True)
class Room:
    """A room with an airflow sensor.

    Attributes:
        building: its code.
        number: three digits, the first is the floor.
        kind: its general type, a class of the Building ontology.
        leaf: the subclass that it is asserted to be.
        department: that it belongs to.
        assigned: whether that is said by `bd:assignedTo` rather than `bd:belongsTo`.
        capacity: people.
    """

    building: str
    number: int
    kind: str
    leaf: str
    department: str
    assigned: bool
    capacity: int

    @property
    def name(self) -> str:
        return f"{self.building}{self.number}"

    @property
    def prefix(self) -> str:
        """What the ids of its sensors begin with: the building's letter and the room's number."""
        return f"{BUILDINGS[self.building][0]}{self.number}"

    @property
    def sensor_id(self) -> str:
        return f"{self.prefix}VOL"


def rooms(seed: int = SEED) -> tuple[Room, ...]:
    """Every room of the campus. RTH105 is the office of the paper's Figure 2."""
    rng = random.Random(seed)
    return tuple(
        _room(rng, code, 100 * (floor + 1) + place + 1)
        for code in BUILDINGS
        for floor in range(FLOORS)
        for place in range(ROOMS_PER_FLOOR)
    )


def _room(rng: random.Random, code: str, number: int) -> Room:
    kind = rng.choices(list(ROOM_TYPES), ROOM_SHARES)[0]
    leaf = rng.choice(ROOM_TYPES[kind])
    main = f"{BUILDINGS[code][2]}Department"
    department = main if rng.random() < 0.7 else rng.choice(DEPARTMENTS)
    assigned, capacity = rng.random() < 0.5, rng.randint(1, 20)
    if (code, number) == ("RTH", 105):
        kind, leaf, department = "Office", "FacultyOffice", "EEDepartment"
    return Room(code, number, kind, leaf, department, assigned, capacity)


def individuals(seed: int = SEED) -> str:
    """The campus as Turtle."""
    rng = random.Random(seed + 1)
    parts = [HEADER.format(seed=seed)]
    of_building: dict[str, list[Room]] = {}
    for room in rooms(seed):
        of_building.setdefault(room.building, []).append(room)
    for code, its_rooms in of_building.items():
        parts += [_building(code), *map(_equipped_room, its_rooms)]
        parts += [_other_sensor(n, room) for n, room in enumerate(rng.sample(its_rooms, OTHER_SENSORS))]
    return "\n".join(parts)


def _building(code: str) -> str:
    floors = "".join(f"bd:{code}_{n} a bd:Floor ; bd:isPartOf bd:{code} .\n" for n in range(1, FLOORS + 1))
    building = f'bd:{code} a bd:Building ; rdfs:label "{BUILDINGS[code][1]}" .\n'
    return f"{building}{floors}hvc:{code}_AHU a hvc:AirHandlingUnit .\n"


def _equipped_room(room: Room) -> str:
    belongs = "bd:assignedTo" if room.assigned else "bd:belongsTo"
    return (
        f"bd:{room.name} a bd:{room.leaf} ; bd:isPartOf bd:{room.building}_{room.number // 100} ; "
        f"{belongs} org:{room.department} ; bd:capacity {room.capacity} .\n"
        f"hvc:{room.name}_VAV a hvc:VAVBox ; hvc:fedBy hvc:{room.building}_AHU ; hvc:serves bd:{room.name} .\n"
        f'ee:{room.prefix}VOLUME a ee:AirflowSensor ; ee:sensorID "{room.sensor_id}" ; '
        f"bd:hasLocation bd:{room.name} ; ee:monitors hvc:{room.name}_VAV .\n"
    )


def _other_sensor(number: int, room: Room) -> str:
    kind, name, key = OTHER_KINDS[number % len(OTHER_KINDS)]
    return f'ee:{room.prefix}{name} a ee:{kind} ; ee:sensorID "{room.prefix}{key}" ; bd:hasLocation bd:{room.name} .\n'


def readings(count: int, seed: int = SEED) -> Iterator[dict[str, str | float]]:
    """Airflow readings in time order: every sensor reports once a minute, within two seconds of its time.

    Flow rates walk at random between `LOW` and `HIGH` in steps of 0.5, so that sums of them are exact.
    """
    rng = random.Random(seed + 2)
    ids = [room.sensor_id for room in rooms(seed)]
    names = rng.choices(ATTRIBUTES, SHARES, k=len(ids))
    phases = [PERIOD * rng.random() for _ in ids]
    levels = [rng.uniform(LOW, HIGH) for _ in ids]
    waiting: list[tuple[datetime, int]] = []
    left, minute = count, 0
    while left > 0:
        start = START + PERIOD * minute
        waiting += [(start + phase + JITTER * rng.uniform(-1, 1), n) for n, phase in enumerate(phases)]
        waiting.sort()
        ready = [item for item in waiting if item[0] < start + PERIOD - JITTER]
        waiting = waiting[len(ready) :]
        for time, n in ready[:left]:
            levels[n] = _reflected(levels[n] + rng.gauss(0, STEP))
            yield {"sensorID": ids[n], "timestamp": _written(time), names[n]: _flow(levels[n], time)}
        left, minute = left - len(ready), minute + 1


def _reflected(level: float) -> float:
    return 2 * LOW - level if level < LOW else 2 * HIGH - level if level > HIGH else level


def _flow(level: float, time: datetime) -> float:
    swing = SWING * math.sin(2 * math.pi * ((time - START) / SWING_PERIOD))
    return round(2 * (level + swing)) / 2


def _written(time: datetime) -> str:
    return time.isoformat(timespec="milliseconds").replace("+00:00", "Z")


app = typer.Typer(help="Generate the campus of the example.", no_args_is_help=True)
Seed = Annotated[int, typer.Option(help="Another seed, another campus.")]


@app.command("individuals")
def write_individuals(out: Path = HERE / "individuals.ttl", seed: Seed = SEED) -> None:
    """Write the buildings, rooms, HVAC units and sensors as Turtle."""
    out.write_text(individuals(seed), encoding="utf-8")


@app.command("readings")
def write_readings(
    out: Path = HERE / "var" / "incoming" / "readings.jsonl", count: int = 20_000, seed: Seed = SEED
) -> None:
    """Write airflow readings as JSON lines."""
    out.parent.mkdir(parents=True, exist_ok=True)
    lines = (json.dumps(reading) + "\n" for reading in readings(count, seed))
    out.write_text("".join(lines), encoding="utf-8")


if __name__ == "__main__":
    app()
