"""Calls are published as JSON with QoS 1: the broker has acknowledged what counts as handed on.

Source: MQTT 3.1.1, §4.3.2; MQTT 5.0, §3.4.2.1 (why what is acknowledged is refused).
"""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING
from urllib.parse import quote

from ...settings import MqttSettings
from ..mqtt import encrypt, mqtt_library, unreachable
from .action import ActionSpec, DeliveryError, made_of
from .call import ActionCall
from .call_template import CallTemplate

if TYPE_CHECKING:
    from paho.mqtt.client import Client, MQTTMessageInfo
    from paho.mqtt.reasoncodes import ReasonCode

__all__ = ["MqttAction"]

_PORT, _TLS_PORT = 1883, 8883
_AT_ONCE = 100
_POLL_S = 0.05
_QUOTA = 151
"""The reason code of a broker that takes no more for the moment."""
_NONCHARACTERS = "\ufdd0-\ufdef" + "".join(
    f"{chr(plane + 0xFFFE)}{chr(plane + 0xFFFF)}" for plane in range(0, 0x110000, 0x10000)
)
_RESERVED = re.compile(f"[/+#%\\x00-\\x1f\\x7f-\\x9f{_NONCHARACTERS}]")
"""What of a value would make other levels of a topic, or none that a broker takes: percent-encoded."""


class MqttAction:
    """Publishes calls; see `Action`.

    Args:
        spec: what it is made of.
        mqtt: its settings.

    Raises:
        ConfigError: paho-mqtt is not installed, or as `Action` says.
    """

    def __init__(self, spec: ActionSpec, mqtt: MqttSettings) -> None:
        self.batch = _AT_ONCE
        self._spec, self._mqtt = spec, mqtt
        self._topic = CallTemplate.parse(spec, "mqtt.topic", mqtt.topic)
        self.needs = self._topic.names
        self._user = None if mqtt.user is None else spec.resolved("mqtt.user", mqtt.user)
        self._password = None if mqtt.password is None else spec.resolved("mqtt.password", mqtt.password)
        self._library = mqtt_library(f"{spec.place}.mqtt", spec.file)
        self._client: Client | None = None
        self._losses: list[object] = []
        self._refusals: dict[int, ReasonCode] = {}
        self._made()  # what is not there is said at once

    def check(self) -> None:
        """See `Action.check`: whether the broker is there is seen when there is a call."""

    def send(self, calls: Sequence[ActionCall]) -> None:
        """See `Action.send`."""
        until = time.monotonic() + self._spec.settings.timeout.total_seconds()
        client = self._connected(until)
        self._refusals.clear()  # of calls that came behind a refused one, whose numbers others get in time
        sent, fault = made_of(calls, lambda call: self._published(client, call))
        for number, message in enumerate(sent):
            if not self._acknowledged(message, until):
                lost = bool(self._losses)
                self.close()
                said = "the broker breaks the connection" if lost else "the broker does not acknowledge in time"
                raise DeliveryError(said, delivered=number, refused=lost)
            if (reason := self._refusals.pop(message.mid, None)) is not None:
                said = f"the broker refuses what is published: {str(reason).lower()}"
                raise DeliveryError(said, delivered=number, refused=reason.value != _QUOTA)
        if fault is not None:
            raise fault

    def close(self) -> None:
        """See `Action.close`."""
        if self._client is not None:
            self._client.disconnect()
            self._client.loop_stop()
        self._client = None

    def _published(self, client: Client, call: ActionCall) -> MQTTMessageInfo:
        topic = self._topic.filled(call, _level)
        if topic.startswith("$") and self._topic.begins_with_value:  # the broker's own topics
            topic = f"%24{topic[1:]}"
        if not topic:
            raise DeliveryError("no broker could be given this: its topic is empty", hopeless=True)
        try:
            return client.publish(topic, call.to_json(), qos=1, retain=self._mqtt.retain)
        except ValueError as error:  # a text that is longer than the protocol has room for
            raise DeliveryError(f"no broker could be given this: {error}", hopeless=True) from None

    def _acknowledged(self, message: MQTTMessageInfo, until: float) -> bool:
        """Whether a broker has a message; it may end the connection because of one that it does not like."""
        try:
            while not message.is_published() and not self._losses and time.monotonic() < until:
                message.wait_for_publish(_POLL_S)
            return message.is_published()
        except (RuntimeError, ValueError):  # the connection was lost, or too many wait
            return False

    def _made(self) -> Client:
        protocol = self._library.MQTTv5 if self._mqtt.version == "5" else self._library.MQTTv311
        made: Client = self._library.Client(self._library.CallbackAPIVersion.VERSION2, protocol=protocol)
        if self._user is not None:
            made.username_pw_set(self._user, self._password)
        if self._mqtt.encrypted:
            encrypt(made, self._mqtt, f"{self._spec.place}.mqtt", self._spec.root, self._spec.file)
        return made

    def _connected(self, until: float) -> Client:
        if self._client is not None and self._client.is_connected() and not self._losses:
            return self._client
        self.close()
        client = self._made()
        refusals: list[str] = []
        losses: list[object] = []
        numbers: dict[int, ReasonCode] = {}
        client.on_disconnect = lambda *said: losses.append(said)
        client.on_publish = lambda *said: numbers.update({said[2]: said[3]} if said[3].is_failure else {})
        client.on_connect = lambda *said: refusals.append(str(said[3])) if said[3].is_failure else None
        host, _, port = self._mqtt.broker.partition(":")
        client.connect_timeout = max(0.1, until - time.monotonic())
        try:
            client.connect(host, int(port or (_TLS_PORT if self._mqtt.tls else _PORT)))
        except OSError as error:
            raise DeliveryError(f"the broker {unreachable(error)}") from None
        client.loop_start()
        self._client, self._losses, self._refusals = client, losses, numbers
        while not client.is_connected():
            if refusals or time.monotonic() > until:
                self.close()
                said = f"the broker refuses the connection: {refusals[0]}" if refusals else "the broker does not answer"
                raise DeliveryError(said)
            time.sleep(0.005)
        return client


def _level(value: str) -> str:
    return _RESERVED.sub(lambda found: quote(found[0], safe=""), value)
