"""Servers and options of a project in; clients of Kafka, what they read, and records that brokers acknowledge, out."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from .acknowledged_producer import AcknowledgedProducer, KafkaRecord, KafkaRefusalError
from .kafka_client import client_options, is_lasting, kafka_library
from .offset_ranges import Offsets
from .starting_offsets import noted_start

if TYPE_CHECKING:
    from .kafka_data_source import KAFKA_FORMAT, KafkaDataSource, TopicRead
    from .topic_tail import TopicTail

_LATER = {
    "KAFKA_FORMAT": ".kafka_data_source",
    "KafkaDataSource": ".kafka_data_source",
    "TopicRead": ".kafka_data_source",
    "TopicTail": ".topic_tail",
}

__all__ = [
    "KAFKA_FORMAT",
    "AcknowledgedProducer",
    "KafkaDataSource",
    "KafkaRecord",
    "KafkaRefusalError",
    "Offsets",
    "TopicRead",
    "TopicTail",
    "client_options",
    "is_lasting",
    "kafka_library",
    "noted_start",
]


def __getattr__(name: str) -> object:
    """What loads Spark and Arrow, on first use: actions need none of it."""
    if name in _LATER:
        return getattr(import_module(_LATER[name], __name__), name)
    message = f"module '{__name__}' has no attribute '{name}'"
    raise AttributeError(message)
