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

_OF_SPARK = ("KAFKA_FORMAT", "KafkaDataSource", "TopicRead")

__all__ = [
    "KAFKA_FORMAT",
    "AcknowledgedProducer",
    "KafkaDataSource",
    "KafkaRecord",
    "KafkaRefusalError",
    "Offsets",
    "TopicRead",
    "client_options",
    "is_lasting",
    "kafka_library",
    "noted_start",
]


def __getattr__(name: str) -> object:
    """What loads Spark, on first use: actions need none of it."""
    if name in _OF_SPARK:
        return getattr(import_module(".kafka_data_source", __name__), name)
    message = f"module '{__name__}' has no attribute '{name}'"
    raise AttributeError(message)
