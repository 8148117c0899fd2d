"""Calls are records of a topic, as JSON: all replicas that are in sync have what counts as handed on."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ...errors import ConfigError, Place
from ...settings import KafkaSettings
from ..kafka import AcknowledgedProducer, KafkaRecord, KafkaRefusalError, client_options, kafka_library
from .action import ActionSpec, DeliveryError, made_of
from .call import ActionCall
from .call_template import CallTemplate

__all__ = ["KafkaAction"]

_AT_ONCE = 500
_OUTSIDE = re.compile(r"[^A-Za-z0-9._-]")
"""What of a value no topic may have: written as `_` and its number."""
_TOPIC = re.compile(r"(?!\.{1,2}$)[A-Za-z0-9._-]{1,249}")


class KafkaAction:
    """Writes calls into topics; see `Action`.

    Args:
        spec: what it is made of.
        kafka: its settings.

    Raises:
        ConfigError: confluent-kafka is not installed, or as `Action` says.
    """

    def __init__(self, spec: ActionSpec, kafka: KafkaSettings) -> None:
        self.batch = _AT_ONCE
        self._spec = spec
        self._topic = CallTemplate.parse(spec, "kafka.topic", kafka.topic)
        self._key = None if kafka.key is None else CallTemplate.parse(spec, "kafka.key", kafka.key)
        self.needs = self._topic.names | (frozenset() if self._key is None else self._key.names)
        options = client_options(
            kafka.servers, kafka.options, lambda name, text: spec.resolved(f"kafka.options.{name}", text)
        )
        library = kafka_library(f"{spec.place}.kafka", spec.file)
        self._producer = AcknowledgedProducer(library, options, spec.settings.timeout.total_seconds())

    def check(self) -> None:
        """See `Action.check`: whether the brokers are there is seen when there is a call."""
        try:
            self._producer.check()
        except KafkaRefusalError as error:
            raise ConfigError(
                f"{self._spec.place}.kafka.options: {error.reason}",
                place=Place(self._spec.file),
                hint="write options as librdkafka names them",
            ) from error

    def send(self, calls: Sequence[ActionCall]) -> None:
        """See `Action.send`."""
        records, fault = made_of(calls, self._record)
        try:
            self._producer.send(records)
        except KafkaRefusalError as error:
            raise DeliveryError(error.reason, delivered=error.delivered, hopeless=error.lasting) from None
        if fault is not None:
            raise fault

    def close(self) -> None:
        """See `Action.close`."""
        self._producer.close()

    def _record(self, call: ActionCall) -> KafkaRecord:
        topic = self._topic.filled(call, lambda value: _OUTSIDE.sub(lambda found: f"_{ord(found[0]):x}", value))
        if _TOPIC.fullmatch(topic) is None:
            raise DeliveryError(f"no topic can be called {topic[:300]!r}", hopeless=True)
        key = None if self._key is None else self._key.filled(call)
        return KafkaRecord(topic, call.to_json().encode(), key, {"_id": call.id, "rule": call.rule})
