"""Events as records of a topic of Kafka: `kafka://broker:9092/topic?security.protocol=SSL`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from ...errors import PipelineError
from ...pipeline.kafka import AcknowledgedProducer, KafkaRecord, KafkaRefusalError, client_options, kafka_library
from ...settings import found_secret
from .replay_target import TargetSpec

__all__ = ["KafkaTarget"]

_TIMEOUT_S = 30.0
_OURS = "the command line"


class KafkaTarget:
    """A topic; see `ReplayTarget`.

    Args:
        spec: what it is made of.

    Raises:
        ConfigError: confluent-kafka is not installed, or a secret is not there.
        PipelineError: the URL names no topic.
    """

    def __init__(self, spec: TargetSpec) -> None:
        parts = urlsplit(spec.url)
        self._topic, self._key = parts.path.strip("/"), spec.key
        self.texts = frozenset[str]() if spec.key is None else frozenset({spec.key})
        if not parts.netloc or not self._topic:
            raise PipelineError(f"'{spec.url}' names no topic", hint="write kafka://broker:9092/topic")
        library = kafka_library("--to", _OURS)
        options = dict(parse_qsl(parts.query))
        client = client_options(parts.netloc, options, lambda name, text: found_secret(name, text, Path(), _OURS))
        self._producer = AcknowledgedProducer(library, client, _TIMEOUT_S)

    patience = timedelta(seconds=_TIMEOUT_S)

    def send(self, events: Sequence[Mapping[str, Any]]) -> None:
        """See `ReplayTarget.send`."""
        records = [KafkaRecord(self._topic, self._value(event), self._key_of(event), {}) for event in events]
        try:
            self._producer.send(records)
        except KafkaRefusalError as error:
            raise PipelineError(
                f"the topic {self._topic} does not take events: {error.reason}",
                hint="see to the brokers, the topic and its rights",
            ) from error

    def close(self) -> None:
        """See `ReplayTarget.close`."""
        self._producer.close()

    def _value(self, event: Mapping[str, Any]) -> bytes:
        """The event without what its key says."""
        return json.dumps({k: v for k, v in event.items() if k != self._key}, ensure_ascii=False).encode()

    def _key_of(self, event: Mapping[str, Any]) -> str | None:
        key = None if self._key is None else event.get(self._key)
        return None if key is None else str(key)
