"""A broker's settings in; clients of MQTT out."""

from __future__ import annotations

from .mqtt_client import broker_client, encrypt, mqtt_library, told_of, unreachable

__all__ = ["broker_client", "encrypt", "mqtt_library", "told_of", "unreachable"]
