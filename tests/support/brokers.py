"""A real Mosquitto, one that is installed or that `make setup` has unpacked below `.cache`; and who listens to it."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from paho.mqtt import client as mqtt
from paho.mqtt.enums import CallbackAPIVersion

from .receivers import eventually

__all__ = ["free_port", "listener", "mosquitto"]

UNPACKED = Path(__file__).parents[2] / ".cache" / "mosquitto"
MOSQUITTO = shutil.which("mosquitto", path=f"{UNPACKED}:{os.environ['PATH']}:/usr/sbin:/usr/local/sbin")


def free_port() -> int:
    """One that nobody listens to."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@contextmanager
def mosquitto(folder: Path, port: int) -> Iterator[str]:
    """A broker; its address."""
    assert MOSQUITTO is not None, "tests of MQTT need Mosquitto: `make setup`, or else apt-get install mosquitto"
    config = folder / "mosquitto.conf"
    config.write_text(f"listener {port} 127.0.0.1\nallow_anonymous true\nmax_packet_size 100000\n")
    with subprocess.Popen([MOSQUITTO, "-c", str(config)], stderr=subprocess.DEVNULL) as process:
        assert eventually(lambda: _listens(port))
        yield f"127.0.0.1:{port}"
        process.terminate()


def _listens(port: int) -> bool:
    with socket.socket() as there:
        return there.connect_ex(("127.0.0.1", port)) == 0


@contextmanager
def listener(broker: str, topics: str = "alarms/#") -> Iterator[list[tuple[str, dict[str, object]]]]:
    """What is published, by topic."""
    found: list[tuple[str, dict[str, object]]] = []
    listening: list[bool] = []
    client = mqtt.Client(CallbackAPIVersion.VERSION2)
    client.on_message = lambda _client, _data, message: found.append((message.topic, json.loads(message.payload)))
    client.on_subscribe = lambda *_: listening.append(True)
    host, _, port = broker.partition(":")
    client.connect(host, int(port))
    client.subscribe(topics, qos=1)
    client.loop_start()
    assert eventually(lambda: bool(listening))
    yield found
    client.disconnect()
    client.loop_stop()
