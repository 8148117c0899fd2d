"""Kafka for tests: brokers of librdkafka's mock cluster in a process of their own, and what stands in their topics."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from confluent_kafka import OFFSET_BEGINNING, Consumer, Message, Producer, TopicPartition

__all__ = ["BROKERS", "MockKafka", "mock_kafka"]

BROKERS = (1, 2, 3)
_PROCESS = Path(__file__).with_name("mock_kafka_process.py")
_PATIENCE_S = 20.0


@dataclass(frozen=True)
class MockKafka:
    """A cluster.

    Attributes:
        servers: its addresses.
        process: that it lives in.
    """

    servers: str
    process: subprocess.Popen[str]

    def tell(self, command: str) -> None:
        """Give a command of `mock_kafka_process`."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(f"{command}\n")
        self.process.stdin.flush()
        assert self.process.stdout.readline() == "0\n", command

    def down(self) -> None:
        """Let all brokers be away."""
        for broker in BROKERS:
            self.tell(f"down {broker}")

    def up(self) -> None:
        """Let them be there again."""
        for broker in BROKERS:
            self.tell(f"up {broker}")

    def produce(
        self,
        topic: str,
        values: Sequence[str | bytes | None],
        *,
        partition: int = 0,
        key: str | None = None,
        headers: Mapping[str, str] | None = None,
        time_ms: int = 0,
    ) -> None:
        """Put records into a partition."""
        producer = Producer({"bootstrap.servers": self.servers, "enable.idempotence": True})
        for value in values:
            producer.produce(topic, value, key, partition=partition, headers=dict(headers or {}), timestamp=time_ms)
            producer.poll(0)
        assert producer.flush(_PATIENCE_S) == 0

    def records(self, topic: str, wanted: int) -> list[Message]:
        """The first records of a topic, by partition and offset; fewer than wanted where there are no more."""
        consumer = Consumer({"bootstrap.servers": self.servers, "group.id": "tests", "enable.partition.eof": True})
        partitions = list(consumer.list_topics(topic, _PATIENCE_S).topics[topic].partitions)
        consumer.assign([TopicPartition(topic, partition, OFFSET_BEGINNING) for partition in partitions])
        found: list[Message] = []
        ended: set[int | None] = set()
        while len(found) < wanted and len(ended) < len(partitions):
            message = consumer.poll(_PATIENCE_S)
            assert message is not None
            if message.error() is not None:
                ended.add(message.partition())
            else:
                found.append(message)
        consumer.close()
        return sorted(found, key=lambda message: (message.partition() or 0, message.offset() or 0))


@contextmanager
def mock_kafka(**topics: int) -> Iterator[MockKafka]:
    """A cluster with topics, each with its number of partitions; it ends with the block."""
    process = subprocess.Popen(
        [sys.executable, str(_PROCESS)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        cluster = MockKafka(process.stdout.readline().strip(), process)
        for name, partitions in topics.items():
            cluster.tell(f"topic {name} {partitions}")
        yield cluster
    finally:
        process.kill()
        process.wait()
