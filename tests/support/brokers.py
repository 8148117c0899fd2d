"""A real Mosquitto, one that is installed or that `make setup` has unpacked below `.cache`; and who listens to it."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from paho.mqtt import client as mqtt
from paho.mqtt import publish
from paho.mqtt.enums import CallbackAPIVersion

from .receivers import eventually

__all__ = ["free_port", "guarded", "killed_mosquitto", "lasting", "listener", "mosquitto", "published"]

UNPACKED = Path(__file__).parents[2] / ".cache" / "mosquitto"
MOSQUITTO = shutil.which("mosquitto", path=f"{UNPACKED}:{os.environ['PATH']}:/usr/sbin:/usr/local/sbin")


def free_port() -> int:
    """One that nobody listens to."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@contextmanager
def mosquitto(folder: Path, port: int, *lines: str, anonymous: bool = True, killed: bool = False) -> Iterator[str]:
    """A broker; its address.

    Args:
        folder: for its files.
        port: that it listens to.
        lines: of its configuration, behind those of its listener.
        anonymous: whether it takes whom it does not know.
        killed: whether it ends without a word.
    """
    assert MOSQUITTO is not None, "tests of MQTT need Mosquitto: `make setup`, or else apt-get install mosquitto"
    config = folder / "mosquitto.conf"
    own = [f"listener {port} 127.0.0.1", f"allow_anonymous {str(anonymous).lower()}", "max_packet_size 100000"]
    config.write_text("\n".join([*own, *lines, ""]))
    with subprocess.Popen([MOSQUITTO, "-c", str(config)], stderr=subprocess.DEVNULL) as process:
        assert eventually(lambda: _listens(port))
        try:
            yield f"127.0.0.1:{port}"
        finally:
            process.kill() if killed else process.terminate()


def guarded(folder: Path, may: str) -> tuple[str, ...]:
    """Lines for one that lets in `me` with the password `secret`, who may subscribe to some topics.

    Files of rights refuse nobody a subscription, whatever they say: that takes a plugin, which Mosquitto brings.

    Args:
        folder: for its files.
        may: a filter of topics.
    """
    assert MOSQUITTO is not None
    places = [UNPACKED, Path("/usr/lib"), Path("/usr/local/lib"), Path("/opt/homebrew/lib")]
    plugin = next(file for place in places for file in place.rglob("mosquitto_dynamic_security.so"))
    salt = b"saltsaltsalt"
    digest = hashlib.pbkdf2_hmac("sha512", b"secret", salt, 101)
    user = {"username": "me", "iterations": 101, "roles": [{"rolename": "reader"}]}
    user |= {"password": base64.b64encode(digest).decode(), "salt": base64.b64encode(salt).decode()}
    right = {"acltype": "subscribePattern", "topic": may, "priority": 0, "allow": True}
    rights = {
        "defaultACLAccess": {
            "publishClientSend": True,
            "publishClientReceive": True,
            "subscribe": False,
            "unsubscribe": True,
        },
        "clients": [user],
        "roles": [{"rolename": "reader", "acls": [right]}],
    }
    file = folder / "rights.json"
    file.write_text(json.dumps(rights))
    own = ("user root",) if os.geteuid() == 0 else ()
    return (*own, f"plugin {plugin}", f"plugin_opt_config_file {file}")


def lasting(folder: Path) -> tuple[str, ...]:
    """Lines for one that writes down what it has, each time that changes; it changes no user for that."""
    own = ("user root",) if os.geteuid() == 0 else ()
    kept = (f"persistence_location {folder}/", "autosave_on_changes true", "autosave_interval 1")
    return (*own, "persistence true", *kept)


@contextmanager
def killed_mosquitto(folder: Path, port: int) -> Iterator[str]:
    """One that lasts, killed at the end when it has written down what it had."""
    with mosquitto(folder, port, *lasting(folder), killed=True) as address:
        yield address
        written = folder / "mosquitto.db"
        before = written.stat().st_mtime_ns if written.exists() else 0
        published(address, ("written", b"x"), retain=True)
        assert eventually(lambda: written.exists() and written.stat().st_mtime_ns > before)


def published(broker: str, *messages: tuple[str, str | bytes], **given: Any) -> None:
    """Publish messages, a topic and a payload each, with QoS 1; when this returns, the broker has them."""
    host, _, port = broker.partition(":")
    own: list[Any] = [{"topic": topic, "payload": payload, "qos": 1, **given} for topic, payload in messages]
    publish.multiple(own, hostname=host, port=int(port))


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
