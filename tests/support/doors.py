"""Doors that open: a project with one stream, its archive, and queries of each kind."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
from kaicep import Project
from kaicep.archive import Archive
from kaicep.language.nodes import Query

from .archives import NINE, SECOND

DOOR: dict[str, Any] = {
    "prefixes": {"x": "http://x/"},
    "streams": {
        "door": {
            "event_type": "x:Opened",
            "time": {"attribute": "at"},
            "attributes": {
                "room": {"property": "x:room", "datatype": "xsd:string"},
                "seconds": {"datatype": "xsd:double"},
            },
        }
    },
}
SELECTION = "SELECT ?e.seconds WITHIN (, ) FILTER (?e.seconds > 5) PATH { ?e x:room 'r1' }"
AGGREGATE = "SELECT SUM(?e.seconds) AS total WITHIN (, ) WINDOW (?e, sliding, 5s) PATH { ?e x:room 'r1' }"
PATTERN = (
    "SELECT ?a.seconds WITHIN (, ) JOIN (?b.seconds > ?a.seconds) SEQ (?a, ?b) WINDOW (?a, ?b, 3s) "
    "PATH { ?a x:room 'r1' }"
)


def project(root: Path, **archive: object) -> Project:
    """The project, whose archive is in a folder."""
    return Project.parse(DOOR | {"archive": archive}, root=root)


def compiled(of: Project, text: str) -> Query:
    """A query of it."""
    return of.compile(text)[-1]


def opened(of: Project) -> Archive:
    """Its archive, open for writing."""
    return Archive(of.settings, of.knowledge, of.shapes)


def openings(count: int = 200) -> pa.Table:
    """Raw tuples, one a second, of three rooms in turn."""
    return pa.table(
        {
            "at": [(NINE + n * SECOND).isoformat() for n in range(count)],
            "room": [f"r{n % 3}" for n in range(count)],
            "seconds": [float(n * n % 11) for n in range(count)],
        }
    )


def filled(of: Project, count: int = 200) -> Archive:
    """Its archive with openings in one batch, which the store has too."""
    archive = opened(of)
    archive.append(1, {"door": of.annotators["door"].annotate(openings(count)).events})
    archive.flush()
    return archive
