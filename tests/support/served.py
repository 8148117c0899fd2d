"""`kaicep serve` with its engine, in processes of their own, beside whose project nobody else writes."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

import requests

from .command_line import kaicep, wait_for

__all__ = ["ROLES", "Served", "served", "token_of"]

ROLES = ("read", "submit", "admin")
_PROJECT = """\
[prefixes]
ex = "urn:ex:"

[knowledge]
modules = ["rooms.ttl"]

[queries]
files = ["queries/*.chi"]

[engine]
trigger = "200ms"

[server]
port = 0
request_rate = 100000

[server.datasets]
notes = { update = true }
plans = {}

[streams.air]
event_type = "ex:Reading"
time = { attribute = "at", property = "ex:at" }
identity = ["sensor", "at"]
source = { format = "json", path = "var/inbox/air", cleanSource = "delete" }

[streams.air.attributes]
sensor = { property = "ex:sensor", individual = "ex:{}" }
room = { datatype = "xsd:string" }
co2 = { property = "ex:co2", datatype = "xsd:double" }

[streams.desk]
event_type = "ex:Entry"
time = { attribute = "at" }
source = { format = "json", path = "var/inbox/desk", cleanSource = "delete" }

[streams.desk.attributes]
room = { datatype = "xsd:string" }
says = { datatype = "xsd:string" }
who = { datatype = "xsd:string" }

[server.tokens]
"""
_MODEL = """\
@prefix owl: <http://www.w3.org/2002/07/owl#> . @prefix ex: <urn:ex:> .
<urn:ex:rooms> a owl:Ontology . ex:Room a owl:Class . ex:Corridor a owl:Class ; owl:disjointWith ex:Room .
ex:in a owl:ObjectProperty . ex:sensor a owl:ObjectProperty . ex:at a owl:DatatypeProperty .
ex:co2 a owl:DatatypeProperty . ex:r1 a ex:Room . ex:s1 ex:in ex:r1 .
"""
_QUERIES = """\
CREATE QUERY high AS SELECT ?e.sensor AS sensor, ?e.co2 AS co2 FROM (?e, air) FILTER (?e.co2 > 500);
CREATE CONTEXTS alarm (fine DEFAULT, raised, seen) BY room;
SWITCH CONTEXT raised FROM (?e, air) IN CONTEXT fine FILTER (?e.co2 > 1400);
SWITCH CONTEXT seen FROM (?d, desk) IN CONTEXT raised FILTER (?d.says = 'seen');
SWITCH CONTEXT fine FROM (?e, air) IN CONTEXT raised FILTER (?e.co2 < 1000);
CREATE QUERY alarms AS
SELECT ?c.room, ?c.context, ?c.change FROM (?c, CONTEXTS(alarm)) FILTER (?c.context != 'fine')
"""
_READINGS = [
    {"sensor": "s1", "room": f"B{minute % 3}", "at": f"2026-01-01T00:{minute:02d}:00Z", "co2": 40.0 * minute}
    for minute in range(60)
]


@dataclass
class Served:
    """A server that is ready, with queries that have rows, and alarms that are raised.

    Attributes:
        url: that it is asked at.
        root: folder that has its project's, and beside it what it has no business in.
    """

    url: str
    root: Path

    @cached_property
    def document(self) -> Any:
        """Its OpenAPI document."""
        return self.get("/openapi.json").json()

    def headers(self, role: str | None) -> dict[str, str]:
        """Of a client of that role; `None`: it has no token."""
        return {} if role is None else {"Authorization": f"Bearer {token_of(role)}"}

    def get(self, path: str) -> requests.Response:
        """Ask as admin."""
        return requests.get(self.url + path, headers=self.headers("admin"), timeout=600)

    def post(self, stream: str, events: list[dict[str, Any]]) -> None:
        """Hand in events; durable when this returns."""
        place = f"{self.url}/streams/{stream}/events"
        answer = requests.post(place, json=events, headers=self.headers("submit"), timeout=600)
        assert answer.status_code == 202, answer.text

    def known(self) -> dict[str, list[str]]:
        """What there is, by the parameters that name it."""
        queries, jobs, alarms = (self.get(path).json() for path in ("/queries", "/jobs", "/alarms"))
        rows = self.get("/queries/high/matches?last=5").json()["rows"]
        graphs = [row["module"] for row in self.get("/graphs").json()]
        labels = [one["label"] for one in queries]
        return {
            "label": labels,
            "query": ["high"],
            "name": ["air", "desk"],
            "id": [one["id"] for one in jobs[:5]] + [row["_id"] for row in rows],
            "after": [row["_id"] for row in rows] + ["0"],
            "alarm": [one["id"] for one in alarms],
            "graph": ["urn:ex:rooms", "urn:ex:more", *graphs],
            "iri": ["urn:ex:r1", "urn:ex:Room"],
            "class": ["urn:ex:Room"],
            "parent": ["urn:ex:Room"],
            "gap": ["1h"],
            "from": ["now - 1h"],
        }

    def log(self) -> str:
        """What it and its engine have written for those who run it."""
        return (self.root / "log").read_text(encoding="utf-8", errors="replace")

    def files_beside(self) -> set[str]:
        """Whatever lies beside its project."""
        project = self.root / "project"
        return {str(path) for path in self.root.rglob("*") if not path.is_relative_to(project)}


def token_of(role: str) -> str:
    """The token of a role."""
    return f"{role}-of-somebody-who-keeps-it"


@contextmanager
def served(root: Path) -> Iterator[Served]:
    """Serve a project of its own, until it is told to end and has ended.

    Args:
        root: an empty folder.
    """
    project = root / "project"
    (project / "queries").mkdir(parents=True)
    tokens = [
        f'{role} = {{ role = "{role}", token = "sha256:{sha256(token_of(role).encode()).hexdigest()}" }}\n'
        for role in ROLES
    ]
    (project / "kaicep.toml").write_text(_PROJECT + "".join(tokens))
    (project / "rooms.ttl").write_text(_MODEL)
    (project / "queries" / "rooms.chi").write_text(_QUERIES)
    (root / "home").mkdir()
    environment = os.environ | {"TMPDIR": str(project), "PYTHONDONTWRITEBYTECODE": "1"}
    with (root / "log").open("w") as log:
        words = kaicep("serve", project)
        running = subprocess.Popen(words, stdout=log, stderr=log, cwd=root / "home", env=environment)
        try:
            yield _ready(root)
        finally:  # one that is killed leaves its engine
            running.send_signal(signal.SIGTERM)
            ended = running.wait(600)
    assert ended == 128 + signal.SIGTERM


def _ready(root: Path) -> Served:
    """The server as soon as it has rows and alarms."""
    sign = "kaicep answers at "
    found: list[Served] = []

    def ready() -> bool:
        said = [line for line in (root / "log").read_text().splitlines() if line.startswith(sign)]
        found[:] = [Served(line.removeprefix(sign), root) for line in said]
        return bool(found) and found[0].get("/ready").status_code == 200

    wait_for(ready)
    service = found[0]
    service.post("air", _READINGS)
    wait_for(lambda: bool(service.get("/alarms").json()))
    return service
