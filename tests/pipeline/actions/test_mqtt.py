"""MQTT, against a real Mosquitto: one that is installed, or that `make setup` has unpacked below `.cache`."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from kaicep.pipeline.actions import DeliveryError
from paho.mqtt import client as mqtt
from paho.mqtt.enums import CallbackAPIVersion
from support.receivers import action, call, eventually

UNPACKED = Path(__file__).parents[3] / ".cache" / "mosquitto"
MOSQUITTO = shutil.which("mosquitto", path=f"{UNPACKED}:{os.environ['PATH']}:/usr/sbin:/usr/local/sbin")


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[str]:
    assert MOSQUITTO is not None, "tests of MQTT need Mosquitto: `make setup`, or else apt-get install mosquitto"
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    config = tmp_path / "mosquitto.conf"
    config.write_text(f"listener {port} 127.0.0.1\nallow_anonymous true\n")
    with subprocess.Popen([MOSQUITTO, "-c", str(config)], stderr=subprocess.DEVNULL) as process:
        assert eventually(lambda: _listens(port))
        yield f"127.0.0.1:{port}"
        process.terminate()


def _listens(port: int) -> bool:
    with socket.socket() as there:
        return there.connect_ex(("127.0.0.1", port)) == 0


@contextmanager
def listener(broker: str) -> Iterator[list[tuple[str, dict[str, object]]]]:
    """What is published, by topic."""
    found: list[tuple[str, dict[str, object]]] = []
    listening: list[bool] = []
    client = mqtt.Client(CallbackAPIVersion.VERSION2)
    client.on_message = lambda _client, _data, message: found.append((message.topic, json.loads(message.payload)))
    client.on_subscribe = lambda *_: listening.append(True)
    host, _, port = broker.partition(":")
    client.connect(host, int(port))
    client.subscribe("alarms/#", qos=1)
    client.loop_start()
    assert eventually(lambda: bool(listening))
    yield found
    client.disconnect()
    client.loop_stop()


def test_calls_are_published_in_order(broker: str, tmp_path: Path) -> None:
    with listener(broker) as found:
        publisher = action(tmp_path, mqtt={"broker": broker, "topic": "alarms/{room}"})
        publisher.send([call(n, room="B1") for n in range(100)])
        assert eventually(lambda: len(found) == 100)
        publisher.close()
    assert [given["_id"] for _, given in found] == [f"r-{n}" for n in range(100)]
    assert {topic for topic, _ in found} == {"alarms/B1"}


def test_values_make_no_levels_and_no_wildcards(broker: str, tmp_path: Path) -> None:
    with listener(broker) as found:
        publisher = action(tmp_path, mqtt={"broker": broker, "topic": "alarms/{room}"})
        publisher.send([call(1, room="büro/+/#%")])
        assert eventually(lambda: len(found) == 1)
        publisher.close()
    assert found[0][0] == "alarms/büro%2F%2B%2F%23%25"


def test_calls_before_one_that_cannot_be_filled_are_delivered(broker: str, tmp_path: Path) -> None:
    publisher = action(tmp_path, mqtt={"broker": broker, "topic": "alarms/{room}"})
    with pytest.raises(DeliveryError) as caught:
        publisher.send([call(1, room="B1"), call(2), call(3, room="B3")])
    publisher.close()
    assert (caught.value.delivered, caught.value.hopeless) == (1, True)


def test_no_broker(tmp_path: Path) -> None:
    with pytest.raises(DeliveryError, match="the broker cannot be reached"):
        action(tmp_path, mqtt={"broker": "127.0.0.1:9", "topic": "t"}).send([call()])
