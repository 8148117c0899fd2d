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

import pytest
from kaicep import Project
from kaicep.examples import smart_home
from kaicep.examples.smart_home import messages, prepare
from support.brokers import free_port, killed_mosquitto, lasting, mosquitto, published
from support.receivers import eventually

EXAMPLE = Path(smart_home.__file__).parent
BEGIN = datetime(2026, 1, 15, 18, tzinfo=UTC)
PATIENCE_S = 900.0
DAMP = (EXAMPLE / "queries" / "2_damp.chi").read_text(encoding="utf-8")


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
    heated = (EXAMPLE / "queries" / "1_heated_street.chi").read_text(encoding="utf-8")
    events = {"sensor": sensors, "state": states}
    assert len(project.evaluate(heated, events)) == 6 * 4
    assert len(project.evaluate(DAMP, events)) == sum(minute % 20 > 10 for minute in range(60))


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


def damp(folder: Path) -> list[str]:
    file = folder / "rows.jsonl"
    rows = [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []
    return [row["_time"] for row in rows if row["_query"] == "damp"]


@pytest.mark.long
@pytest.mark.spark
def test_each_row_is_there_once_though_engine_and_broker_are_killed(tmp_path: Path) -> None:
    """What was published while the one or the other was away is there, too; what is no record costs nothing else."""
    port = free_port()
    prepare(tmp_path / "home", f"mqtt://127.0.0.1:{port}")
    home = tmp_path / "home"
    given = [(topic, payload) for topic, payload in messages(BEGIN, 150) if topic.startswith("zigbee")]
    expected = [(BEGIN + timedelta(minutes=minute)) for minute in range(150) if minute % 20 > 10]
    with killed_mosquitto(tmp_path, port) as broker:
        with engine(home):
            session = home / "var/state/inbox/sensor.session"
            assert eventually(lambda: session.exists() and "zigbee" in session.read_text(), PATIENCE_S)
            published(broker, *given[:100], ("zigbee2mqtt/hall_window", "no record"))
            assert eventually(lambda: len(damp(home)) > 5, PATIENCE_S)
            published(broker, *given[100:130])
        published(broker, *given[130:200])
    with mosquitto(tmp_path, port, *lasting(tmp_path)) as broker, engine(home):
        published(broker, *given[200:])
        assert eventually(lambda: len(damp(home)) >= len(expected), PATIENCE_S)
        assert sorted(map(datetime.fromisoformat, damp(home))) == expected
        letters = [file.read_text() for file in (home / "var/state/dead-letters/sensor").glob("*")]
    assert "topic zigbee2mqtt/hall_window" in "".join(letters)
