"""Archives of readings whose sensors stand for individuals, some of which the store has dropped."""

from __future__ import annotations

import tomllib
from datetime import timedelta
from pathlib import Path

from kaicep.annotator import Annotator
from kaicep.archive import Archive
from kaicep.config import Settings
from kaicep.ontology import KnowledgeBase

from .archives import NINE, PROJECT, STREAM, readings
from .found import ORIGIN, matches

KNOWLEDGE = "@prefix e: <http://e/> . e:s0 e:in e:Room1 . e:s1 e:in e:Room2 . e:s3 e:in e:Room2 ."
LINKED = f"""{PROJECT}
[streams.{STREAM}.attributes]
sensorID = {{ property = "e:sensor", individual = "e:{{}}" }}
flowrate = {{ property = "e:flow", datatype = "xsd:double" }}
"""


def settings(root: Path, **archive: object) -> Settings:
    """Readings of sensors that stand for individuals."""
    return Settings.parse({**tomllib.loads(LINKED), "archive": archive}, root=root)


def filled(root: Path, **archive: object) -> Archive:
    """Ten minutes, a reading a second; one of them late, and every ten seconds what a query finds."""
    knowledge = KnowledgeBase.of_turtle(KNOWLEDGE, reasoner="none")
    known = settings(root, **archive)
    annotator = Annotator(STREAM, known, knowledge)
    made = Archive(known, knowledge, {STREAM: annotator.shape})
    if made.last is None:
        for batch in range(10):
            raw = readings(60, first=60 * batch).select(["sensorID", "flowrate", "timestamp"])
            events = annotator.annotate(raw).events
            late = [batch == 1 and row == 7 for row in range(60)]
            made.append(batch, {STREAM: events.append_column("_late", [late])})
            made.append_matches(batch, [(ORIGIN, matches(range(60 * batch, 60 * batch + 60, 10)))])
        assert made.flush()
    return made


def shrunk(root: Path, **archive: object) -> Archive:
    """The same, of which the store has the last three minutes."""
    made = filled(root, store_age="3min", **archive)
    made.tidy()
    made.tidy()
    assert made.since == NINE + timedelta(minutes=7)
    return made
