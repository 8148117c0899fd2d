"""A project with the alarms of docs/alarms.md, a desk that takes posts, and rows as its engine would keep them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pyarrow as pa
from kaicep.archive import ArchivePlace
from kaicep.archive.matches import MatchLog, Provenance
from kaicep.config import Settings
from kaicep.language.nodes import ValueType

__all__ = ["alarming_project", "keep_changes", "write_queries"]

_PEOPLE = """;
CREATE QUERY acknowledged AS SELECT ?d.room, ?d.who FROM (?d, desk) IN CONTEXT raised FILTER (?d.says = 'seen')"""
_QUERIES = """CREATE CONTEXTS alarm (fine DEFAULT, raised, seen) BY room;
SWITCH CONTEXT raised FROM (?e, air) IN CONTEXT fine FILTER (?e.co2 > 1400);
SWITCH CONTEXT seen FROM (?d, desk) IN CONTEXT raised FILTER (?d.says = 'seen');
SWITCH CONTEXT fine FROM (?e, air) IN CONTEXT raised FILTER (?e.co2 < 1000);
CREATE QUERY alarms AS
SELECT ?c.room, ?c.context, ?c.change FROM (?c, CONTEXTS(alarm)) FILTER (?c.context != 'fine')"""
_PROJECT = """\
[prefixes]
ex = "urn:ex:"

[queries]
files = ["alarms.chi"]

[streams.air]
event_type = "ex:Reading"
time = { attribute = "at" }
source = { format = "json", path = "air/" }

[streams.air.attributes]
room = ROOM
co2 = { datatype = "xsd:double" }

[streams.desk]
event_type = "ex:Entry"
time = { attribute = "at" }
source = { format = "json", path = "desk/", cleanSource = "delete" }

[streams.desk.attributes]
room = ROOM
says = { datatype = "xsd:string" }
who = { datatype = "xsd:string" }
"""


def alarming_project(folder: Path, people: str = _PEOPLE, room: str = '{ datatype = "xsd:string" }') -> Settings:
    """Write it.

    Args:
        folder: of the project.
        people: the query that tells who has seen an alarm.
        room: the annotation of rooms.
    """
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "kaicep.toml").write_text(_PROJECT.replace("ROOM", room), encoding="utf-8")
    (folder / "alarms.chi").write_text(_QUERIES + people, encoding="utf-8")
    return Settings.load(folder)


def write_queries(folder: Path, of: str, becomes: str) -> None:
    """Write its queries otherwise; what nobody can mean any more is left out."""
    text = _QUERIES.replace(of, becomes)
    (folder / "alarms.chi").write_text(text, encoding="utf-8")


def keep_changes(settings: Settings, *changes: tuple[str, str, str]) -> None:
    """Let its query `alarms` have rows: room, context and change of each, a second apart."""
    place = ArchivePlace.of(settings)
    place.prepare()
    moments = [datetime(2026, 1, 1, 9, tzinfo=UTC) + timedelta(seconds=n) for n in range(len(changes))]
    events = [{"c": [f"urn:kaicep:event:{n}"]} for n in range(len(changes))]
    names = ("room", "context", "change")
    columns = {
        name: pa.array(values, pa.string()) for name, values in zip(names, zip(*changes, strict=True), strict=True)
    }
    table = pa.table(
        columns
        | {
            "_time": pa.array(moments, pa.timestamp("us", "UTC")),
            "_events": pa.array(events, pa.struct([("c", pa.list_(pa.string()))])),
            "_id": pa.array([f"{n:032x}" for n in range(len(changes))], pa.string()),
        }
    )
    log = MatchLog(place.logs, 0, locks=place.root)
    log.append(0, [(Provenance("alarms", "SELECT", "knowledge", dict.fromkeys(names, ValueType.STRING)), table)])
    log.close()
