"""The project of the soak: a building whose air and doors are watched, and its readings as they come."""

from __future__ import annotations

import contextlib
import json
import os
import random
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

__all__ = ["CONTEXTS", "LATENESS", "QUERIES", "RULE", "Building", "Readings"]

START = datetime(2026, 3, 1, tzinfo=UTC)
LATENESS = timedelta(seconds=5)
_SENSORS, _ROOMS, _DOORS = 40, 10, 4
_PROJECT = """
[prefixes]
b = "urn:building#"

[knowledge]
modules = ["building.ttl"]

[engine]
idle_timeout = "never"

[archive]
in_flight = "2s"

[queries]
files = ["queries/*.chi"]

[actions.ops]
webhook = { url = "URL", batch = 50 }
backoff = "100ms"
backoff_limit = "1s"
tries = 1000

[streams.air]
event_type = "b:AirReading"
time = { attribute = "t", property = "b:at" }
identity = ["sensor", "t"]
lateness = "5s"
source = { format = "json", path = "incoming/air/" }

[streams.air.attributes]
sensor = { property = "b:by", key = "b:id" }
flow = { property = "b:flow", datatype = "xsd:double" }

[streams.door]
event_type = "b:DoorReading"
time = { attribute = "t", property = "b:at" }
identity = ["door", "t"]
lateness = "5s"
source = { format = "json", path = "incoming/door/" }

[streams.door.attributes]
door = { property = "b:of", key = "b:id" }
open = { property = "b:open", datatype = "xsd:boolean" }
"""
QUERIES = {
    "high": """SELECT ?e.sensor, ?e.flow FROM (?e, air)
        PATH { ?e b:by ?s . ?s b:in ?r . ?r a b:Lab } FILTER (?e.flow > 700)""",
    "rise": """CREATE QUERY rise AS SELECT ?a.sensor, ?b.flow - ?a.flow AS by FROM (?a, air), (?b, air)
        JOIN (?a.sensor = ?b.sensor) JOIN (?b.flow - ?a.flow > 800) SEQ (?a, ?b) WINDOW (?a, ?b, 10s)""",
    "mean": """SELECT AVG(?e.flow) AS mean, COUNT(?e) AS n FROM (?e, air) WINDOW (?e, batch, 10s) GROUP BY ?e.sensor""",
    "rises": "SELECT COUNT(?r) AS rises FROM (?r, rise) WINDOW (?r, batch, 30s)",
    "left": """SELECT ?d.door FROM (?d, door), (?c, door) JOIN (?c.door = ?d.door)
        FILTER (?c.open = false) FILTER (?d.open = true) SEQ (?d, NOT ?c FOR 20s)""",
    "run": """SELECT FIRST(?e.flow) AS low, LAST(?e.flow) AS high, COUNT(?e) AS n FROM (?e, air)
        JOIN (?e.flow > PREV(?e.flow)) SEQ (?e{3,}) WINDOW (?e, 30s)
        PARTITION BY sensor POLICY next AFTER MATCH SKIP PAST LAST EVENT""",
    "stale": """CREATE QUERY stale AS SELECT ?a.flow AS low, ?b.flow AS high, ?w.began AS began
        FROM (?a, air), (?b, air) IN CONTEXT stuffy AS ?w, aired
        JOIN (?b.flow > ?a.flow) SEQ (?a, ?b) WINDOW (?a, ?b, 20s)""",
    "spell": """SELECT ?s.sensor, ?s.most FROM (?s, spells)""",
}
CONTEXTS = """CREATE CONTEXTS lab (usual DEFAULT, stuffy, aired) BY sensor;
    INITIATE CONTEXT stuffy (?e.flow AS began) FROM (?e, air) FILTER (?e.flow > 900);
    SWITCH CONTEXT aired FROM (?a, air), (?b, air) IN CONTEXT stuffy
        JOIN (?b.flow < ?a.flow) FILTER (?b.flow < 200) SEQ (?a, ?b) WINDOW (?a, ?b, 1min);
    TERMINATE CONTEXT aired FROM (?e, air) FILTER (?e.flow > 700);
    CREATE RULE closed ON door IF (?row.open = false) DO TERMINATE CONTEXT stuffy AT (b:s7);
    CREATE QUERY spells AS SELECT FIRST(?e.sensor) AS sensor, MAX(?e.flow) AS most FROM (?e, air)
        IN CONTEXT stuffy, aired WINDOW (?e, CONTEXT)"""
"""What the queries that are compared stand beside; they read it."""
RULE = "CREATE RULE tell ON stale IF (?row.high > 500) DO CALL ops(?row.high AS high, ?row.began AS began)"


@dataclass
class Readings:
    """Readings as they come, seeded: some late, some twice, some that are none.

    Attributes:
        files: every file that was written, in the order of arrival.
    """

    folder: Path
    source: random.Random = field(default_factory=lambda: random.Random(7))
    files: list[Path] = field(default_factory=list)
    _lock: threading.RLock = field(default_factory=threading.RLock, repr=False)
    _second: float = 0.0
    _last: dict[str, list[dict[str, Any]]] = field(default_factory=lambda: {"air": [], "door": []})

    def write(self, second: float) -> int:
        """Write what comes at this second of the stream's time; how many records that are."""
        self._second = second
        air = [self._air(second) for _ in range(self.source.randrange(10, 40))]
        doors = [self._door(second) for _ in range(self.source.randrange(3))]
        return sum(self._put(name, self._disturbed(name, rows)) for name, rows in (("air", air), ("door", doors)))

    @contextmanager
    def held(self) -> Iterator[None]:
        """Nobody else writes within."""
        with self._lock:
            yield

    def records(self, stream: str) -> Iterator[dict[str, Any]]:
        """What of a stream's lines is a reading, in the order of arrival."""
        for path in self.files:
            if path.parent.name != stream:
                continue
            for line in path.read_text(encoding="utf-8").splitlines():
                with contextlib.suppress(ValueError, RecursionError):
                    record = json.loads(line)
                    if isinstance(record, dict) and record.keys() >= {"t"} and _is_reading(record):
                        yield record

    def write_alone(self, days: float) -> None:
        """Write a file of air readings of now, whose own time stamp is so many days off."""
        self.put_lines("air", [json.dumps(self._air(self._second)) for _ in range(20)], days=days)

    def put_lines(self, stream: str, lines: list[str], *, days: float = 0.0) -> Path:
        """Write a file of these lines, which appears as a whole.

        Args:
            stream: whose.
            lines: of it.
            days: by which its time stamp is wrong.
        """
        folder = self.folder / "incoming" / stream
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{len(self.files):08d}.json"
        hidden = folder / f".{path.name}"
        hidden.write_text("\n".join(lines) + "\n", encoding="utf-8")
        if days:
            moment = time.time() + days * 86_400
            os.utime(hidden, (moment, moment))
        self.files.append(path)
        hidden.rename(path)
        return path

    def _air(self, second: float) -> dict[str, Any]:
        moment = START + timedelta(seconds=round(second - self.source.choice([0, 0, 0, 1, 2, 60]), 3))
        moment += timedelta(milliseconds=self.source.randrange(1_000))
        sensor = f"S{self.source.randrange(_SENSORS + 1)}"  # the last one is in no model
        return {"t": moment.isoformat(), "sensor": sensor, "flow": round(self.source.uniform(0, 1_000), 1)}

    def _door(self, second: float) -> dict[str, Any]:
        moment = START + timedelta(seconds=round(second, 3), milliseconds=self.source.randrange(1_000))
        return {
            "t": moment.isoformat(),
            "door": f"D{self.source.randrange(_DOORS)}",
            "open": self.source.random() < 0.5,
        }

    def _disturbed(self, stream: str, rows: list[dict[str, Any]]) -> list[str]:
        """The rows as lines, with some of the last ones again."""
        again = self.source.sample(self._last[stream], min(2, len(self._last[stream])))
        self._last[stream] = rows
        lines = [json.dumps(row) for row in [*rows, *again]]
        return [*lines, '{"broken'] if self.source.random() < 0.05 else lines

    def _put(self, stream: str, lines: list[str]) -> int:
        if lines:
            self.put_lines(stream, lines)
        return len(lines)


def _is_reading(record: dict[str, Any]) -> bool:
    """Whether it is one of ours: others write records, too."""
    name = record.get("sensor", record.get("door"))
    return (
        isinstance(name, str)
        and name[1:].isdigit()
        and isinstance(record.get("flow", record.get("open")), float | bool)
    )


@dataclass(frozen=True)
class Building:
    """The project's folder, and who takes the calls of its rule."""

    folder: Path
    url: str

    def write(self) -> None:
        """Write project file, model and queries."""
        (self.folder / "queries").mkdir(parents=True)
        (self.folder / "kaicep.toml").write_text(_PROJECT.replace("URL", self.url))
        (self.folder / "building.ttl").write_text("\n".join(self._model()))
        for name, text in ({"0_contexts": CONTEXTS} | QUERIES | {"tell": RULE}).items():
            (self.folder / "queries" / f"{name}.chi").write_text(text)
        for stream in ("air", "door"):
            (self.folder / "incoming" / stream).mkdir(parents=True)

    @staticmethod
    def _model() -> list[str]:
        lines = [
            "@prefix b: <urn:building#> .",
            "@prefix owl: <http://www.w3.org/2002/07/owl#> .",
            "@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .",
            "b:AirReading a owl:Class . b:DoorReading a owl:Class . b:WetLab rdfs:subClassOf b:Lab .",
            "b:by a owl:ObjectProperty . b:of a owl:ObjectProperty . b:in a owl:ObjectProperty .",
            "b:at a owl:DatatypeProperty . b:flow a owl:DatatypeProperty . b:open a owl:DatatypeProperty .",
        ]
        lines += [f"b:r{i} a b:{'WetLab' if i % 3 == 0 else 'Office'} ." for i in range(_ROOMS)]
        lines += [f'b:s{i} a b:Sensor ; b:id "S{i}" ; b:in b:r{i % _ROOMS} .' for i in range(_SENSORS)]
        return [*lines, *(f'b:d{i} a b:Door ; b:id "D{i}" .' for i in range(_DOORS))]
