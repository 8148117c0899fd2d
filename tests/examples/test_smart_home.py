"""A home by MQTT, against a real Mosquitto; engine and broker are killed in between."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from kaicep import Engine, Project
from kaicep.examples import smart_home
from kaicep.examples.smart_home import messages, prepare
from kaicep.pipeline.sinks import CallbackSink
from support.brokers import free_port, killed_mosquitto, lasting, mosquitto, published
from support.receivers import eventually

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

EXAMPLE = Path(smart_home.__file__).parent
BEGIN = datetime(2026, 1, 15, 18, tzinfo=UTC)
PATIENCE_S = 900.0
HEATED, DAMP = (
    (EXAMPLE / "queries" / f"{name}.chi").read_text(encoding="utf-8") for name in ("1_heated_street", "2_damp")
)


def test_its_queries_find_what_they_say(tmp_path: Path) -> None:
    """Of recorded messages, without a broker."""
    project = Project.load(prepare(tmp_path))
    sensors, states = list[dict[str, object]](), list[dict[str, object]]()
    for number, (topic, payload) in enumerate(messages(BEGIN, 60)):
        _, domain, *entity = topic.split("/")
        if entity:
            received = (BEGIN + timedelta(minutes=number // 4, seconds=30)).isoformat()
            states.append({"domain": domain, "entity": entity[0], "state": payload, "received": received})
        else:
            sensors.append({"device": domain, **json.loads(payload)})
    events = {"sensor": sensors, "state": states}
    assert len(project.evaluate(HEATED, events)) == 6 * 4
    assert len(project.evaluate(DAMP, events)) == sum(minute % 20 > 10 for minute in range(60))


@pytest.mark.spark
def test_a_broker_s_messages_lead_to_the_rows_of_both(tmp_path: Path, spark: SparkSession) -> None:
    """States have no time but that at which they came: each that is `heat` meets the openings of the last hour."""
    port, rows = free_port(), list[dict[str, Any]]()
    project = Project.load(prepare(tmp_path / "home", f"mqtt://127.0.0.1:{port}"))
    sink = CallbackSink(lambda _, row: rows.append(row))
    with mosquitto(tmp_path, port) as broker, Engine(project, spark=spark, sinks=[sink]) as running:
        running.submit(HEATED, label="heated")
        running.submit(DAMP, label="damp")
        running.run_available()  # topics are subscribed to
        began = datetime.now(UTC)
        begin = (began - timedelta(minutes=30)).replace(microsecond=0)
        published(broker, *messages(begin, 30))
        running.run_available()
        running.finish()
    heated = [row for row in rows if "heating" in row]
    assert len(heated) == 3 * 2
    assert {(row["opening"], row["heating"]) for row in heated} == {("hall_window", "hall_radiator")}
    assert all(began <= row["_time"] <= datetime.now(UTC) for row in heated)
    damp_minutes = [begin + timedelta(minutes=minute) for minute in range(30) if minute % 20 > 10]
    assert [row["_time"] for row in rows if "humidity" in row] == damp_minutes


@contextmanager
def engine(folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    """`kaicep run`, killed with all its processes at the end."""
    words = ["run", str(folder), "--out", str(folder / "rows.jsonl"), "--append", "--quiet"]
    process = subprocess.Popen([sys.executable, "-m", "kaicep", *words], start_new_session=True)
    try:
        yield process
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def rows_of(folder: Path, query: str) -> list[dict[str, Any]]:
    file = folder / "rows.jsonl"
    rows = [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []
    return [row for row in rows if row["_query"] == query]


def times(rows: list[dict[str, Any]]) -> list[datetime]:
    return sorted(datetime.fromisoformat(row["_time"]) for row in rows)


def heats_of(folder: Path, begin: datetime) -> list[int]:
    """How many states each opening of the last half an hour was paired with."""
    openings = [begin + timedelta(minutes=minute) for minute in (125, 135, 145)]
    micros = [f"/{int(moment.timestamp())}000000" for moment in openings]
    events = [event for row in rows_of(folder, "heatedStreet") for event in row["_events"]["open"]]
    return [sum(event.endswith(end) for event in events) for end in micros if any(e.endswith(end) for e in events)]


@pytest.mark.long
@pytest.mark.spark
def test_each_row_is_there_once_though_engine_and_broker_are_killed(tmp_path: Path) -> None:
    """What was published while the one or the other was away is there, too; what is no record costs nothing else.

    A state that is sent again, since it was not acknowledged yet, is another event: its rows are there, and perhaps
    more.
    """
    port = free_port()
    prepare(tmp_path / "home", f"mqtt://127.0.0.1:{port}")
    home = tmp_path / "home"
    began = datetime.now(UTC)
    begin = (began - timedelta(minutes=149)).replace(microsecond=0)
    given = list(messages(begin, 150))
    expected = [(begin + timedelta(minutes=minute)) for minute in range(150) if minute % 20 > 10]
    with killed_mosquitto(tmp_path, port) as broker:
        with engine(home):
            sessions = [home / f"var/state/inbox/{name}.session" for name in ("sensor", "state")]
            assert eventually(lambda: all(one.exists() and "/" in one.read_text() for one in sessions), PATIENCE_S)
            published(broker, *given[:200], ("zigbee2mqtt/hall_window", "no record"))
            assert eventually(lambda: len(rows_of(home, "damp")) > 5, PATIENCE_S)
            published(broker, *given[200:260])
        published(broker, *given[260:400])
    with mosquitto(tmp_path, port, *lasting(tmp_path)) as broker, engine(home):
        published(broker, *given[400:])
        assert eventually(lambda: len(rows_of(home, "damp")) >= len(expected), PATIENCE_S)
        assert times(rows_of(home, "damp")) == expected
        assert eventually(lambda: len(heats_of(home, begin)) == 3 and min(heats_of(home, begin)) >= 10, PATIENCE_S)
        letters = [file.read_text() for file in (home / "var/state/dead-letters/sensor").glob("*")]
    assert "topic zigbee2mqtt/hall_window" in "".join(letters)
    heated = rows_of(home, "heatedStreet")
    assert len({row["_id"] for row in heated}) == len(heated)
    assert all(began <= time <= datetime.now(UTC) for time in times(heated))
