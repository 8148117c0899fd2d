"""Readings to archive, and archives of them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pyarrow as pa
from kaicep.annotator import EventShape
from kaicep.annotator.shape import RootProperty
from kaicep.archive import Archive
from kaicep.config import Settings
from kaicep.ontology import KnowledgeBase

NINE = datetime(2012, 5, 7, 9, tzinfo=UTC)
SECOND = timedelta(seconds=1)
TIME = pa.timestamp("us", tz="UTC")
STREAM = "airflowReport"
KNOWLEDGE = "@prefix e: <http://e/> . e:s0 e:in e:Room1 . e:s1 e:in e:Room2 ."

_XSD = "http://www.w3.org/2001/XMLSchema#"
SHAPE = EventShape(
    stream=STREAM,
    types=("http://e/AirflowReport",),
    attributes=(),
    properties=(
        RootProperty("http://e/sensor", "sensorID", None, f"{_XSD}string", canonical=True),
        RootProperty("http://e/flow", "flowrate", None, f"{_XSD}double", canonical=True),
        RootProperty("http://e/time", "timestamp", None, f"{_XSD}dateTime", canonical=True),
    ),
    event_type="http://e/AirflowReport",
    time="timestamp",
)


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


def project(root: Path, **archive: object) -> Settings:
    """A project whose archive is in `root`."""
    return Settings.parse({"prefixes": {"e": "http://e/"}, "archive": archive}, root=root)


def opened(root: Path, **archive: object) -> Archive:
    """Its archive, open for writing."""
    knowledge = KnowledgeBase.of_turtle(KNOWLEDGE, reasoner="none")
    return Archive(project(root, **archive), knowledge, {STREAM: SHAPE})
