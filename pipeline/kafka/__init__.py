"""Servers and options of a project in; clients of Kafka, and records that its brokers have acknowledged, out."""

from __future__ import annotations

from .acknowledged_producer import AcknowledgedProducer, KafkaRecord, KafkaRefusalError
from .kafka_client import client_options, is_lasting, kafka_library

__all__ = [
    "AcknowledgedProducer",
    "KafkaRecord",
    "KafkaRefusalError",
    "client_options",
    "is_lasting",
    "kafka_library",
]
