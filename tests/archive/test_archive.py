"""Both forms together: the log first, the store behind it by an exactly known lag."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from kaicep.annotator import EventShape
from kaicep.annotator.shape import RootProperty
from kaicep.archive import Archive, ArchiveReader, Counts, EventStore, Lag, Solutions
from kaicep.config import Settings
from kaicep.errors import ArchiveError
from kaicep.ontology import KnowledgeBase

from .conftest import NINE, EventTable

XSD = "http://www.w3.org/2001/XMLSchema#"
STREAM = "airflowReport"
KNOWLEDGE = "@prefix ee: <http://e/> . ee:s0 ee:in ee:Room1 . ee:s1 ee:in ee:Room2 ."
SHAPE = EventShape(
    stream=STREAM,
    types=("http://e/AirflowReport",),
    attributes=(),
    properties=(
        RootProperty("http://e/sensor", "sensorID", None, f"{XSD}string", canonical=True),
        RootProperty("http://e/flow", "flowrate", None, f"{XSD}double", canonical=True),
        RootProperty("http://e/time", "timestamp", None, f"{XSD}dateTime", canonical=True),
    ),
    event_type="http://e/AirflowReport",
    time="timestamp",
)
COUNT = "SELECT (COUNT(?e) AS ?n) { ?e a e:AirflowReport }"


def project(root: Path, **archive: Any) -> Settings:
    return Settings.parse({"prefixes": {"e": "http://e/"}, "archive": archive}, root=root)


def opened(root: Path, **archive: Any) -> Archive:
    knowledge = KnowledgeBase.of_turtle(KNOWLEDGE, reasoner="none")
    return Archive(project(root, **archive), knowledge, {STREAM: SHAPE})


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Archive]:
    with opened(tmp_path) as archive:
        yield archive


def rows(archive: Archive | ArchiveReader, text: str, **window: Any) -> list[tuple[object, ...]]:
    found = archive.query(text, **window)
    assert isinstance(found, Solutions)
    return list(found.rows)


def test_events_and_knowledge_answer_together(archive: Archive, events: EventTable) -> None:
    archive.append(0, {STREAM: events(8)})
    assert archive.flush()
    text = "SELECT ?t ?f { ?e e:sensor 's0' ; e:flow ?f ; e:time ?t . e:s0 e:in e:Room1 } ORDER BY ?t"
    assert rows(archive, text) == [(NINE, 0.0), (NINE + timedelta(seconds=4), 2.0)]
