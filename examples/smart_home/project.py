"""Makes a project for the broker that somebody has, and an evening of messages."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

from ..project import place_project

_OWN = Path(__file__).parent
_SERVER = "mqtt://localhost:1883"


def prepare(folder: Path, server: str = _SERVER) -> Path:
    """Write a project file that listens to a broker.

    Args:
        folder: the project's folder.
        server: `mqtt://host:port` of the broker.

    Returns:
        The project file.
    """
    file = place_project(_OWN, folder)
    file.write_text(file.read_text(encoding="utf-8").replace(_SERVER, server), encoding="utf-8")
    return file


def messages(begin: datetime, count: int) -> Iterator[tuple[str, str]]:
    """Topic and payload of messages as Zigbee2MQTT and Home Assistant publish them, four each minute.

    Args:
        begin: aware time of the first minute.
        count: of minutes; every tenth a window is open, and every fifteenth the heating of its room goes on.
    """
    for minute in range(count):
        seen = (begin + timedelta(minutes=minute)).isoformat(timespec="milliseconds")
        window = {"contact": minute % 10 != 5, "battery": 97, "last_seen": seen}
        air = {"temperature": 21.5, "humidity": 60 + minute % 20, "battery": 80, "last_seen": seen}
        yield "zigbee2mqtt/hall_window", json.dumps(window)
        yield "zigbee2mqtt/bath_climate", json.dumps(air)
        yield "homeassistant/climate/hall_radiator/state", "heat" if minute % 15 == 14 else "off"
        yield "homeassistant/sensor/outside/state", "unavailable" if minute % 7 == 0 else "4.5"
