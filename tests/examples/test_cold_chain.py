"""Readings from a topic, alarms and rows to others, with an engine that is killed in between."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from kaicep import Project
from kaicep.examples import cold_chain
from kaicep.examples.cold_chain import CONTAINERS, prepare, readings
from support.kafka import MockKafka, mock_kafka
from support.receivers import eventually

EXAMPLE = Path(cold_chain.__file__).parent
MINUTES = 60
PATIENCE_S = 240.0


def expected() -> list[tuple[str, str]]:
    """Container and time of the second of two readings in a row that are too warm, where that matters."""
    found, before = [], dict.fromkeys(CONTAINERS, 0.0)
    for container, text in readings(0, MINUTES):
        reading = json.loads(text)
        if container != "c2" and before[container] > 8 and reading["celsius"] > 8:
            found.append((container, reading["at"]))
        before[container] = reading["celsius"]
    return sorted(found)


def named(iri: str) -> str:
    return iri.rpartition("#")[2]


def test_its_query_finds_what_is_too_warm(tmp_path: Path) -> None:
    """Of recorded readings, without Kafka."""
    project = Project.load(prepare(tmp_path))
    events = [{"container": container, **json.loads(text)} for container, text in readings(0, MINUTES)]
    warm, spoils = ((EXAMPLE / "queries" / name).read_text(encoding="utf-8") for name in ("1_warm.chi", "2_spoils.chi"))
    rows = project.evaluate(warm, {"reading": events})
    assert len(rows) == len(expected())
    assert len(project.evaluate(f"{warm};\n{spoils}", {"reading": events}).calls) == len(expected())


@contextmanager
def engine(folder: Path, kafka: MockKafka, *options: str) -> Iterator[subprocess.Popen[bytes]]:
    """`kaicep run`, killed with all its processes at the end."""
    words = ["run", str(folder), "--format", "kafka", "--out", f"{kafka.servers}/rows", "--quiet", *options]
    process = subprocess.Popen([sys.executable, "-m", "kaicep", *words], start_new_session=True)
    try:
        yield process
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def put(kafka: MockKafka, first: int, count: int) -> None:
    for number, container in enumerate(CONTAINERS):
        own = [text for of, text in readings(first, count) if of == container]
        kafka.produce("readings", own, key=container, partition=number % 2)


@pytest.mark.long
@pytest.mark.spark
def test_each_row_and_alarm_is_there_once_though_the_engine_is_killed(tmp_path: Path) -> None:
    """Alarms are known by their keys of idempotency: one whose acknowledgement was lost comes again with the same."""
    with mock_kafka(readings=2, alarms=1, rows=1) as kafka:
        prepare(tmp_path, kafka.servers)
        put(kafka, 0, 25)
        with engine(tmp_path, kafka) as process:
            assert eventually(lambda: kafka.records("alarms", 1) or process.poll() is not None, PATIENCE_S)
            assert process.poll() is None
        put(kafka, 25, MINUTES - 25)
        with engine(tmp_path, kafka, "--finish") as process:
            assert process.wait(PATIENCE_S) == 0
        rows = [json.loads(record.value() or b"") for record in kafka.records("rows", 1000)]
        alarms = kafka.records("alarms", 1000)
    assert sorted((named(row["container"]), row["_time"]) for row in rows) == expected()
    assert {row["partition"] for row in rows} == {0}
    calls = {dict(record.headers() or [])["_id"]: json.loads(record.value() or b"") for record in alarms}
    assert sorted((named(call["arguments"]["container"]), call["_time"]) for call in calls.values()) == expected()
    assert {record.key() for record in alarms} == {b"c1", b"c3"}
