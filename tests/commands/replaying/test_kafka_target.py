"""Events to a topic, against the mock brokers of the client library."""

from __future__ import annotations

import json

import pytest
from kaicep.commands.replaying.kafka_target import KafkaTarget
from kaicep.commands.replaying.replay_target import TargetSpec
from kaicep.errors import PipelineError
from support.kafka import mock_kafka


def test_events_are_records_and_one_attribute_is_their_key() -> None:
    with mock_kafka(rows=1) as kafka:
        target = KafkaTarget(TargetSpec(f"kafka://{kafka.servers}/rows?linger.ms=0", key="room"))
        target.send([{"room": "B1", "n": 1}, {"room": None, "n": 2}])
        target.close()
        found = kafka.records("rows", 2)
    assert [(record.key(), json.loads(record.value() or b"")) for record in found] == [
        (b"B1", {"n": 1}),
        (None, {"n": 2}),
    ]


def test_a_url_without_a_topic_is_refused() -> None:
    with pytest.raises(PipelineError, match="names no topic"):
        KafkaTarget(TargetSpec("kafka://broker:9092"))
