"""Events as messages of topics: `mqtt://broker:1883/building/{room}/{kind}`, where names are attributes."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from pydantic import ValidationError

from ...errors import PipelineError
from ...pipeline.mqtt import broker_client, told_of, unreachable
from ...settings.mqtt import BrokerSettings, MqttSourceSettings, TopicPattern
from .replay_target import TargetSpec

if TYPE_CHECKING:
    from paho.mqtt.client import Client, MQTTMessageInfo
    from paho.mqtt.reasoncodes import ReasonCode

__all__ = ["MqttTarget"]

_TIMEOUT_S = 30.0
_POLL_S = 0.05


class MqttTarget:
    """A broker; see `ReplayTarget`. What stands in a topic does not stand in its messages.

    User, password and certificates are those of the project's stream, if that comes by MQTT.

    Args:
        spec: what it is made of; a URL without a topic means the first one of the stream.

    Raises:
        ConfigError: the library or a secret is not there.
        PipelineError: the URL is none, names no topic, or the broker cannot be reached.
    """

    def __init__(self, spec: TargetSpec) -> None:
        scheme, _, rest = spec.url.partition("://")
        place, _, topic = rest.partition("/")
        source = _source(spec)
        self._topic = _pattern(unquote(topic) or (source.topics[0] if source is not None else ""))
        self.texts = frozenset(name for name in self._topic.names if name is not None)
        self._value = None if source is None else source.value
        self._broker = _broker(f"{scheme}://{place}", source)
        key = f"streams.{spec.stream}.source.mqtt" if source is not None else "--to"
        self._client = broker_client(self._broker, key, spec.settings.root, spec.settings.file)
        self._about = told_of(self._broker)
        self._refusals: dict[int, str] = {}
        self._connect()

    patience = timedelta(seconds=_TIMEOUT_S)

    def send(self, events: Sequence[Mapping[str, Any]]) -> None:
        """See `ReplayTarget.send`: with QoS 1; a connection that is lost is made again meanwhile."""
        until = time.monotonic() + _TIMEOUT_S
        messages = [self._message(event) for event in events]  # all of them, before one is on its way
        sent = [(topic, self._client.publish(topic, text, qos=1)) for topic, text in messages]
        for topic, message in sent:
            while not _acknowledged(message):
                if time.monotonic() > until:
                    hint = "see to the broker, and repeat what was not sent"
                    raise PipelineError(self._about("does not acknowledge in time"), hint=hint)
            if (refusal := self._refusals.pop(message.mid, None)) is not None:
                hint = "see what its user may publish, and repeat what was not sent"
                raise PipelineError(self._about(f"refuses what is published to '{topic}': {refusal}"), hint=hint)

    def close(self) -> None:
        """See `ReplayTarget.close`."""
        self._client.disconnect()
        self._client.loop_stop()

    def _connect(self) -> None:
        told: list[str] = []
        self._client.on_connect_fail = lambda *_: told.append(unreachable(sys.exception()))
        self._client.on_connect = lambda *said: told.append(
            f"refuses the connection: {str(said[3]).lower()}" if said[3].is_failure else ""
        )
        self._client.on_publish = self._on_publish
        self._client.max_inflight_messages_set(1000)
        host, port = self._broker.address
        self._client.connect_async(host, port)
        self._client.loop_start()
        until = time.monotonic() + _TIMEOUT_S
        while not told and time.monotonic() < until:
            time.sleep(0.005)
        reason = told[0] if told else "does not answer"
        if reason:
            self.close()
            raise PipelineError(self._about(reason), hint="see that it runs there, and whom it lets in")

    def _on_publish(self, _client: Client, _data: object, number: int, reason: ReasonCode, _properties: object) -> None:
        """A broker of MQTT 5 acknowledges what it refuses, too; one of 3.1.1 says nothing of it."""
        if reason.is_failure:
            self._refusals[number] = str(reason).lower()

    def _message(self, event: Mapping[str, Any]) -> tuple[str, str]:
        """Topic and payload."""
        topic = "/".join(
            level if name is None else _level(event, name, alone=level != "#")
            for level, name in zip(self._topic.levels, self._topic.names, strict=True)
        )
        body = {name: value for name, value in event.items() if name not in self._topic.names}
        alone = body.get(self._value) if self._value is not None else None
        return topic, json.dumps(body if alone is None else alone, ensure_ascii=False)


def _source(spec: TargetSpec) -> MqttSourceSettings | None:
    stream = None if spec.stream is None else spec.settings.streams.get(spec.stream)
    return None if stream is None or stream.source is None else stream.source.mqtt


def _broker(server: str, source: MqttSourceSettings | None) -> BrokerSettings:
    own = {} if source is None else {name: getattr(source, name) for name in BrokerSettings.model_fields}
    if server.startswith("mqtt:"):  # certificates are for connections that are encrypted
        own = {name: value for name, value in own.items() if name not in ("ca", "certificate", "key")}
    try:
        return BrokerSettings.model_validate({**own, "server": server})
    except ValidationError as error:
        message = error.errors()[0]["msg"].removeprefix("Value error, ")
        raise PipelineError(message, hint="write mqtt://broker:1883/topic/{attribute}") from None


def _pattern(text: str) -> TopicPattern:
    hint = "write --to mqtt://broker:1883/topic/{attribute}"
    try:
        found = TopicPattern.parse(text)
    except ValueError as error:
        raise PipelineError(str(error), hint=hint) from None
    open_level = next((n for n, (of, name) in enumerate(zip(found.levels, found.names, strict=True), 1)
                       if name is None and of in ("+", "#")), None)  # fmt: skip
    if open_level is not None:
        raise PipelineError(f"'{text}' does not say what stands in level {open_level}", hint=hint)
    return found


def _level(event: Mapping[str, Any], name: str, *, alone: bool) -> str:
    """What stands at a level, or where it is not `alone` at all that are left."""
    value = event.get(name)
    signs = "+#\0/" if alone else "+#\0"
    if value is None or any(sign in str(value) for sign in signs):
        last = f"; {{{name}#}} at the end may have several levels" if alone and "/" in str(value) else ""
        raise PipelineError(
            f"the topic needs {{{name}}}, which is {value!r} in {dict(event)}", hint=f"name another topic{last}"
        )
    return str(value)


def _acknowledged(message: MQTTMessageInfo) -> bool:
    try:
        message.wait_for_publish(_POLL_S)
    except (RuntimeError, ValueError):  # the connection is lost: what waits goes out with the next one
        time.sleep(_POLL_S)
    return message.is_published()
