"""Topics of Kafka in, by Spark's own connector or by ours; raw records by topic, partition and offset out."""

from __future__ import annotations

from .kafka_source import KafkaSource

__all__ = ["KafkaSource"]
