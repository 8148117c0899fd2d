"""Readings to archive, and archives of them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
from kaicep.annotator import event_shape
from kaicep.archive import Archive, ReadView
from kaicep.archive.sparql import Solutions
from kaicep.config import Settings
from kaicep.language.nodes.types import AttributeType, StreamType, ValueType
from kaicep.ontology import KnowledgeBase

NINE = datetime(2012, 5, 7, 9, tzinfo=UTC)
SECOND = timedelta(seconds=1)
TIME = pa.timestamp("us", tz="UTC")
STREAM = "airflowReport"
PROJECT = f"""
[prefixes]
e = "http://e/"
[streams.{STREAM}]
event_type = "e:AirflowReport"
time = {{ attribute = "timestamp", property = "e:time" }}
"""
"""Of readings, as a project file; what follows may be keys of the stream."""
KNOWLEDGE = "@prefix e: <http://e/> . e:s0 e:in e:Room1 . e:s1 e:in e:Room2 ."

STREAM_TYPE = StreamType(
    STREAM,
    (
        AttributeType("sensorID", ValueType.STRING, "http://e/sensor"),
        AttributeType("flowrate", ValueType.DOUBLE, "http://e/flow"),
        AttributeType("timestamp", ValueType.DATETIME, "http://e/time"),
    ),
    event_type="http://e/AirflowReport",
    time="timestamp",
)
SHAPE = event_shape(STREAM_TYPE, KnowledgeBase.empty())


def readings(count: int, first: int = 0) -> pa.Table:
    """Readings one second apart, of sensors s0 to s3, numbered from `first`."""
    numbers = range(first, first + count)
    times = [NINE + n * SECOND for n in numbers]
    return pa.table(
        {
            "_time": pa.array(times, TIME),
            "_id": pa.array([f"urn:kaicep:event:{STREAM}/s{n % 4}/{n}" for n in numbers], pa.string()),
            "sensorID": pa.array([f"s{n % 4}" for n in numbers], pa.string()).dictionary_encode(),
            "flowrate": pa.array([n / 2 for n in numbers], pa.float64()),
            "timestamp": pa.array(times, TIME),
            "_extra": pa.nulls(count, pa.string()),
        }
    )


def numbers(events: pa.Table) -> list[int]:
    """The numbers of such readings."""
    return [int(name.rsplit("/", 1)[1]) for name in events["_id"].to_pylist()]


def project(root: Path, **archive: object) -> Settings:
    """A project whose archive is in `root`."""
    return Settings.parse({"prefixes": {"e": "http://e/"}, "archive": archive}, root=root)


def opened(root: Path, **archive: object) -> Archive:
    """Its archive, open for writing."""
    knowledge = KnowledgeBase.of_turtle(KNOWLEDGE, reasoner="none")
    return Archive(project(root, **archive), knowledge, {STREAM: SHAPE})


def rows(archive: ReadView, text: str, **window: Any) -> list[tuple[object, ...]]:
    """What a SELECT finds."""
    found = archive.query(text, **window)
    assert isinstance(found, Solutions)
    return list(found.rows)


def archived_project(root: Path) -> Settings:
    """A project file, and its archive of five batches of thirty readings."""
    (root / "kaicep.toml").write_text(PROJECT)
    with opened(root) as archive:
        for batch in range(5):
            archive.append(batch, {STREAM: readings(30, first=30 * batch)})
        archive.flush()
    return Settings.load(root)
